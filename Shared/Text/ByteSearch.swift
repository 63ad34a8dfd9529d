extension Collection<UInt8> {
    /// Where a text's UTF-8 stands first; nil where it does not occur, or is empty.
    ///
    /// The standard library's own search would load the libraries of regular expressions.
    public func range(of text: some StringProtocol) -> Range<Index>? {
        guard let first = text.utf8.first else { return nil }
        let length = text.utf8.count
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            if rest[start...].starts(with: text.utf8) {
                return start..<rest.index(start, offsetBy: length)
            }
            rest = rest[rest.index(after: start)...]
        }
        return nil
    }
}
