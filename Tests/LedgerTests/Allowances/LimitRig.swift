import Postgres
import ServiceKit
import Testing
import WalletProtocol

@testable import LedgerService

extension Books {
    /// A child's account for allowances, with money that came from outside.
    func purse(of child: ID<User>, holding amount: Int64 = 0) async throws -> ID<Account> {
        let account = try await self.account(of: child, .allowance, holding: amount)
        try await service.execute(
            AllowanceStatements.insert,
            account,
            ID<Family>.new(),
            child,
            Int64(1)
        )
        return account
    }

    /// What may be spent of a child's account: of no category, everything.
    func limit(
        _ account: ID<Account>,
        _ limits: [(CategoryID?, Int64)],
        approvalAbove: Int64? = nil
    ) async throws {
        let isSet = try await service.queryOne(
            LimitStatements.set,
            account,
            limits.map(\.0),
            limits.map(\.1),
            approvalAbove
        )
        #expect(isSet == true)
    }

    /// What was counted of an account from one moment to another.
    func counted(
        _ account: ID<Account>,
        from first: Instant = Instant(microseconds: 0),
        before end: Instant = Instant(secondsSince1970: 9_000_000_000)
    ) async throws -> [CountedOutlay] {
        try await service.query(LimitStatements.counted, account, first, end)
    }

    /// What counts against a limit of a category, or of everything.
    func spent(_ account: ID<Account>, in category: CategoryID? = nil) async throws -> Int64 {
        Int64(clamping: try await counted(account).total(of: category))
    }
}

extension Posting {
    /// An expense in a category.
    static func spending(
        _ amount: Int64,
        on account: ID<Account>,
        by user: ID<User>,
        in category: CategoryID? = nil
    ) -> Posting {
        var posting = Posting.record(-amount, on: account, by: user)
        posting.category = category
        return posting
    }
}
