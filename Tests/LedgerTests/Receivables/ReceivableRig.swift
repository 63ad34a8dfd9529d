import Postgres
import ServiceKit
import Testing
import WalletProtocol

@testable import LedgerService

extension Books {
    /// What others owe somebody, made where there is none.
    func receivable(of user: ID<User>, _ currency: Currency = .eur) async throws -> ID<Account> {
        try await service.execute(
            ReceivableStatements.open,
            ID<Account>.new(),
            user,
            currency.code,
            Int16(currency.exponent)
        )
        return try #require(
            try await service.queryOne(ReceivableStatements.find, user, currency.code)
        )
    }
}

extension Posting {
    /// A share that is spent and what others owe beside it or, below zero, have paid back.
    static func claim(
        _ claim: Int64,
        share: Int64,
        on account: ID<Account>,
        owed: ID<Account>,
        by user: ID<User>,
        in category: CategoryID? = nil
    ) -> Posting {
        var posting = Posting.record(-share, on: account, by: user)
        if claim != 0 { (posting.claim, posting.counter) = (claim, owed) }
        if let category, share != 0 {
            posting.lines = [Line(category: category, amount: -share)]
        }
        return posting
    }

    /// What takes it back.
    func reversed(owed: ID<Account>, by user: ID<User>) -> Posting {
        var reversal = Posting(.reversal, .init(of: user), by: user, on: account)
        reversal.transaction = transaction
        reversal.version = version ?? 1
        if claim != nil { reversal.counter = owed }
        return reversal
    }
}
