import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// From which sum on money that goes to others wants a fresh proof of who sends it.
///
/// The sum is what the person has sent to others within a day, with this transfer: otherwise a
/// token that was stolen sends the amount as often as it likes. What is held for others counts from
/// the moment when it is held; taking it later needs no proof. Compared in EUR at the day's rate;
/// a currency without one wants the proof whatever the amount. Who has just proved who they are is
/// asked for nothing, and nothing is read of them.
///
/// Transfers at once do not slip past each other: each that passes is announced under the person's
/// lock before it is posted, and counts from then on, whatever replica it is at. What is sent with
/// a fresh proof is not announced: it counts once it is posted.
///
/// What standing orders are about to send within a day counts as well, of those that were made
/// without a proof (`StandingOrderProof`): by then nobody is there to be asked.
struct StepUpRule {
    /// Whole euros; 0: never.
    let euros: Int
    let rates: RateStore
    let blocking: BlockingPool
    let database: Database

    /// How long what was sent counts.
    static let seconds: Int64 = 86_400
    /// How long a transfer that was announced counts before it is posted: longer than any request
    /// lives.
    static let announcedSeconds: Int32 = 120
    /// More lines than this are not summed up: whoever has so many within a day proves who they
    /// are.
    static let linesMax: Int64 = 20_000

    /// Lets transfers pass, and announces them as their operation where others have to reckon with
    /// them.
    /// - Parameter order: the standing order that is to be so from now on: beside all others,
    ///   whenever they are due.
    /// - Throws: 403 `step-up-required`.
    func check(
        _ debits: [Money],
        as operation: ID<Posting.Operation>,
        asOrder order: ID<StandingOrder>? = nil,
        by user: UserIdentity
    ) async throws {
        let isProved = user.hasFreshProof
        try await check(debits, as: operation, asOrder: order, by: user.id, isProved: isProved)
    }

    /// The same of somebody who is not there, who had proved who they are when they ordered it, or
    /// had not.
    func check(
        _ debits: [Money],
        as operation: ID<Posting.Operation>,
        asOrder order: ID<StandingOrder>? = nil,
        by user: ID<User>,
        isProved: Bool
    ) async throws {
        guard euros > 0, !isProved else { return }
        let today = Day.utc(.now())
        let worth = Worth(history: try await rates.history(on: blocking), day: today)
        // Rounded down: what is not quite a cent above the amount is not above it.
        let most = Int64(euros) * 100
        var asked: [Currency: Int64] = [:]
        for debit in debits { try Self.add(debit.minorUnits, debit.currency, to: &asked) }
        let askedCents = try worth.cents(asked)
        guard askedCents <= most else { throw APIError(.stepUpRequired) }
        // What is told to others of sums in several currencies is their worth.
        let announced = asked.count == 1 ? asked.first : (key: .eur, value: askedCents)
        guard let announced, announced.value > 0 else { return }
        let since = ID<MoneyTransaction>.at(Instant.now().adding(seconds: -Self.seconds), random: 0)
        try await database.transaction { transaction in
            try await transaction.execute(StepUpStatements.lock, user.text)
            try await transaction.execute(StepUpStatements.deleteDecided, user)
            let sent = try await transaction.query(
                StepUpStatements.sent,
                user,
                since,
                today,
                operation,
                Self.linesMax,
                order
            )
            var sums = asked
            var lines: Int64 = 0
            for part in sent {
                try Self.add(part.amount, part.currency, to: &sums)
                lines += part.lines
            }
            guard try worth.cents(sums) <= most, lines < Self.linesMax else {
                throw APIError(.stepUpRequired)
            }
            try await transaction.execute(
                StepUpStatements.announce,
                user,
                operation,
                announced.key.code,
                announced.value,
                Self.announcedSeconds
            )
        }
    }

    private static func add(
        _ amount: Int64,
        _ currency: Currency,
        to sums: inout [Currency: Int64]
    ) throws(APIError) {
        let (sum, isTooLarge) = sums[currency, default: 0].addingReportingOverflow(amount)
        guard !isTooLarge else { throw APIError(.stepUpRequired) }
        sums[currency] = sum
    }

    /// What sums are worth in euro cents, by the rates of a day.
    private struct Worth {
        let history: RateHistory
        let day: Day

        /// - Throws: `step-up-required` for what has no rate, or no room.
        func cents(_ sums: [Currency: Int64]) throws(APIError) -> Int64 {
            var total: Int64 = 0
            for (currency, sum) in sums {
                let (next, isTooLarge) = total.addingReportingOverflow(try cents(sum, currency))
                guard !isTooLarge else { throw APIError(.stepUpRequired) }
                total = next
            }
            return total
        }

        private func cents(_ amount: Int64, _ currency: Currency) throws(APIError) -> Int64 {
            do throws(RateError) {
                let rate = try history.required(from: currency, to: .eur, on: day)
                return try rate.credit(for: amount)
            } catch { throw APIError(.stepUpRequired) }
        }
    }

    /// Announces no longer what was let pass: all of it is posted or refused.
    func withdraw(_ operation: ID<Posting.Operation>, of user: ID<User>) async throws {
        try await database.execute(StepUpStatements.withdraw, user, operation)
    }
}
