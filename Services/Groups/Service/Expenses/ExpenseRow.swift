import WalletProtocol

/// An expense as its row has it, without its two sides.
struct ExpenseRow: Sendable, Hashable {
    let id: ID<Expense>
    let details: ExpenseDetails
    let amount: Money
    let day: Day
    let splitKind: SplitKind?
    let addedBy: ID<Member>
    let recurrence: ID<Recurrence>?
    let version: Int
    let createdAt: Instant

    /// The expense as members see it.
    func view(
        in group: ID<Group>,
        payments: [ExpenseDraft.Part],
        shares: [ExpenseDraft.Part],
        items: [SplitItem]
    ) -> ExpenseView {
        ExpenseView(
            id: id,
            groupID: group,
            name: details.name,
            amount: amount,
            date: day,
            paidBy: payments.map { memberAmount($0) },
            split: splitKind.map { kind in
                if kind == .itemised { return Split(kind: kind, items: items) }
                let parts = shares.map { SplitPart(memberID: $0.member, value: $0.value) }
                return Split(kind: kind, parts: parts)
            },
            shares: shares.map { memberAmount($0) },
            description: details.description,
            categoryID: details.category ?? .others(of: group),
            tags: details.tags,
            location: details.location?.view,
            addedBy: addedBy,
            recurrenceID: recurrence,
            version: version,
            createdAt: createdAt
        )
    }

    private func memberAmount(_ part: ExpenseDraft.Part) -> MemberAmount {
        MemberAmount(
            memberID: part.member,
            amount: Money(minorUnits: part.amount, amount.currency)
        )
    }
}

/// An expense, removed or not, and what made it so.
struct FoundExpense: Sendable, Hashable {
    let expense: ExpenseRow
    let removedAt: Instant?
    let step: ExpenseStep
}

/// Where a page of expenses begins: behind this one, by day or by amount.
struct ExpensePlace: JSONObject, Hashable {
    let day: Day
    let amount: Int64
    let id: ID<Expense>
    /// None: «Others».
    var category: ID<GroupCategory>?

    static let json = Object(
        ExpensePlace.init(day:amount:id:category:),
        Field("day", \.day),
        Field("amount", \.amount),
        Field("id", \.id),
        Field("category", \.category)
    )
}

extension ExpensePlace {
    init(_ row: ExpenseRow) {
        self.init(
            day: row.day,
            amount: row.amount.minorUnits,
            id: row.id,
            category: row.details.category
        )
    }
}

extension ExpenseDraft {
    /// As members see it once it is written.
    func view(
        _ id: ID<Expense>,
        in group: ID<Group>,
        addedBy: ID<Member>,
        recurrence: ID<Recurrence>?,
        version: Int,
        createdAt: Instant
    ) -> ExpenseView {
        ExpenseRow(
            id: id,
            details: details,
            amount: amount,
            day: day,
            splitKind: splitKind,
            addedBy: addedBy,
            recurrence: recurrence,
            version: version,
            createdAt: createdAt
        ).view(in: group, payments: payments, shares: shares, items: items)
    }
}
