import Schedules
import WalletProtocol

/// A shared expense that comes again, as it is stored.
struct RecurringExpense: Scheduled, Sendable {
    /// As many days may have passed already when one is made.
    static let passedMax = 1_000
    /// As many may one person have, in all groups.
    static let perPersonMax: Int64 = 500

    let id: ID<Recurrence>
    let group: ID<Group>
    /// Who made it, and writes each down.
    let member: ID<Member>
    let user: ID<User>
    /// What each is; its day and its rule are not in it.
    var expense: NewExpense
    var rule: RecurrenceRule
    /// The first expense's day.
    let anchor: Day
    var nextNumber = 1
    var nextDay: Day?
    var isActive = true
    var version: Int32 = 1
    let createdAt: Instant

    /// The expense of a day.
    func expense(on day: Day, by rule: RecurrenceRule? = nil) -> NewExpense {
        NewExpense(
            name: expense.name,
            amount: expense.amount,
            date: day,
            paidBy: expense.paidBy,
            split: expense.split,
            description: expense.description,
            categoryID: expense.categoryID,
            tags: expense.tags,
            location: expense.location,
            rule: rule
        )
    }

    /// Takes what each is to be from now on; whether there is anything to write.
    mutating func take(_ change: ExpenseRecurrenceChange) -> Bool {
        let old = expense
        let amount = change.amount.applied(to: old.amount)
        // One payer pays all of it, whatever that is now.
        let payers = old.paidBy.map {
            $0.count == 1 ? [MemberAmount(memberID: $0[0].memberID, amount: amount)] : $0
        }
        let paidBy: [MemberAmount]?
        if case .set(let named) = change.paidBy { paidBy = named } else { paidBy = payers }
        expense = NewExpense(
            name: change.name.applied(to: old.name),
            amount: amount,
            paidBy: paidBy,
            split: change.split.applied(to: old.split),
            description: change.description.applied(to: old.description),
            categoryID: change.categoryID.applied(to: old.categoryID),
            tags: change.tags.applied(to: old.tags),
            location: change.location.applied(to: old.location)
        )
        return expense != old
    }

    /// As members see it.
    func view(last: PastExpense?) -> ExpenseRecurrenceView {
        let details = ExpenseDetails(expense, of: group)
        return ExpenseRecurrenceView(
            id: id,
            groupID: group,
            name: details.name,
            amount: expense.amount,
            paidBy: expense.paidBy ?? [MemberAmount(memberID: member, amount: expense.amount)],
            split: expense.split,
            description: details.description,
            categoryID: details.category ?? .others(of: group),
            tags: details.tags,
            location: details.location?.view,
            rule: rule,
            startDate: anchor,
            nextDate: isActive ? nextDay : nil,
            isActive: isActive,
            last: last,
            addedBy: member,
            version: Int(version),
            createdAt: createdAt
        )
    }
}

/// A recurring expense, and the newest of its days.
struct RecurringExpenseRow: Sendable {
    let recurring: RecurringExpense
    let last: PastExpense?

    var view: ExpenseRecurrenceView { recurring.view(last: last) }
    var tag: String { String(recurring.version) }
}

/// One that is due, and whose.
struct DueRecurrence: Sendable, Hashable {
    let group: ID<Group>
    let id: ID<Recurrence>
    let user: ID<User>
}
