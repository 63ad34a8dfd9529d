internal import Crypto
public import Postgres
public import WalletProtocol

/// A file that was kept, as the row that tells of it has it.
public struct AttachmentFile: Sendable {
    /// Its own id, which its bytes are found by.
    public let id: ID<Attachment>
    /// What it is called.
    public let name: String
    /// What it is.
    public let type: AttachmentType
    /// How many bytes.
    public let size: Int
    /// SHA-256 of them.
    public let sha256: [UInt8]
    /// When it was added.
    public let createdAt: Instant

    /// Reads `id, name, media_type, size, sha256, created_at` from a column on.
    public init(_ row: borrowing PostgresRow, from column: Int) throws {
        id = try row.value(column)
        name = try row.string(column + 1)
        let text = try row.string(column + 2)
        guard let type = AttachmentType(rawValue: text) else {
            throw row.problem(column + 2, "\(text) is no type of an attachment")
        }
        self.type = type
        size = Int(try row.int64(column + 3))
        sha256 = try row.bytes(column + 4)
        createdAt = try row.value(column + 5)
    }

    /// SHA-256 in hexadecimal: the `ETag`, too.
    public var digest: String { hexadecimal(sha256) }
}
