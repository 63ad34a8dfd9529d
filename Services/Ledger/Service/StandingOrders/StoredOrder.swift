import Schedules
import WalletProtocol

/// A standing order, as it is stored.
struct StoredOrder: Scheduled, Sendable {
    let id: ID<StandingOrder>
    let user: ID<User>
    let from: ID<Account>
    let to: ID<Account>
    /// Whether both accounts are the same person's.
    let isOwn: Bool
    /// The currency of what arrives.
    let target: Currency
    /// What the account that pays is debited each time.
    var amount: Money
    var reference: String?
    var rule: RecurrenceRule
    /// The first day.
    let anchor: Day
    var nextNumber = 0
    var nextDay: Day?
    var isActive = true
    /// Whether its amount and rule stand under a fresh proof.
    var isProved: Bool
    var version: Int32 = 1
    let createdAt: Instant

    /// One that is about to be made.
    init(
        _ body: NewStandingOrder,
        of parties: Parties,
        from first: Day,
        reference: String?,
        isProved: Bool
    ) {
        id = .new()
        user = parties.from.owner
        from = parties.from.id
        to = parties.to.id
        isOwn = parties.areOneOwners
        target = parties.to.currency
        amount = body.amount
        self.reference = reference
        rule = body.rule
        anchor = first
        nextDay = body.rule.day(0, from: first)
        self.isProved = isProved
        createdAt = id.instant
    }

    /// From a row.
    init(
        id: ID<StandingOrder>,
        user: ID<User>,
        from: ID<Account>,
        to: ID<Account>,
        isOwn: Bool,
        target: Currency,
        amount: Money,
        rule: RecurrenceRule,
        anchor: Day,
        isProved: Bool,
        createdAt: Instant
    ) {
        self.id = id
        self.user = user
        self.from = from
        self.to = to
        self.isOwn = isOwn
        self.target = target
        self.amount = amount
        self.rule = rule
        self.anchor = anchor
        self.isProved = isProved
        self.createdAt = createdAt
    }

    /// Takes a change for all that is to come; whether there is anything to write.
    ///
    /// Where it resumes, or has another rule, what has passed is not made up for, and no day comes
    /// twice.
    /// - Parameter last: the newest day that was paid or skipped.
    mutating func take(
        _ change: StandingOrderChange,
        last: Day?,
        today: Day
    ) throws(APIError) -> Bool {
        let isChanged =
            !change.amount.isUnchanged || !change.reference.isUnchanged
            || !change.rule.isUnchanged || !change.isPaused.isUnchanged
        reference = change.reference.applied(to: reference).map(composed)
        amount = change.amount.applied(to: amount)
        rule = change.rule.applied(to: rule)
        let errors = StoredOrder.faults(of: rule, from: anchor, reference)
        guard errors.isEmpty else { throw APIError(.invalidBody, errors: errors) }
        let wasActive = isActive
        isActive = !change.isPaused.applied(to: !isActive)
        if !change.rule.isUnchanged || (isActive && !wasActive) {
            goOn(from: today, last: last)
        }
        return isChanged
    }

    /// What is wrong with what an order is made of, or changed to.
    static func faults(
        of rule: RecurrenceRule,
        from first: Day,
        _ reference: String?
    ) -> [FieldError] {
        var errors = [rule.fault(from: first)].compactMap(\.self)
        if !TransferPlanner.hasRoom(for: reference) {
            let detail = "is too long in normal form C"
            errors.append(FieldError(pointer: "/reference", code: .tooLong, detail: detail))
        }
        return errors
    }

    /// What a person sees of it.
    func view(payee: Payee, last: StandingOrderExecution?) -> StandingOrderView {
        StandingOrderView(
            id: id,
            fromAccountID: from,
            toAccountID: isOwn ? to : nil,
            toIBAN: isOwn ? nil : payee.iban,
            payee: payee.name,
            amount: amount,
            currency: target,
            reference: reference,
            rule: rule,
            startDate: anchor,
            nextDate: isActive ? nextDay : nil,
            isPaused: !isActive,
            last: last,
            version: Int(version),
            createdAt: createdAt
        )
    }

    /// Who gets it, as they are called now.
    struct Payee: Sendable {
        let owner: ID<User>
        /// Masked; of nobody any more once they are erased.
        let name: String?
        let iban: String?

        init(owner: ID<User>, ownerName: String, iban: String?) {
            self.owner = owner
            name = ownerName.isEmpty ? nil : masked(ownerName)
            self.iban = iban
        }
    }
}

/// A standing order with what is told beside it.
struct StandingOrderRow: Sendable {
    let order: StoredOrder
    let payee: StoredOrder.Payee
    let last: StandingOrderExecution?

    var view: StandingOrderView { order.view(payee: payee, last: last) }
    var tag: String { String(order.version) }
}
