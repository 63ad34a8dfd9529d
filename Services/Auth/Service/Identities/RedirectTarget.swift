import WalletProtocol

/// Where a sign-in goes on afterwards: a path of our own, or a native client's registered address.
///
/// Nothing else can be said: what is told is compared, never taken apart as an address.
struct RedirectTarget: Sendable, Equatable {
    let uri: String
    let isNative: Bool

    /// - Throws: 400 for anything that is neither.
    init(
        _ told: String?,
        codeChallenge: String?,
        publicURL: String,
        nativeRedirects: [String]
    ) throws {
        if let told, nativeRedirects.contains(told) {
            (uri, isNative) = (told, true)
        } else {
            let path = told.map {
                $0.hasPrefix(publicURL + "/") ? $0.dropFirst(publicURL.count) : $0[...]
            }
            guard let path = Self.path(path ?? "/") else {
                throw APIError.query(
                    "redirectUri",
                    .invalidValue,
                    "is neither a path of ours nor a registered address"
                )
            }
            (uri, isNative) = (publicURL + path, false)
        }
        guard isNative == (codeChallenge != nil) else {
            throw APIError.query(
                "codeChallenge",
                isNative ? .required : .invalidValue,
                "is for native clients, and always theirs"
            )
        }
        if let codeChallenge {
            guard codeChallenge.utf8.count == 43,
                Base64URL.decode(codeChallenge.utf8)?.count == 32
            else {
                throw APIError.query("codeChallenge", .invalidValue, "is no S256 of RFC 7636")
            }
        }
    }

    /// With more parameters behind it.
    static func adding(_ parameters: [(String, String)], to uri: String) -> String {
        let text = parameters.map { $0 + "=" + Percent.encode($1) }.joined(separator: "&")
        return uri + (uri.contains("?") ? "&" : "?") + text
    }

    /// Segments of unreserved letters (RFC 3986, 2.3), none of them empty but the last.
    private static func path(_ text: Substring) -> String? {
        guard text.utf8.count <= 512, text.first == "/" else { return nil }
        let segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            guard !segment.isEmpty || index == segments.count - 1, segment != ".", segment != "..",
                segment.utf8.allSatisfy(isUnreserved)
            else { return nil }
        }
        return String(text)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
