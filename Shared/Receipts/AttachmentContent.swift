/// Which part of an attachment's content a request wants.
enum AttachmentContent {
    /// Whether one of the tags in `If-None-Match` is the content's (RFC 9110, 13.1.2).
    static func names(_ field: String, _ digest: String) -> Bool {
        field == "*"
            || field.split(separator: ",").contains { tag in
                let bare = tag.drop { $0 == " " }.prefix { $0 != " " }
                return bare == "\"\(digest)\"" || bare == "W/\"\(digest)\""
            }
    }

    /// One range of bytes (RFC 9110, 14.1.2): nil for the whole, empty for one beyond the end.
    static func range(_ field: String?, of size: Int) -> Range<Int>? {
        guard let field, field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } })
        else { return nil }
        guard let first = Int(ends[0]) else {
            guard ends[0].isEmpty, let count = Int(ends[1]) else { return nil }
            return max(0, size - count)..<size
        }
        if ends[1].isEmpty { return first < size ? first..<size : 0..<0 }
        guard let last = Int(ends[1]), last >= first else { return nil }
        // A last byte may be named beyond all numbers; there is none behind the size.
        return first < size ? first..<(min(last, size - 1) + 1) : 0..<0
    }
}
