import HTTP
import Names
import ServiceKit

/// The header fields of every answer that leaves the suite.
enum SecurityFields {
    /// All of them, in one block.
    static func block(publicURL: String) -> HeaderBlock {
        var block = HeaderBlock()
        if wantsTLS(publicURL) {
            block.append("strict-transport-security", "max-age=31536000; includeSubDomains")
        }
        block.append("x-content-type-options", "nosniff")
        block.append("x-frame-options", "DENY")
        block.append("referrer-policy", "no-referrer")
        return block
    }

    /// Whether browsers are to use TLS only: of a name that is not this machine's own.
    ///
    /// Browsers ignore the field for addresses, and localhost is every developer's.
    /// Source: RFC 6797, 8.1.1; RFC 6761, 6.3.
    static func wantsTLS(_ publicURL: String) -> Bool {
        guard publicURL.hasPrefix("https://") else { return false }
        let authority = publicURL.dropFirst("https://".count).prefix { $0 != "/" }
        guard !authority.hasPrefix("[") else { return false }
        let host = authority.prefix { $0 != ":" }.lowercased()
        return host != "localhost" && !host.hasSuffix(".localhost")
            && NumericAddress(numeric: host) == nil
    }
}
