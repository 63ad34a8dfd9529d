import WalletProtocol

/// What one member owes another for one reason, in units above zero.
struct MemberDebt: Sendable, Hashable {
    let debtor: ID<Member>
    let creditor: ID<Member>
    let amount: Money

    /// The same with the sides changed: what takes it back.
    var reversed: MemberDebt { MemberDebt(debtor: creditor, creditor: debtor, amount: amount) }
}

/// What stands between two members: above zero, the low one owes the high one.
struct PairBalance: Sendable, Hashable {
    let low: ID<Member>
    let high: ID<Member>
    let amount: Money
}

/// Where one member stands: above zero, is owed.
struct BalanceRow: Sendable, Hashable {
    let member: ID<Member>
    let amount: Money
}

/// An open debt between two, and the newest expenses that make it up.
struct ExplainedDebt: Sendable, Hashable {
    let debt: MemberDebt
    let expenses: [DebtExpense]
}
