import Postgres
import ServiceKit
import WalletProtocol

/// Deletes a transaction: a reversal in the journal, which can be undone for a while.
struct DeleteTransaction: Handler {
    static let endpoint = Transactions.remove
    let database: Database
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<DeletionView> {
        let user = caller.user.id
        let id = try request.path.id(of: MoneyTransaction.self)
        let view = try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            guard
                let found = try await transaction.queryOne(
                    TransactionStatements.find(id, for: user)
                )
            else { throw APIError.notFound }
            guard found.mayChange else { throw APIError(.forbidden) }
            if let wanted = request.ifMatch, !wanted.contains(String(found.row.version)) {
                throw APIError(.preconditionFailed)
            }
            guard found.row.transfer == nil else { throw APIError(.partOfTransfer) }
            let deletion = TransactionDeletion(user: user, transaction: transaction)
            return try await deletion.delete([(found.row, "")])
        }
        relayBell.ring()
        return .ok(view)
    }
}

/// Deletes many transactions: all of them or none.
struct DeleteTransactions: Handler {
    static let endpoint = Transactions.removeMany
    let effects: KeyedEffects
    let database: Database

    func handle(
        _ request: Request<NoQuery, NewDeletion>,
        as caller: Caller
    ) async throws -> Response<DeletionView> {
        let user = caller.user.id
        return try await effects.run(request.idempotency) { keyed in
            try await database.posting { transaction in
                try await ErasedUsers.hold([user], in: transaction)
                return try await keyed.answer(in: transaction) {
                    let rows = try await rows(request.body.ids, of: user, in: transaction)
                    let deletion = TransactionDeletion(user: user, transaction: transaction)
                    return .created(try await deletion.delete(rows))
                }
            }
        }
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
        let row = try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            guard let row = try await transaction.queryOne(DeletionStatements.lock, user, id)
            else { throw APIError.notFound }
            if row.isUndone { return row }
            guard row.undoUntil > .now() else { throw APIError(.undoExpired) }
            let deletion = TransactionDeletion(user: user, transaction: transaction)
            try await deletion.restore(row)
            try await transaction.execute(DeletionStatements.markUndone, id)
            return row
        }
        relayBell.ring()
        return .ok(DeletionView(id, row))
    }
}

extension DeletionView {
    init(_ id: ID<Deletion>, _ row: DeletionRow) {
        self.init(id: id, undoUntil: row.undoUntil, count: row.transactions.count)
    }
}

/// Deletions and what takes them back, within a database transaction.
struct TransactionDeletion {
    let user: ID<User>
    let transaction: Transaction

    /// How long a deletion can be undone.
    static let undoSeconds: Int64 = 600

    /// Takes them back, each with where it stands in the body.
    ///
    /// Expenses first, for what counts is what the accounts hold when all of them are gone.
    func delete(_ rows: [(row: TransactionRow, base: String)]) async throws -> DeletionView {
        let rows = rows.sorted { $0.row.amount < $1.row.amount }
        let postings = rows.map {
            Posting(reversing: $0.row, Posting.Operation(of: user), by: user)
        }
        let outcomes = try await transaction.postIfFree(postings)
        var refusals: [(status: PostingStatus, base: String)] = []
        for (outcome, each) in zip(outcomes, rows) {
            switch outcome.status {
            case .posted: break
            // Changed just now: look again.
            case .transactionNotFound: throw TryAgain()
            case .forbidden: throw APIError(.forbidden)
            case let status: refusals.append((status, each.base))
            }
        }
        if let first = refusals.first {
            var error = first.status.error
            error.errors = refusals.filter { $0.status == first.status && !$0.base.isEmpty }.map {
                FieldError(
                    pointer: $0.base,
                    code: FieldCode(error.code.text),
                    detail: error.code.title
                )
            }
            throw error
        }
        let made = ID<Deletion>.new()
        let undoUntil = Instant.now().adding(seconds: Self.undoSeconds)
        try await transaction.execute(
            DeletionStatements.insert,
            made,
            user,
            rows.map(\.row.id),
            rows.map(\.row.version),
            undoUntil
        )
        return DeletionView(id: made, undoUntil: undoUntil, count: rows.count)
    }

    /// The next version of each: incomes first, and what was in a category that is gone in
    /// «Others».
    func restore(_ deletion: DeletionRow) async throws {
        let rows = try await transaction.query(
            TransactionStatements.versions(deletion.transactions, deletion.versions)
        )
        guard rows.count == deletion.transactions.count else { throw APIError.notFound }
        for importID in Set(rows.compactMap(\.importID)).sorted() { try await check(importID) }
        let sorted = try await inherited(rows.sorted { $0.amount > $1.amount })
        var postings = sorted.map {
            Posting(recordingAnew: $0, Posting.Operation(of: user), by: user)
        }
        for owner in Set(sorted.map(\.owner)).sorted() {
            let own = sorted.indices.filter { sorted[$0].owner == owner }
            try await moveGone(&postings, at: own, of: owner)
        }
        for outcome in try await transaction.postIfFree(postings) {
            switch outcome.status {
            case .posted: break
            case .categoryNotFound: throw TryAgain()
            case .forbidden: throw APIError(.forbidden)
            case let status: throw status.error
            }
        }
    }

    /// The books of who is gone have no categories: what was in them comes back into one's own.
    private func inherited(_ rows: [TransactionRow]) async throws -> [TransactionRow] {
        var rows = rows
        for owner in Set(rows.map(\.owner)).subtracting([user]).sorted() {
            guard try await transaction.queryOne(CategoryStatements.others, owner) == nil,
                let others = try await transaction.queryOne(CategoryStatements.others, user)
            else { continue }
            for index in rows.indices where rows[index].owner == owner {
                (rows[index].owner, rows[index].category) = (user, others)
                rows[index].lines = []
            }
        }
        return rows
    }

    /// Puts what was in a category that is gone into «Others», of these postings in one's books.
    private func moveGone(
        _ postings: inout [Posting],
        at own: [Int],
        of owner: ID<User>
    ) async throws {
        guard let others = try await transaction.queryOne(CategoryStatements.others, owner) else {
            throw APIError(.internalError)
        }
        let named = Set(
            own.flatMap { index in
                postings[index].lines.map(\.category)
                    + [postings[index].category].compactMap(\.self)
            }
        )
        let known = try await transaction.query(
            TransactionStatements.categories,
            owner,
            Array(named)
        )
        for gone in named.subtracting(known.map(\.id)).sorted() {
            for index in own { postings[index] = postings[index].moving(gone, to: others) }
        }
    }

    /// What was taken back with its import stays so: the same file brings it again.
    private func check(_ importID: ID<StatementImport>) async throws {
        guard let state = try await transaction.queryOne(ImportStatements.shareState, importID)
        else { throw TryAgain() }
        guard state == ImportState.committed.rawValue else {
            throw APIError(.undoExpired, "the import that brought it was taken back")
        }
    }
}
