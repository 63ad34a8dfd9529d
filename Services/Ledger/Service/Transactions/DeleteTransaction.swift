import Postgres
import ServiceKit
import WalletProtocol

/// Deletes a transaction: a reversal in the journal, which can be undone for a while.
struct DeleteTransaction: Handler {
    static let endpoint = Transactions.remove
    let database: Database
    let relayBell: RelayBell

    /// How long a deletion can be undone.
    static let undoSeconds: Int64 = 600

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<DeletionView> {
        let user = caller.user.id
        let id = try request.path.id(of: MoneyTransaction.self)
        let deletion = ID<Deletion>.new()
        let undoUntil = Instant.now().adding(seconds: Self.undoSeconds)
        try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            guard let row = try await transaction.queryOne(TransactionStatements.find, user, id)
            else { throw APIError.notFound }
            if let wanted = request.ifMatch, wanted != String(row.version) {
                throw APIError(.preconditionFailed)
            }
            guard row.transfer == nil else { throw APIError(.partOfTransfer) }
            let posting = Posting(reversing: row, Posting.Operation(of: user), by: user)
            for outcome in try await transaction.postIfFree([posting]) {
                // Changed just now, by a category that goes: look again.
                if outcome.status == .transactionNotFound { throw TryAgain() }
                _ = try outcome.posted()
            }
            try await transaction.execute(
                TransactionStatements.insertDeletion,
                deletion,
                user,
                id,
                row.version,
                undoUntil
            )
        }
        relayBell.ring()
        return .ok(DeletionView(id: deletion, undoUntil: undoUntil))
    }
}

/// Has what was deleted back, exactly as it was.
struct UndoDeletion: Handler {
    static let endpoint = Transactions.undo
    let database: Database
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<DeletionView> {
        let user = caller.user.id
        let id = try request.path.id(of: Deletion.self)
        let undoUntil = try await database.posting { transaction in
            guard
                let deletion = try await transaction.queryOne(
                    TransactionStatements.lockDeletion,
                    user,
                    id
                )
            else { throw APIError.notFound }
            if deletion.isUndone { return deletion.undoUntil }
            guard deletion.undoUntil > .now() else { throw APIError(.undoExpired) }
            guard
                let row = try await transaction.queryOne(
                    TransactionStatements.first,
                    user,
                    deletion.transaction,
                    deletion.version
                )
            else { throw APIError.notFound }
            if let importID = row.importID {
                try await check(importID, in: transaction)
            }
            let category = try await transaction.queryOne(
                CategoryStatements.find,
                user,
                row.category
            )
            var posting = Posting(recordingAnew: row, Posting.Operation(of: user), by: user)
            // The category may have gone meanwhile.
            if row.lines.isEmpty { posting.category = category?.id }
            for outcome in try await transaction.postIfFree([posting]) {
                if outcome.status == .categoryNotFound { throw TryAgain() }
                _ = try outcome.posted()
            }
            try await transaction.execute(TransactionStatements.markUndone, id)
            return deletion.undoUntil
        }
        relayBell.ring()
        return .ok(DeletionView(id: id, undoUntil: undoUntil))
    }

    /// What was taken back with its import stays so: the same file brings it again.
    private func check(
        _ importID: ID<StatementImport>,
        in transaction: Transaction
    ) async throws {
        guard let state = try await transaction.queryOne(ImportStatements.shareState, importID)
        else { throw TryAgain() }
        guard state == "committed" else {
            throw APIError(.undoExpired, "the import that brought it was taken back")
        }
    }
}
