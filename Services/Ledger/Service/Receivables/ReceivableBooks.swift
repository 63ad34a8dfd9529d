import Postgres
import ServiceKit
import WalletProtocol

/// The id that groups gave what is posted for it: an expense's link, or a settlement.
struct ReceivableKey: Sendable {
    let user: ID<User>
    let id: ID<ReceivableKey>
    let isClearing: Bool
}

/// A person's receivables and what is posted to them, within one database transaction.
///
/// Each posting is a row with the id that groups gave it, which commits with the money: a call that
/// was cut off, or comes twice at once, finds it.
struct ReceivableBooks {
    let key: ReceivableKey
    let transaction: Transaction

    private var user: ID<User> { key.user }

    /// What stands under the key, held until the end; nil where `new` is written now.
    func claim(_ new: ID<MoneyTransaction>?, version: Int32) async throws -> ReceivablePosting? {
        if let found = try await locked() { return found }
        let inserted = try await transaction.execute(
            ReceivableStatements.insert,
            user,
            key.id,
            key.isClearing,
            new,
            new.map { _ in version }
        )
        if inserted > 0 { return nil }
        guard let found = try await locked() else { throw TryAgain() }
        return found
    }

    private func locked() async throws -> ReceivablePosting? {
        try await transaction.queryOne(ReceivableStatements.lock, user, key.id, key.isClearing)
    }

    /// Notes that a later version is posted.
    func advance(to version: Int32) async throws {
        try await transaction.execute(
            ReceivableStatements.advance,
            user,
            key.id,
            key.isClearing,
            version
        )
    }

    /// Takes back what was posted, and keeps it from being posted again.
    /// - Parameter wasOwed: whether any of it can have been paid back.
    /// - Throws: what taking it back is refused for.
    func withdraw(wasOwed: Bool = true) async throws {
        guard let found = try await claim(nil, version: 0), !found.isWithdrawn else { return }
        if let posted = found.posted {
            let last = try await last(of: posted.transaction)
            if last.isCurrent {
                let reversal = Posting(
                    reversing: last.row,
                    Posting.Operation(of: user),
                    by: user
                )
                do { try await post([reversal]) } catch let refusal as APIError
                    where refusal.code == .alreadySettled && !wasOwed
                {
                    try await post(overpaying(last.row))
                }
            }
        }
        try await transaction.execute(
            ReceivableStatements.withdraw,
            user,
            key.id,
            key.isClearing
        )
    }

    /// What takes a claim back that others seem to have paid back in part.
    ///
    /// They cannot have, so that it is more than they owe. The claim is lent by outside for as long
    /// as its reversal takes, for a receivable falls below nothing by what is paid back alone.
    private func overpaying(_ row: TransactionRow) throws -> [Posting] {
        guard let receivable = row.receivable else { throw APIError(.internalError) }
        func lending(_ amount: Int64, _ operation: Posting.Operation?) -> Posting {
            var posting = Posting(.opening, operation, by: nil, on: receivable)
            (posting.amount, posting.currency) = (amount, row.currency)
            (posting.day, posting.chain) = (.utc(.now()), 1)
            return posting
        }
        var reversal = Posting(reversing: row, nil, by: user)
        reversal.chain = 1
        return [
            lending(-row.claim, Posting.Operation(of: user)), reversal, lending(row.claim, nil),
        ]
    }

    /// A transaction's last version, and whether it counts.
    func last(
        of id: ID<MoneyTransaction>
    ) async throws -> (row: TransactionRow, isCurrent: Bool) {
        guard let last = try await transaction.queryOne(ReceivableStatements.last(of: id)) else {
            throw APIError(.internalError)
        }
        return last
    }

    /// The account that something is posted to, in the currency that it has to be in.
    /// - Throws: 422 `unknown-reference` where it is not theirs, or closed; `currency-mismatch`.
    func check(_ account: ID<Account>, in currency: Currency, at pointer: String) async throws {
        let own = try await transaction.queryOne(AccountStatements.own, user, account)
        guard let own, !own.isClosed else {
            throw APIError.field("/accountId", .unknownReference, "is absent, closed or not theirs")
        }
        guard own.currency == currency else {
            throw APIError.field(pointer, .currencyMismatch, "is not the account's")
        }
    }

    /// Their receivable in a currency, made where there is none.
    func receivable(in currency: Currency) async throws -> ID<Account> {
        let find = ReceivableStatements.find
        if let found = try await transaction.queryOne(find, user, currency.code) { return found }
        try await transaction.execute(
            ReceivableStatements.open,
            ID<Account>.new(),
            user,
            currency.code,
            Int16(currency.exponent)
        )
        guard let made = try await transaction.queryOne(find, user, currency.code) else {
            throw APIError(.internalError)
        }
        return made
    }

    /// «Others».
    func others() async throws -> CategoryID {
        guard let others = try await transaction.queryOne(CategoryStatements.others, user) else {
            throw APIError.notFound
        }
        return others
    }

    /// Posts all of it.
    /// - Throws: why not.
    func post(_ postings: [Posting]) async throws {
        for outcome in try await transaction.postIfFree(postings) {
            switch outcome.status {
            case .posted, .chainFailed: break
            // Changed just now by its owner: look again.
            case .transactionNotFound, .transactionExists: throw TryAgain()
            case let status: throw status.error
            }
        }
    }
}

extension Database {
    /// What is written in somebody's books, in a posting transaction in which they are not erased.
    /// - Throws: 404 where nobody of this id is known, or they are erased.
    func books<Value>(
        of key: ReceivableKey,
        _ people: People,
        _ body: (ReceivableBooks) async throws -> Value
    ) async throws -> Value {
        do {
            _ = try await people.person(key.user)
            return try await posting { transaction in
                try await ErasedUsers.hold([key.user], in: transaction)
                return try await body(ReceivableBooks(key: key, transaction: transaction))
            }
        } catch let refusal as APIError where refusal.code == .unauthenticated {
            throw APIError.notFound
        } catch let error as DatabaseError where error.violatedConstraint == ErasedUsers.constraint
        {
            throw APIError.notFound
        }
    }
}
