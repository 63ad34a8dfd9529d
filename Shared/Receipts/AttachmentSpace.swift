public import Postgres
public import ServiceKit
public import WalletProtocol

/// How much there may be of attachments.
public struct AttachmentLimits: Sendable {
    /// What is set.
    public static let mebibytes = Variable(
        "EZWALLET_ATTACHMENT_MEBIBYTES",
        "MiB that the receipts of one user may take in all: in the ledger, and in groups again",
        kind: .integer(1...1_048_576),
        default: "1024"
    )

    /// Bytes of one user's.
    public let userBytesMax: Int

    /// As it is set.
    public init(_ settings: Settings) {
        userBytesMax = settings.integer(Self.mebibytes) << 20
    }

    /// Whether another fits beside what there is.
    /// - Throws: `too-many-attachments`, `attachment-space-exhausted`.
    public func check(_ count: Int64, _ bytes: Int64, adding size: Int) throws(APIError) {
        guard count < Attachments.countMax else { throw APIError(.tooManyAttachments) }
        guard bytes + Int64(size) <= userBytesMax else {
            throw APIError(.attachmentSpaceExhausted)
        }
    }
}

/// What somebody's attachments take: whoever adds one or takes one away waits for the other.
public enum AttachmentSpace {
    /// Bytes that are taken, behind a lock until the transaction's end.
    public static func lock(
        of user: ID<User>,
        in transaction: Transaction
    ) async throws(DatabaseError) -> Int64 {
        try await transaction.execute(AttachmentFileStatements.makeUsage, user)
        return try await transaction.queryOne(AttachmentFileStatements.lockUsage, user) ?? 0
    }

    /// Counts bytes that come, or go where there are fewer than none.
    public static func add(
        _ bytes: Int,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws(DatabaseError) {
        try await transaction.execute(AttachmentFileStatements.addUsage, user, Int64(bytes))
    }
}
