import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Deletes transactions, and has them back for a while.
struct DeletionStore {
    let database: Database
    let relayBell: RelayBell

    /// Runs `body` in a posting transaction in which the person is not erased.
    func posting<Value>(
        by user: ID<User>,
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            return try await body(transaction)
        }
    }

    /// Deletes one.
    /// - Throws: 404, 403, 412, `part-of-transfer`, or what the reversal is refused for.
    func delete(
        _ id: ID<MoneyTransaction>,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> DeletionView {
        let view = try await posting(by: user) { transaction in
            let row = try await transaction.changeable(id, by: user, ifMatch: ifMatch)
            guard row.transfer == nil else { throw APIError(.partOfTransfer) }
            let deletion = TransactionDeletion(user: user, transaction: transaction)
            return try await deletion.delete([(row, "")])
        }
        relayBell.ring()
        return view
    }

    /// Deletes all of them, or none.
    func delete(
        all ids: [ID<MoneyTransaction>],
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> DeletionView {
        let rows = try await rows(ids, of: user, in: transaction)
        let deletion = TransactionDeletion(user: user, transaction: transaction)
        return try await deletion.delete(rows)
    }

    /// Has back what was deleted; done again it finds it done.
    /// - Throws: 404, `undo-expired`, or what recording it anew is refused for.
    func undo(
        _ id: ID<Deletion>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> DeletionView {
        guard let row = try await transaction.queryOne(DeletionStatements.lock, user, id)
        else { throw APIError.notFound }
        if row.isUndone { return DeletionView(id, row) }
        guard row.undoUntil > .now() else { throw APIError(.undoExpired) }
        let deletion = TransactionDeletion(user: user, transaction: transaction)
        try await deletion.restore(row)
        try await transaction.execute(DeletionStatements.markUndone, id)
        return DeletionView(id, row)
    }

    /// Each with its place in the body.
    private func rows(
        _ ids: [ID<MoneyTransaction>],
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> [(row: TransactionRow, base: String)] {
        var known: [ID<MoneyTransaction>: (row: TransactionRow, mayChange: Bool)] = [:]
        for found in try await transaction.query(TransactionStatements.findAll(ids, for: user)) {
            known[found.row.id] = found
        }
        var words = TransactionWords()
        var seen: Set<ID<MoneyTransaction>> = []
        var sides: [FieldError] = []
        var rows: [(row: TransactionRow, base: String)] = []
        for (index, id) in ids.enumerated() {
            let at = "/ids/\(index)"
            guard let found = known[id] else {
                words.fail(at, .unknownReference, "is absent or not yours")
                continue
            }
            if !seen.insert(id).inserted { words.fail(at, .duplicate, "is there already") }
            guard found.mayChange else { throw APIError(.forbidden) }
            if found.row.transfer != nil {
                let code = ErrorCode.partOfTransfer
                sides.append(
                    FieldError(pointer: at, code: FieldCode(code.text), detail: code.title)
                )
            }
            rows.append((found.row, at))
        }
        try words.check()
        if !sides.isEmpty {
            let told = Array(sides.prefix(JSONReading.errorsMax))
            throw APIError(.partOfTransfer, errors: told)
        }
        return rows
    }
}

extension DeletionView {
    init(_ id: ID<Deletion>, _ row: DeletionRow) {
        self.init(id: id, undoUntil: row.undoUntil, count: row.transactions.count)
    }
}
