public import WalletProtocol

/// What `If-Match` names: one or more versions of a resource, any of which will do.
///
/// Weak tags match nothing, for the comparison is the strong one; a bare word stands for a quoted
/// one. Source: RFC 9110, 8.8.3.2 and 13.1.1.
public struct EntityTags: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The versions, without quotes.
    public let versions: [String]

    /// One version.
    public init(stringLiteral version: String) { versions = [version] }

    /// From the values of the request's fields; nil where there is none, or any version will do.
    public init?(_ fields: [String]) {
        let list = fields.joined(separator: ",")
        guard !fields.isEmpty, list != "*" else { return nil }
        var versions: [String] = []
        var rest = Substring(list)
        while let start = rest.firstIndex(where: { $0 != "," && $0 != " " && $0 != "\t" }) {
            rest = rest[start...]
            let isWeak = rest.hasPrefix("W/\"")
            if isWeak { rest = rest.dropFirst(2) }
            let isQuoted = rest.first == "\""
            if isQuoted { rest = rest.dropFirst() }
            let end = rest.firstIndex(of: isQuoted ? "\"" : ",") ?? rest.endIndex
            if !isWeak { versions.append(Self.trimmed(rest[..<end])) }
            rest = isQuoted ? rest[end...].dropFirst() : rest[end...]
        }
        self.versions = versions
    }

    private static func trimmed(_ word: Substring) -> String {
        var word = word
        while let last = word.last, last == " " || last == "\t" { word.removeLast() }
        return String(word)
    }

    /// As a field's value.
    public var text: String { versions.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// Whether this version will do.
    public func contains(_ version: String) -> Bool { versions.contains(version) }
}

extension EntityTags? {
    /// Whether the version that stands is one that the caller wants; any is, where none is named.
    /// - Throws: `precondition-failed`.
    public func check(_ version: some BinaryInteger) throws(APIError) {
        try check(String(version))
    }

    /// The same of a version that is no number.
    public func check(_ version: String) throws(APIError) {
        if let self, !self.contains(version) { throw APIError(.preconditionFailed) }
    }
}
