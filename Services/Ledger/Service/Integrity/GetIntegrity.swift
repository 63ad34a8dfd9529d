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
                isBalanced: balances.allSatisfy(\.isZero),
                balances: balances.map(\.view),
                exchange: try await exchange(balances.map(\.position)),
                head: head,
                verification: verification,
                checkedAt: .now()
            )
        )
    }

    /// What our positions are worth, which is the gain (or loss) of all exchanging until now; nil
    /// before there was any.
    private func exchange(_ positions: [Position]) async throws -> ExchangeGain? {
        let positions = positions.filter { $0.minorUnits != 0 }
        guard !positions.isEmpty, let today = Day(utc: .now()),
            let row = try await rates.history(on: blocking).row(on: today)
        else { return nil }
        var gain = Money(minorUnits: 0, .eur)
        var rest: [Currency] = []
        for position in positions {
            guard let units = position.minorUnits,
                let rate = row.rate(from: position.currency, to: .eur),
                let worth = try? Money(minorUnits: rate.shown(units), .eur),
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

/// What exchanging has left us with in one currency.
struct Position: Sendable {
    let currency: Currency
    /// Nil beyond 64 bits.
    let minorUnits: Int64?
}

/// The SQL of what operators ask: it reads everything, by design.
enum IntegrityStatements {
    static let trialBalance = Statement(
        """
        select currency, (users * unit)::text, (system * unit)::text,
            ((users + system) * unit)::text, users + system = 0, (position * unit)::text,
            position::text
        from ledger.trial_balance
        cross join lateral (
            select (array[1, 0.1, 0.01, 0.001, 0.0001]::numeric[])[exponent + 1] as unit
            from ledger.account
            where user_id is null and kind = 'outside' and currency = trial_balance.currency
        ) as written
        order by currency
        """
    ) { row in
        let currency: Currency = try row.value(0)
        return try (
            view: TrialBalance(
                currency: currency,
                users: MoneySum(amount: row.string(1), currency: currency),
                system: MoneySum(amount: row.string(2), currency: currency),
                total: MoneySum(amount: row.string(3), currency: currency),
                position: MoneySum(amount: row.string(5), currency: currency)
            ),
            isZero: row.bool(4),
            position: Position(currency: currency, minorUnits: Int64(row.string(6)))
        )
    }
}
