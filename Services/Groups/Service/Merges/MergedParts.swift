import WalletProtocol

// What names a guest names the member who the guest is; where it names both, their parts add up.

extension MemberDebt {
    /// The same between others; nil where both of its sides are one then.
    func naming(_ member: ID<Member>, insteadOf guest: ID<Member>) -> MemberDebt? {
        let debtor = debtor == guest ? member : debtor
        let creditor = creditor == guest ? member : creditor
        guard debtor != creditor else { return nil }
        return MemberDebt(debtor: debtor, creditor: creditor, amount: amount)
    }
}

extension [ExpenseDraft.Part] {
    /// Amounts of both are one; so many of one side fit, for they sum to the expense.
    fileprivate func naming(_ member: ID<Member>, insteadOf guest: ID<Member>) -> Self {
        var parts: Self = []
        for part in self {
            let name = part.member == guest ? member : part.member
            if let index = parts.firstIndex(where: { $0.member == name }) {
                let amount = parts[index].amount + part.amount
                parts[index] = ExpenseDraft.Part(member: name, amount: amount)
            } else {
                parts.append(
                    ExpenseDraft.Part(member: name, amount: part.amount, value: part.value)
                )
            }
        }
        return parts
    }

    /// By stated amounts, which the values say.
    fileprivate func exact(in currency: Currency) -> Self {
        map { part in
            ExpenseDraft.Part(
                member: part.member,
                amount: part.amount,
                value: ExactDecimal(coefficient: part.amount, scale: currency.exponent)
            )
        }
    }
}

extension SplitItem {
    fileprivate func naming(_ member: ID<Member>, insteadOf guest: ID<Member>) -> SplitItem {
        SplitItem(
            name: name,
            amount: amount,
            memberIDs: memberIDs.map { $0 == guest ? member : $0 }
        )
    }
}

extension ExpenseDraft {
    /// An expense that stands, of a member instead of a guest.
    ///
    /// Where both bear it, by stated amounts: no other kind says that one has two parts.
    init(_ expense: ExpenseView, naming member: ID<Member>, insteadOf guest: ID<Member>) {
        let old = ExpenseDraft(of: expense)
        let values = Dictionary(
            (expense.split?.parts ?? []).map { ($0.memberID, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        let shares = old.shares.map {
            Part(member: $0.member, amount: $0.amount, value: values[$0.member] ?? nil)
        }.naming(member, insteadOf: guest)
        let isBoth = shares.count < old.shares.count && old.splitKind != nil
        details = old.details
        amount = old.amount
        day = old.day
        payments = old.payments.naming(member, insteadOf: guest)
        splitKind = isBoth ? .exact : old.splitKind
        self.shares = isBoth ? shares.exact(in: old.amount.currency) : shares
        items = isBoth ? [] : old.items.map { $0.naming(member, insteadOf: guest) }
    }
}

extension NewExpense {
    /// What comes again, of a member instead of a guest.
    /// - Parameter day: by which it is divided, where both bear it.
    func naming(
        _ member: ID<Member>,
        insteadOf guest: ID<Member>,
        dividedOn day: Day
    ) -> NewExpense {
        let payers = paidBy.map { paidBy in
            paidBy.map { ExpenseDraft.Part(member: $0.memberID, amount: $0.amount.minorUnits) }
                .naming(member, insteadOf: guest)
                .map {
                    MemberAmount(
                        memberID: $0.member,
                        amount: Money(minorUnits: $0.amount, amount.currency)
                    )
                }
        }
        return NewExpense(
            name: name,
            amount: amount,
            paidBy: payers,
            split: split.map { renamed($0, naming: member, insteadOf: guest, day) },
            description: description,
            categoryID: categoryID,
            tags: tags,
            location: location
        )
    }

    private func renamed(
        _ split: Split,
        naming member: ID<Member>,
        insteadOf guest: ID<Member>,
        _ day: Day
    ) -> Split {
        let items = split.items ?? []
        let bearers = Set(split.parts.map(\.memberID) + items.flatMap(\.memberIDs))
        var checks = ExpenseChecks(amount: amount, day: day, members: bearers)
        if bearers.isSuperset(of: [member, guest]) {
            let parts = checks.shares(split).naming(member, insteadOf: guest)
                .exact(in: amount.currency)
            guard checks.errors.isEmpty else { return split }
            return Split(
                kind: .exact,
                parts: parts.map { SplitPart(memberID: $0.member, value: $0.value) }
            )
        }
        return Split(
            kind: split.kind,
            parts: split.parts.map {
                SplitPart(memberID: $0.memberID == guest ? member : $0.memberID, value: $0.value)
            },
            items: split.items.map { $0.map { $0.naming(member, insteadOf: guest) } }
        )
    }
}
