import Postgres
import WalletProtocol

/// Takes away what nobody can see any more: files that never came to their end, and those of
/// transactions that were deleted and not had back.
final class AttachmentSweep {
    private let database: Database
    private let attachments: AttachmentStore
    /// Behind which attachment the next turn begins.
    private var after = ID<Attachment>(high: 0, low: 0)

    /// How many one turn looks at.
    static let turn: Int32 = 500

    init(database: Database) {
        self.database = database
        attachments = AttachmentStore(database: database)
    }

    /// Uploads given up; true: there may be more.
    func sweepUploads() async throws -> Bool {
        try await database.transaction { work in
            let abandoned = try await work.query(AttachmentStatements.takeAbandoned)
            for id in abandoned {
                try await work.execute(AttachmentStatements.removeChunks, id)
            }
            return !abandoned.isEmpty
        }
    }

    /// The next few; at the end it begins anew.
    func sweepEnded() async throws {
        let some = try await database.query(AttachmentStatements.someAfter, after, Self.turn)
        let ended = Set(
            try await database.query(AttachmentStatements.ended, some.map(\.transaction))
        )
        for attachment in some where ended.contains(attachment.transaction) {
            _ = try await attachments.remove(attachment.id, of: attachment.user)
        }
        let isLast = some.count < Self.turn
        after = isLast ? ID<Attachment>(high: 0, low: 0) : some.last?.id ?? after
    }
}
