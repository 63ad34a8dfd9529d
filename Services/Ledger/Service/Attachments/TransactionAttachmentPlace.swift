import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// Beside a transaction: whoever may change it adds, in their own space.
struct TransactionAttachmentPlace: AttachmentPlace {
    let user: ID<User>
    let transaction: ID<MoneyTransaction>
    let database: Database
    let limits: AttachmentLimits

    func check(adding size: Int) async throws {
        try await AttachmentStore.check(transaction, for: user, changing: true, in: database)
        let room = try await database.queryOne(AttachmentStatements.room, user, transaction)
        try limits.check(room?.count ?? 0, room?.bytes ?? 0, adding: size)
    }

    func put(
        _ file: NewAttachmentFile,
        in work: Transaction
    ) async throws
        -> Response<AttachmentView>
    {
        try await AttachmentStore.check(transaction, for: user, changing: true, in: work)
        // Behind these locks nothing else of theirs counts, nor of the transaction's.
        let used = try await AttachmentSpace.lock(of: user, in: work)
        try await work.execute(AttachmentStatements.lock, transaction.text)
        let room = try await work.queryOne(AttachmentStatements.room, user, transaction)
        try limits.check(room?.count ?? 0, used, adding: file.size)
        guard
            let row = try await work.queryOne(
                AttachmentStatements.insert,
                file.id,
                transaction,
                user,
                file.name,
                file.type.rawValue,
                Int64(file.size),
                file.sha256
            )
        else { throw APIError(.internalError) }
        try await AttachmentSpace.add(file.size, of: user, in: work)
        return .created(
            row.view,
            at: "/v1/transactions/\(transaction)/attachments/\(row.file.id)"
        )
    }
}
