internal import CICU

// Safety: the tables are opened and closed within one call; buffers are lent for its duration.

/// Addresses of mail in the one form in which they are kept.
public enum MailAddressText {
    /// The bytes of a domain (RFC 1035, 2.3.4).
    static let domainBytesMax = 253

    /// The same mailbox always has the same text: the local part composed, the domain in ASCII.
    ///
    /// The local part keeps its case, for only its own host knows what that means. Nil where the
    /// domain is none. Source: RFC 6532, 3.1 (NFC); UTS 46, nontransitional, which is IDNA 2008
    /// with case and width mapped.
    public static func canonical(_ text: String) -> String? {
        // By bytes: to step over characters takes the square of the marks that one of them has.
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")),
            let domain = asciiDomain(String(text[text.utf8.index(after: at)...]))
        else { return nil }
        return TextFolding.composed(String(text[..<at])) + "@" + domain
    }

    /// A domain in the form in which it is looked up: `xn--` labels, small letters.
    public static func asciiDomain(_ name: String) -> String? {
        guard (1...1_024).contains(name.utf8.count) else { return nil }
        var status = U_ZERO_ERROR
        guard let idna = unsafe ezwallet_open_idna(&status), status.rawValue <= 0 else {
            return nil
        }
        defer { unsafe ezwallet_close_idna(idna) }
        let source = name.utf8.map { CChar(bitPattern: $0) }
        var target = [CChar](repeating: 0, count: domainBytesMax + 1)
        let count = unsafe ezwallet_domain_to_ascii(
            idna,
            source,
            Int32(source.count),
            &target,
            Int32(target.count)
        )
        guard (1...domainBytesMax).contains(Int(count)) else { return nil }
        return String(
            decoding: target[..<Int(count)].map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
    }
}
