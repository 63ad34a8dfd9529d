import Schedules
import ServiceKit
import WalletProtocol

/// An allowance that comes again, as it is stored.
struct RecurringAllowance: Scheduled, Sendable {
    /// As many may one parent pay.
    static let perParentMax: Int64 = 100

    let id: ID<Recurrence>
    let family: ID<Family>
    let child: ID<User>
    /// Who pays it, and under whose right.
    let parent: ID<User>
    /// What each is.
    var terms: Terms
    var rule: RecurrenceRule
    /// The first day, which was paid as it was made.
    let anchor: Day
    var nextNumber = 1
    var nextDay: Day?
    var isActive = true
    var version: Int32 = 1
    let createdAt: Instant

    /// What is paid, and by which account under which proof.
    struct Terms: Sendable, Hashable {
        var amount: Money
        /// None: it is recorded as income of the child's.
        var account: ID<Account>?
        var name: String?
        /// Whether it was ordered under a fresh proof.
        var isProved: Bool
    }

    /// What a change makes of it.
    struct Changed: Sendable {
        var allowance: RecurringAllowance
        /// What the ledger is asked for before, where more is to be paid from an account.
        var agreement: AllowanceAgreement?
        let isAnother: Bool
        /// Whether the days to come are counted anew.
        let goesOn: Bool
    }

    /// Takes a change for what has not come yet.
    ///
    /// What is paid from an account is under the right of the parent who pays: others may ask for
    /// less, never for more.
    /// - Throws: `forbidden`, or what is wrong with the fields.
    func taking(
        _ change: AllowanceChange,
        by user: ID<User>,
        isProved: Bool
    ) throws(APIError) -> Changed {
        var next = self
        next.terms.amount = change.amount.applied(to: terms.amount)
        next.terms.account = change.fromAccountID.applied(to: terms.account)
        next.terms.name = change.name.applied(to: terms.name)
        next.rule = change.rule.applied(to: rule)
        next.isActive = change.isActive.applied(to: isActive)
        let resumes = next.isActive && !isActive
        let asksForMore =
            next.terms.amount.minorUnits > terms.amount.minorUnits || next.rule != rule
            || next.terms.account != terms.account || resumes
        if user != parent {
            let isOthers = terms.account != nil && asksForMore
            guard !isOthers, change.fromAccountID.isUnchanged else { throw APIError(.forbidden) }
        }
        var faults: [FieldError] = []
        if next.terms.amount.currency != terms.amount.currency {
            let detail = "must be the family's currency, \(terms.amount.currency)"
            faults.note("/amount/currency", .currencyMismatch, detail)
        }
        if let fault = next.rule.fault(from: anchor) { faults.append(fault) }
        try faults.check()
        var agreement: AllowanceAgreement?
        if asksForMore, let account = next.terms.account {
            agreement = AllowanceAgreement(fromAccountID: account, amount: next.terms.amount)
            next.terms.isProved = isProved
        }
        return Changed(
            allowance: next,
            agreement: agreement,
            isAnother: next.terms != terms || next.rule != rule || next.isActive != isActive,
            goesOn: resumes || next.rule != rule
        )
    }

    /// As members see it; the account is its owner's to see.
    func view(last: PastAllowance?, for user: ID<User>) -> RecurringAllowanceView {
        RecurringAllowanceView(
            id: id,
            childID: child,
            parentID: parent,
            amount: terms.amount,
            isTransfer: terms.account != nil,
            fromAccountID: user == parent ? terms.account : nil,
            name: terms.name,
            rule: rule,
            startDate: anchor,
            nextDate: isActive ? nextDay : nil,
            isActive: isActive,
            last: last,
            version: Int(version),
            createdAt: createdAt
        )
    }
}

/// A recurring allowance, the newest of its days, and where the parent who pays is.
struct RecurringAllowanceRow: Sendable {
    let allowance: RecurringAllowance
    let last: PastAllowance?
    let zone: String

    var tag: String { String(allowance.version) }

    func view(for user: ID<User>) -> RecurringAllowanceView {
        allowance.view(last: last, for: user)
    }
}

/// A day that has come, with what is paid on it.
struct DueAllowance: Sendable {
    let recurrence: ID<Recurrence>
    let day: Day
    let family: ID<Family>
    let child: ID<User>
    let parent: ID<User>
    let terms: RecurringAllowance.Terms

    /// What the ledger pays once for: the same for as long as there is that day.
    var order: ID<AllowanceOrder> { ID(digesting: day.text, in: "allowance \(recurrence.text)") }

    /// For the ledger.
    var payment: AllowancePayment {
        AllowancePayment(
            familyID: family,
            childID: child,
            parentID: parent,
            amount: terms.amount,
            fromAccountID: terms.account,
            name: terms.name,
            isProved: terms.isProved
        )
    }
}
