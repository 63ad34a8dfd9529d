/// What can go wrong, for machines: a stable code with its status and title.
///
/// Append only.
///
/// A code that one capability alone has may be declared beside it:
/// `extension ErrorCode { static let … = ErrorCode("…", 409, "…") }`.
public struct ErrorCode: Hashable, Sendable {
    /// The code in kebab-case.
    public let text: String
    /// The HTTP status.
    public let status: Int
    /// The code in words.
    public let title: String

    /// A code.
    public init(_ text: String, _ status: Int, _ title: String) {
        self.text = text
        self.status = status
        self.title = title
    }

    /// The one of the suite's own that is written so.
    public static func named(_ text: String) -> ErrorCode? { all.first { $0.text == text } }

    /// By code.
    public static func == (left: ErrorCode, right: ErrorCode) -> Bool { left.text == right.text }
    /// By code.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
