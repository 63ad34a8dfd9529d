/// An address of a provider: `https`, or plain on this machine where the issuer itself is.
///
/// A provider's description names further addresses; they lead to a name in the DNS or back to the
/// issuer's host, so that no description sends us to what only we can reach.
struct ProviderURL: Sendable, Equatable {
    let text: String
    let host: String
    private let isSecure: Bool

    private static let loopbacks = ["127.0.0.1", "localhost", "[::1]"]

    private init?(_ text: String) {
        guard text.utf8.count <= 2_048,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x5c && $0 != 0x22 }),
            !text.contains("#")
        else { return nil }
        let rest: Substring
        if text.hasPrefix("https://") {
            (isSecure, rest) = (true, text.dropFirst(8))
        } else if text.hasPrefix("http://") {
            (isSecure, rest) = (false, text.dropFirst(7))
        } else {
            return nil
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return nil }
        let colon = authority.hasPrefix("[") ? nil : authority.firstIndex(of: ":")
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = String(authority[...end])
        } else {
            host = authority[..<(colon ?? authority.endIndex)].lowercased()
        }
        guard !host.isEmpty else { return nil }
        self.text = text
    }

    /// An issuer: without query and fragment (OpenID Connect Discovery 1.0, 3).
    init?(issuer text: String) {
        guard let url = ProviderURL(text), !text.contains("?"),
            url.isSecure || Self.loopbacks.contains(url.host)
        else { return nil }
        self = url
    }

    /// An address that the issuer's description names.
    init?(endpoint text: String, of issuer: ProviderURL) {
        guard let url = ProviderURL(text) else { return nil }
        guard url.host == issuer.host ? url.isSecure || !issuer.isSecure : url.isNamed else {
            return nil
        }
        self = url
    }

    /// Whether it is secure and its host a name of several labels, no number in any spelling.
    private var isNamed: Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard isSecure, labels.count > 1, let last = labels.last?.utf8.first else { return false }
        return (0x61...0x7a).contains(last) && labels.last != "localhost"
            && labels.last != "local" && labels.last != "internal"
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy {
                        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d
                    }
            }
    }
}
