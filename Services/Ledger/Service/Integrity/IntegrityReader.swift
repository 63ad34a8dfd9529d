import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Adds up every account, in one snapshot, beside how far the books are sealed and verified.
struct IntegrityReader {
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool

    func read() async throws -> LedgerIntegrity {
        let options = TransactionOptions(readOnly: true)
        let balances = try await database.transaction(options) { reading in
            // What is not sealed yet is found by its index, however little is known of it.
            _ = try await reading.queryOne(JournalStatements.lookUpsAlone)
            return try await reading.query(IntegrityStatements.trialBalance)
        }
        return LedgerIntegrity(
            isBalanced: balances.allSatisfy(\.total.isZero),
            balances: balances,
            exchange: try await exchange(balances.map(\.position)),
            head: try await database.queryOne(VerifyStatements.head, JournalChain.name) ?? nil,
            verification: try await VerificationStore(database: database).last(),
            checkedAt: .now()
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
