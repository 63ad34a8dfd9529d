import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Whether the books are right: every account added up, in one snapshot; and how far they are
/// sealed and verified.
struct GetIntegrity: Handler {
    static let endpoint = Integrity.get
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<LedgerIntegrity> {
        let options = TransactionOptions(readOnly: true)
        let balances = try await database.transaction(options) { reading in
            // What is not sealed yet is found by its index, however little is known of it.
            _ = try await reading.queryOne(JournalStatements.lookUpsAlone)
            return try await reading.query(IntegrityStatements.trialBalance)
        }
        let head = try await database.queryOne(VerifyStatements.head, JournalChain.name) ?? nil
        let verification = try await VerificationStore(database: database).last()
        return .ok(
            LedgerIntegrity(
                isBalanced: balances.allSatisfy(\.total.isZero),
                balances: balances,
                exchange: try await exchange(balances.map(\.position)),
                head: head,
                verification: verification,
                checkedAt: .now()
            )
        )
    }

    /// What our positions are worth, which is the gain (or loss) of all exchanging until now; nil
    /// before there was any.
    private func exchange(_ positions: [Total]) async throws -> ExchangeGain? {
        let positions = positions.filter { !$0.isZero }
        guard !positions.isEmpty, let today = Day(utc: .now()),
            let row = try await rates.history(on: blocking).row(on: today)
        else { return nil }
        var gain = Total.zero(.eur)
        var rest: [Currency] = []
        for position in positions {
            guard let rate = row.rate(from: position.currency, to: .eur),
                let worth = try? Total(minorUnits: rate.shown(position.minorUnits), .eur),
                let sum = try? gain.adding(worth)
            else {
                rest.append(position.currency)
                continue
            }
            gain = sum
        }
        return ExchangeGain(gain: gain, day: row.day, unconverted: rest)
    }
}

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
