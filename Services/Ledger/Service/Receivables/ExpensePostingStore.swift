import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Posts shared expenses to their payers' accounts, each under the id that groups gave it.
struct ExpensePostingStore {
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// Posts one, or posts it anew where the version is higher than what stands.
    /// - Throws: `posting-withdrawn`, `posting-outdated`, and what the posting is refused for.
    func post(_ key: ReceivableKey, _ expense: ExpensePosting) async throws -> ExpensePosted {
        try expense.check()
        let posted = try await database.books(of: key, people) { books in
            let new = ID<MoneyTransaction>.new()
            let version = Int32(clamping: expense.version)
            guard let found = try await books.claim(new, version: version) else {
                try await record(expense, as: new, books)
                return ExpensePosted(new, on: expense.accountID, version)
            }
            guard !found.isWithdrawn, let posted = found.posted else {
                throw APIError(.postingWithdrawn)
            }
            guard version >= posted.version else { throw APIError(.postingOutdated) }
            let last = try await books.last(of: posted.transaction)
            guard version > posted.version else {
                return ExpensePosted(posted.transaction, on: last.row.account, version)
            }
            try await record(expense, behind: last, books)
            try await books.advance(to: version)
            return ExpensePosted(posted.transaction, on: expense.accountID, version)
        }
        relayBell.ring()
        return posted
    }

    /// How one stands.
    func find(_ key: ReceivableKey) async throws -> ExpensePostingView {
        try await database.transaction { transaction in
            let found = try await transaction.queryOne(
                ReceivableStatements.posting,
                key.user,
                key.id,
                key.isClearing
            )
            guard let found else { throw APIError.notFound }
            guard let posted = found.posted else {
                return ExpensePostingView(state: .withdrawn, posted: nil)
            }
            let books = ReceivableBooks(key: key, transaction: transaction)
            let last = try await books.last(of: posted.transaction)
            let state: ExpensePostingState = last.isCurrent ? .posted : .deleted
            return ExpensePostingView(
                state: found.isWithdrawn ? .withdrawn : state,
                posted: ExpensePosted(posted.transaction, on: last.row.account, posted.version)
            )
        }
    }

    /// Takes one back for good.
    func withdraw(_ key: ReceivableKey, wasOwed: Bool) async throws {
        try await database.books(of: key, people) { books in
            try await books.withdraw(wasOwed: wasOwed)
        }
        relayBell.ring()
    }

    /// The first version.
    private func record(
        _ expense: ExpensePosting,
        as id: ID<MoneyTransaction>,
        _ books: ReceivableBooks
    ) async throws {
        let user = books.key.user
        try await books.check(expense.accountID, in: expense.paid.currency, at: "/paid/currency")
        let others = try await books.others()
        var posting = Posting(
            .record,
            Posting.Operation(of: user),
            by: user,
            on: expense.accountID
        )
        posting.transaction = id
        posting.day = expense.date
        posting.name = composed(expense.name)
        posting.currency = expense.paid.currency
        posting.amount = -expense.share.minorUnits
        let category = expense.categoryID ?? others
        if expense.share.isZero {
            posting.category = category
        } else {
            // A line of its own even where nothing is shared: by it an edit finds the expense.
            posting.lines = [
                Posting.Line(category: category, amount: -expense.share.minorUnits)
            ]
        }
        if expense.claim != 0 {
            posting.claim = expense.claim
            posting.counter = try await books.receivable(in: expense.paid.currency)
        }
        try await books.post([posting])
    }

    /// The next one: what stands is taken back first, both or neither.
    private func record(
        _ expense: ExpensePosting,
        behind last: (row: TransactionRow, isCurrent: Bool),
        _ books: ReceivableBooks
    ) async throws {
        let user = books.key.user
        try await books.check(expense.accountID, in: expense.paid.currency, at: "/paid/currency")
        var new = last.row
        if new.owner != user {
            // An editor of the wallet had taken it into their books; it is its payer's.
            new.owner = user
            new.file(in: nil)
        }
        new.take(
            expense,
            in: try await category(of: expense, behind: last.row, books),
            receivable: expense.claim == 0
                ? nil : try await books.receivable(in: expense.paid.currency)
        )
        let operation = Posting.Operation(of: user)
        guard last.isCurrent else {
            return try await books.post([Posting(recordingAnew: new, operation, by: user)])
        }
        var reversal = Posting(reversing: last.row, operation, by: user)
        var record = Posting(recordingAnew: new, nil, by: user)
        (reversal.chain, record.chain) = (1, 1)
        try await books.post([reversal, record])
    }

    /// The one named; else that which it had, or «Others» where that is gone.
    private func category(
        of expense: ExpensePosting,
        behind row: TransactionRow,
        _ books: ReceivableBooks
    ) async throws -> CategoryID {
        if let named = expense.categoryID { return named }
        let had = row.lines.first?.category ?? row.category
        let known = try await books.transaction.query(
            TransactionStatements.categories,
            books.key.user,
            [had]
        )
        return known.isEmpty ? try await books.others() : had
    }
}

extension ExpensePosted {
    init(_ transaction: ID<MoneyTransaction>, on account: ID<Account>, _ version: Int32) {
        self.init(transactionID: transaction, accountID: account, version: Int(version))
    }
}
