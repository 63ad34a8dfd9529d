import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what operators ask: it reads everything, by design.
enum IntegrityStatements {
    static let trialBalance = Statement(
        """
        select currency, users, system, position
        from ledger.trial_balance
        order by currency
        """
    ) { row in
        let currency: Currency = try row.value(0)
        let users = try Total(minorUnits: row.value(1), currency)
        let system = try Total(minorUnits: row.value(2), currency)
        return try TrialBalance(
            currency: currency,
            users: users,
            system: system,
            total: users.adding(system),
            position: Total(minorUnits: row.value(3), currency)
        )
    }
}
