/// Why bytes are not the JSON that this suite takes: answered with 400 `malformed-json`.
public struct MalformedJSON: Error, Hashable, Sendable {
    /// What is wrong.
    public let reason: Reason
    /// The byte where it was seen.
    public let offset: Int

    /// What can be wrong.
    public enum Reason: String, Sendable, CaseIterable {
        /// The text ends before its value does.
        case unexpectedEnd = "unexpected end"
        /// A byte that cannot stand here.
        case unexpectedByte = "unexpected character"
        /// Bytes that are no UTF-8 (RFC 3629).
        case badUTF8 = "invalid UTF-8"
        /// A control character inside a string that is not escaped.
        case controlCharacter = "control character in a string"
        /// An escape that JSON does not have.
        case badEscape = "invalid escape"
        /// Half of a surrogate pair.
        case unpairedSurrogate = "unpaired surrogate"
        /// A name twice in one object.
        case doubledKey = "doubled key"
        /// More than 32 levels.
        case tooDeep = "nested too deeply"
        /// A number of another grammar.
        case badNumber = "invalid number"
        /// Something after the value.
        case trailingGarbage = "something after the value"
        /// More than two gigabytes.
        case tooLong = "too long"
    }
}
