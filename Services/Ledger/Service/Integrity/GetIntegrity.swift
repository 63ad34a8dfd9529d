import Postgres
import ServiceKit
import WalletProtocol

/// Whether the books are right: every account added up, in one snapshot.
struct GetIntegrity: Handler {
    static let endpoint = Integrity.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<LedgerIntegrity> {
        let balances = try await database.query(IntegrityStatements.trialBalance)
        return .ok(
            LedgerIntegrity(
                isBalanced: balances.allSatisfy(\.total.isZero),
                balances: balances,
                checkedAt: .now()
            )
        )
    }
}

/// The SQL of what operators ask: it reads everything, by design.
enum IntegrityStatements {
    static let trialBalance = Statement(
        """
        select currency, users::bigint, system::bigint, (users + system)::bigint
        from ledger.trial_balance order by currency
        """
    ) { row in
        let currency: Currency = try row.value(0)
        return try TrialBalance(
            currency: currency,
            users: Money(minorUnits: row.int64(1), currency),
            system: Money(minorUnits: row.int64(2), currency),
            total: Money(minorUnits: row.int64(3), currency)
        )
    }
}
