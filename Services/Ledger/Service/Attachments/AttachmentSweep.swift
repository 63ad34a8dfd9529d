import Postgres
import WalletProtocol

/// Takes away what nobody can see any more: files of transactions that were deleted and not had
/// back.
final class AttachmentSweep {
    private let database: Database
    /// Behind which attachment the next turn begins.
    private var after = ID<Attachment>(high: 0, low: 0)

    /// How many one turn looks at.
    static let turn: Int32 = 500

    init(database: Database) { self.database = database }

    /// The next few; at the end it begins anew.
    func sweepSome() async throws {
        let some = try await database.query(AttachmentStatements.someAfter, after, Self.turn)
        let ended = Set(
            try await database.query(AttachmentStatements.ended, some.map(\.transaction))
        )
        for attachment in some where ended.contains(attachment.transaction) {
            _ = try await AttachmentStore.remove(
                attachment.id,
                of: attachment.user,
                in: database
            )
        }
        let isLast = some.count < Self.turn
        after = isLast ? ID<Attachment>(high: 0, low: 0) : some.last?.id ?? after
    }
}
