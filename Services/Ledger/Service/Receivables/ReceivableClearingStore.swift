import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Clears what people are owed by what was paid back outside of the ledger, each once under the id
/// of its settlement.
struct ReceivableClearingStore {
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// Moves it from the receivable to the account; what was cleared before is told again.
    /// - Throws: `posting-withdrawn`, and what the posting is refused for.
    func clear(
        _ key: ReceivableKey,
        _ clearing: ReceivableClearing
    ) async throws -> ReceivableCleared {
        let cleared = try await database.books(of: key, people) { books in
            let new = ID<MoneyTransaction>.new()
            if let found = try await books.claim(new, version: 1) {
                guard !found.isWithdrawn, let posted = found.posted else {
                    throw APIError(.postingWithdrawn)
                }
                return ReceivableCleared(transactionID: posted.transaction)
            }
            try await record(clearing, as: new, books)
            return ReceivableCleared(transactionID: new)
        }
        relayBell.ring()
        return cleared
    }

    /// Takes one back for good.
    func withdraw(_ key: ReceivableKey) async throws {
        try await database.books(of: key, people) { books in try await books.withdraw() }
        relayBell.ring()
    }

    private func record(
        _ clearing: ReceivableClearing,
        as id: ID<MoneyTransaction>,
        _ books: ReceivableBooks
    ) async throws {
        let (user, currency) = (books.key.user, clearing.amount.currency)
        try await books.check(clearing.accountID, in: currency, at: "/amount/currency")
        let operation = Posting.Operation(of: user)
        var posting = Posting(.record, operation, by: user, on: clearing.accountID)
        posting.transaction = id
        posting.day = clearing.date
        posting.name = composed(clearing.name)
        posting.currency = currency
        // Nothing is earned: all of it stood on the receivable.
        posting.amount = 0
        posting.claim = -clearing.amount.minorUnits
        posting.counter = try await books.receivable(in: currency)
        try await books.post([posting])
    }
}
