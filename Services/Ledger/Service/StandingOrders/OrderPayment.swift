import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// One day of a standing order, in a transaction that holds the order's lock.
///
/// A day has one try, as it begins where the owner is, or as soon as somebody is up to make it:
/// days of downtime are paid late, in their order, and booked on the day on which they are. What is
/// refused is skipped and told, and the next day comes as ever; where no later day could do better
/// the order is paused. An account that others hold just now is no refusal: it comes again.
struct OrderPayment {
    var order: StoredOrder
    let zone: String
    let moment: Instant
    /// Between two currencies.
    let history: RateHistory?
    /// After how many days a rate pays nothing any more; nil: never.
    let rateDaysMax: Int?

    /// What became of a day.
    private enum Outcome {
        case paid(ID<Transfer>)
        case skipped(String, pauses: Bool)
    }

    mutating func run(in transaction: Transaction) async throws {
        guard let day = order.nextDay, day.start(in: zone) <= moment else {
            try await transaction.execute(
                StandingOrderWorkStatements.lookLater,
                order.id,
                order.lookAt(in: zone)
            )
            return
        }
        let outcome = try await pay(day, in: transaction)
        try await note(outcome, of: day, in: transaction)
        order.advance()
        if case .skipped(_, pauses: true) = outcome {
            order.isActive = false
            // Whoever read it as active changes another order.
            order.version += 1
        }
        try await transaction.execute(
            StandingOrderWorkStatements.advance,
            order.id,
            Int32(order.nextNumber),
            order.nextDay,
            order.isActive,
            order.lookAt(in: zone),
            order.version
        )
    }

    private func pay(_ day: Day, in transaction: Transaction) async throws -> Outcome {
        guard let person = try await transaction.queryOne(PeopleStatements.find, order.user)
        else { throw TryAgain() }
        guard let parties = try await parties(in: transaction) else {
            return .skipped(PostingStatus.accountNotFound.rawValue, pauses: true)
        }
        do throws(APIError) { try parties.checkState() } catch {
            return .skipped(error.code.text, pauses: true)
        }
        let plan: TransferPlan
        do { plan = try await self.plan(parties, in: transaction) } catch let error as APIError {
            // There is no rate today, it is too old, or the amount is too small for it.
            return .skipped(error.code.text, pauses: false)
        }
        let posting = plan.posting(
            Posting.Operation(work: "standing order \(order.id)", part: Int(day.daysSince1970)),
            by: order.user,
            person,
            on: CivilDay(of: moment, in: zone)?.day ?? .utc(moment),
            heldUntil: nil
        )
        guard let outcome = try await transaction.post([posting], waits: false).first else {
            throw TryAgain()
        }
        switch outcome.status {
        case .posted: return .paid(outcome.transfer ?? plan.id)
        case .busy, .categoryNotFound: throw TryAgain()
        case .accountClosed, .accountFrozen, .accountNotFound, .counterNotFound, .forbidden,
            .accountKind:
            return .skipped(outcome.status.rawValue, pauses: true)
        case let status: return .skipped(status.rawValue, pauses: false)
        }
    }

    private func parties(in transaction: Transaction) async throws -> Parties? {
        let rows = try await transaction.query(
            AccountStatements.named,
            [order.from, order.to],
            [String]()
        )
        guard let from = rows.first(where: { $0.reference.id == order.from })?.reference,
            let to = rows.first(where: { $0.reference.id == order.to })?.reference
        else { return nil }
        return Parties(from: from, to: to)
    }

    /// What is posted; between two currencies by a quote of its own, as every transfer is.
    private func plan(
        _ parties: Parties,
        in transaction: Transaction
    ) async throws -> TransferPlan {
        guard let history else {
            var plan = TransferPlan(parties, try parties.amounts(of: order.amount, at: nil))
            plan.reference = order.reference
            return plan
        }
        let price = try OrderPrice(
            order.amount,
            in: order.target,
            by: history,
            daysMax: rateDaysMax
        )
        var plan = TransferPlan(parties, (price.debit, price.credit))
        plan.reference = order.reference
        plan.rate = price.rate
        plan.quote = try await price.keep(for: order, in: transaction)
        return plan
    }

    private func note(_ outcome: Outcome, of day: Day, in transaction: Transaction) async throws {
        var transfer: ID<Transfer>?
        var reason: String?
        switch outcome {
        case .paid(let made): transfer = made
        case .skipped(let why, let pauses):
            reason = why
            try await StandingOrderSkipped(
                standingOrderID: order.id,
                userID: order.user,
                day: day,
                amount: order.amount,
                reason: why,
                isPaused: pauses
            ).tell(in: transaction)
        }
        try await transaction.execute(
            StandingOrderWorkStatements.note,
            order.id,
            day,
            Int32(order.nextNumber),
            (reason == nil ? StandingOrderState.paid : .skipped).rawValue,
            transfer,
            reason
        )
    }
}

/// What a day of an order comes to in another currency, at the newest rate.
struct OrderPrice {
    let debit: Int64
    let credit: Int64
    let rate: ExchangeRate

    /// - Throws: `rate-unavailable`, `rate-stale`, `amount-too-small`, `balance-overflow`.
    init(
        _ amount: Money,
        in target: Currency,
        by history: RateHistory,
        daysMax: Int?
    ) throws(APIError) {
        rate = try history.moving(from: amount.currency, to: target, daysMax: daysMax)
        (debit, credit) = try Conversion(from: amount.currency, to: target)
            .amounts(of: amount, at: rate)
    }

    /// Keeps it as a quote, without which nothing is exchanged.
    func keep(for order: StoredOrder, in transaction: Transaction) async throws -> ID<Quote> {
        let id = ID<Quote>.new()
        let stored = StoredRate(rate)
        try await transaction.execute(
            TransferStatements.insertQuote,
            id,
            order.user,
            order.from,
            order.to,
            String?.none,
            debit,
            credit,
            stored.numerator,
            stored.denominator,
            stored.day,
            stored.publisher,
            Instant.now().adding(seconds: QuoteStore.seconds)
        )
        return id
    }
}
