import WalletProtocol

/// An expense that has been read and divided: who paid and who bears how much, each side summing to
/// the amount.
struct ExpenseDraft: Sendable, Hashable {
    /// One member's part of a side.
    struct Part: Sendable, Hashable {
        let member: ID<Member>
        let amount: Int64
        /// What a share was made from, as written.
        var value: ExactDecimal?
    }
    let details: ExpenseDetails
    let amount: Money
    let day: Day
    let splitKind: SplitKind?
    let payments: [Part]
    var shares: [Part]
    /// The lines of the bill, of an itemised one.
    let items: [SplitItem]

    /// Reads an expense that a member of a group writes down.
    /// - Parameter faults: what its shape tells of it already.
    /// - Throws: 422 naming every bad field.
    init(
        _ body: NewExpense,
        faults: [FieldError] = [],
        by membership: Membership,
        members: Set<ID<Member>>,
        categories: Set<ID<GroupCategory>> = [],
        today: Day
    ) throws(APIError) {
        let date = body.date ?? today
        var checks = ExpenseChecks(amount: body.amount, day: date, members: members)
        details = ExpenseDetails(body, of: membership.group.id)
        checks.checkCategory(details.category, categories)
        guard faults.isEmpty else { throw checks.refusal(of: body, faults) }
        amount = body.amount
        day = date
        checks.checkRecurrence(body.rule, from: day, today: today)
        splitKind = body.split?.kind
        payments = checks.payments(body.paidBy, by: membership.member)
        checks.checkLink(body, by: membership.member, payments)
        shares = body.split.map { checks.shares($0) } ?? payments
        items = body.split?.items ?? []
        try checks.errors.check()
    }

    /// With the shares that the expense has, where nothing changes that decides them: an edit of
    /// its words moves no odd unit, by whichever rule it was divided.
    func keepingShares(of old: ExpenseView, under body: NewExpense) -> ExpenseDraft {
        guard body.split != nil, body.split == old.split, amount == old.amount, day == old.date
        else { return self }
        var draft = self
        draft.shares = zip(old.shares, shares).map { kept, divided in
            Part(member: kept.memberID, amount: kept.amount.minorUnits, value: divided.value)
        }
        return draft
    }

    /// Both sides as the row of an expense has them.
    var sides: ExpenseSides {
        ExpenseSides(
            payers: payments.map(\.member),
            paid: payments.map(\.amount),
            bearers: shares.map(\.member),
            borne: shares.map(\.amount),
            values: shares.contains { $0.value != nil } ? shares.map { $0.value?.text } : []
        )
    }

    /// What it makes each owe each.
    var debts: [MemberDebt] {
        let members = Array(Set((payments + shares).map(\.member))).sorted()
        var paid = [Int64](repeating: 0, count: members.count)
        var owed = paid
        for (index, member) in members.enumerated() {
            paid[index] = payments.first { $0.member == member }?.amount ?? 0
            owed[index] = shares.first { $0.member == member }?.amount ?? 0
        }
        return Debts.pairwise(paid: paid, owed: owed).map { payment in
            MemberDebt(
                debtor: members[payment.debtor],
                creditor: members[payment.creditor],
                amount: Money(minorUnits: payment.amount, amount.currency)
            )
        }
    }
}

/// Who paid an expense and who bears it, a list for each column.
struct ExpenseSides: Sendable, Hashable {
    let payers: [ID<Member>]
    let paid: [Int64]
    let bearers: [ID<Member>]
    let borne: [Int64]
    /// What the shares were made from; empty where none was.
    let values: [String?]
}
