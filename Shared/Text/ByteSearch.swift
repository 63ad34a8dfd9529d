internal import CGlibcSystem

extension Collection<UInt8> {
    /// Where a text's UTF-8 stands first; nil where it does not occur, or is empty.
    ///
    /// The standard library's own search would load the libraries of regular expressions.
    public func range(of text: some StringProtocol) -> Range<Index>? {
        let wanted = Array(text.utf8)
        guard !wanted.isEmpty, let offset = firstOffset(of: wanted) else { return nil }
        let start = index(startIndex, offsetBy: offset)
        return start..<index(start, offsetBy: wanted.count)
    }

    /// Whether some bytes stand in these; none always do.
    public func contains(bytes wanted: [UInt8]) -> Bool { firstOffset(of: wanted) != nil }

    /// Linear in both, whatever they are.
    ///
    /// Safety: memmem reads within the two buffers, for as long as both closures run, and what it
    /// returns points into the first.
    private func firstOffset(of wanted: [UInt8]) -> Int? {
        let found = withContiguousStorageIfAvailable { bytes -> Int? in
            unsafe wanted.withUnsafeBytes { wanted -> Int? in
                guard let wantedStart = wanted.baseAddress, wanted.count > 0 else { return 0 }
                let bytes = UnsafeRawBufferPointer(bytes)
                guard let start = bytes.baseAddress, bytes.count >= wanted.count else { return nil }
                return unsafe memmem(start, bytes.count, wantedStart, wanted.count).map { hit in
                    unsafe start.distance(to: UnsafeRawPointer(hit))
                }
            }
        }
        return found ?? Array(self).firstOffset(of: wanted)
    }
}
