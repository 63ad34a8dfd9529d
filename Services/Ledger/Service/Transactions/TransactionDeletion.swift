import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Deletions and what takes them back, within a database transaction.
struct TransactionDeletion {
    let user: ID<User>
    let transaction: Transaction

    /// How long a deletion can be undone.
    static let undoSeconds: Int64 = 600

    /// Takes them back, each with where it stands in the body.
    ///
    /// Expenses first, for what counts is what the accounts hold when all of them are gone; before
    /// them what was paid back for some, so that it is owed again.
    func delete(_ rows: [(row: TransactionRow, base: String)]) async throws -> DeletionView {
        let rows = rows.sorted {
            ($0.row.claim > 0 ? 0 : 1, $0.row.amount) < ($1.row.claim > 0 ? 0 : 1, $1.row.amount)
        }
        try await tell(of: rows.map(\.row), isPosted: false)
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
        try await tell(of: rows, isPosted: true)
        let sorted = try await inherited(rows.sorted { $0.amount > $1.amount })
        var postings = sorted.map {
            Posting(recordingAnew: $0, Posting.Operation(of: user), by: user)
        }
        for owner in Set(sorted.map(\.owner)).sorted() {
            let own = sorted.indices.filter { sorted[$0].owner == owner }
            try await moveGone(&postings, at: own, of: owner)
        }
        // What names a receivable goes by itself: next to another's it would wait for that.
        let plain = postings.filter { $0.counter == nil }
        for some in [plain] + postings.filter({ $0.counter != nil }).map({ [$0] }) {
            for outcome in try await transaction.postIfFree(some) {
                switch outcome.status {
                case .posted: break
                case .categoryNotFound: throw TryAgain()
                case .forbidden:
                    let refusal = TransactionRefusal(database: transaction)
                    try await refusal.checkRole(user, on: rows.map(\.account))
                    // Of a wallet that one sees no more there is nothing to have back.
                    throw APIError.notFound
                case .transactionExists:
                    throw APIError(.undoExpired, "the shared expense was posted anew")
                case let status: throw status.error
                }
            }
        }
    }

    /// Tells groups of what was posted for it.
    ///
    /// Held until the end, so that whoever takes it out meanwhile finds what becomes of it; before
    /// the accounts, as they do.
    /// - Throws: `undo-expired`: what was taken out of the books with its shared expense stays so.
    private func tell(of rows: [TransactionRow], isPosted: Bool) async throws {
        let found = try await transaction.query(SharedExpenseStatements.held, rows.map(\.id))
        for held in found.sorted(by: { $0.id < $1.id }) {
            guard !held.isWithdrawn else {
                // Just now: look again.
                guard isPosted else { throw TryAgain() }
                throw APIError(.undoExpired, "the shared expense was taken back")
            }
            try await Outbox.append(
                ReceivablePostingChanged(
                    postingID: held.id,
                    userID: held.user,
                    version: held.version,
                    isPosted: isPosted
                ),
                of: "receivable-posting:\(held.id)",
                in: transaction
            )
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
