import WalletProtocol

/// What is open in one currency of a group, for two members who settle.
///
/// Two may settle what the one owes the other directly. Beyond that, whoever is in the red on the
/// whole may pay whoever is in the black, as the simplified payments tell them to: then the payer's
/// debts to others, and others' debts to the payee, become debts of these others with each other.
/// Who pays is decided by the simplified payment between the two, else by the direct debt, else by
/// who is in the red: a settlement names no direction.
struct OpenDebts {
    let currency: Currency
    private var directs: [Sides: Int64] = [:]
    private let balances: [BalanceRow]
    private let payments: [MemberDebt]

    /// Who owes whom.
    private struct Sides: Hashable {
        let debtor: ID<Member>
        let creditor: ID<Member>
    }

    /// - Parameters:
    ///   - pairs: everything open with any of the two, in this currency.
    ///   - balances: where everybody stands, in this currency.
    ///   - simplifies: whether a debt may be paid to somebody else than whom it is owed to.
    init(
        _ currency: Currency,
        pairs: [PairBalance],
        balances: [BalanceRow],
        simplifies: Bool = true
    ) {
        self.currency = currency
        self.balances = simplifies ? balances : []
        payments = BalanceStore.simplified(self.balances)
        for debt in pairs.map({ $0.debt }) {
            let sides = Sides(debtor: debt.debtor, creditor: debt.creditor)
            directs[sides] = debt.amount.minorUnits
        }
    }

    private func direct(_ debtor: ID<Member>, _ creditor: ID<Member>) -> Int64 {
        directs[Sides(debtor: debtor, creditor: creditor)] ?? 0
    }

    private func balance(_ member: ID<Member>) -> Int64 {
        balances.first { $0.member == member }?.amount.minorUnits ?? 0
    }

    /// What one may pay another for both to come nearer to zero.
    private func crossing(_ debtor: ID<Member>, _ creditor: ID<Member>) -> Int64 {
        max(0, min(-balance(debtor), balance(creditor)))
    }

    /// Who of the two pays whom; nil where nothing is open between them.
    private func sides(_ one: ID<Member>, _ other: ID<Member>) -> Sides? {
        let ways = [
            Sides(debtor: one, creditor: other), Sides(debtor: other, creditor: one),
        ]
        return ways.first { simplified($0) != nil }
            ?? ways.first { direct($0.debtor, $0.creditor) > 0 }
            ?? ways.first { crossing($0.debtor, $0.creditor) > 0 }
    }

    private func simplified(_ sides: Sides) -> MemberDebt? {
        payments.first { $0.debtor == sides.debtor && $0.creditor == sides.creditor }
    }

    /// Everything open between the two: the direct debt; where there is none, what the simplified
    /// payments have the one pay the other.
    func whole(between one: ID<Member>, and other: ID<Member>) -> MemberDebt? {
        guard let sides = sides(one, other) else { return nil }
        let amount = direct(sides.debtor, sides.creditor)
        return amount > 0 ? debt(sides.debtor, sides.creditor, amount) : simplified(sides)
    }

    /// The most that one of the two may pay the other; nil where nothing is open.
    func largest(between one: ID<Member>, and other: ID<Member>) -> MemberDebt? {
        guard let sides = sides(one, other) else { return nil }
        let (debtor, creditor) = (sides.debtor, sides.creditor)
        return debt(
            debtor,
            creditor,
            max(direct(debtor, creditor), crossing(debtor, creditor))
        )
    }

    /// What one pays the other: so much, or everything; nil where nothing is open between them.
    /// - Throws: `settlement-too-large`, where it is more than one of the two may pay the other.
    func payment(
        of asked: Int64?,
        between one: ID<Member>,
        and other: ID<Member>
    ) throws(APIError) -> MemberDebt? {
        guard let asked else { return whole(between: one, and: other) }
        guard let largest = largest(between: one, and: other) else { return nil }
        guard asked <= largest.amount.minorUnits else {
            throw APIError(.settlementTooLarge, "\(largest.amount) is open")
        }
        return debt(largest.debtor, largest.creditor, asked)
    }

    private func debt(
        _ debtor: ID<Member>,
        _ creditor: ID<Member>,
        _ amount: Int64
    ) -> MemberDebt {
        MemberDebt(
            debtor: debtor,
            creditor: creditor,
            amount: Money(minorUnits: amount, currency)
        )
    }

    /// The debts that a payment within `largest` adds: first against the direct debt, what is above
    /// it against the payer's other debts and the payee's other claims, in the order of members.
    func changes(by payment: MemberDebt) -> [MemberDebt] {
        let (payer, payee) = (payment.debtor, payment.creditor)
        let direct = min(payment.amount.minorUnits, direct(payer, payee))
        let above = payment.amount.minorUnits - direct
        var changes: [MemberDebt] = []
        if direct > 0 { changes.append(debt(payee, payer, direct)) }
        var freed = take(above, of: directs.filter { $0.key.debtor == payer }, but: payee) {
            $0.creditor
        }
        var owing = take(above, of: directs.filter { $0.key.creditor == payee }, but: payer) {
            $0.debtor
        }
        changes += freed.map { debt($0.member, payer, $0.amount) }
        changes += owing.map { debt(payee, $0.member, $0.amount) }
        while let creditor = freed.popLast(), let debtor = owing.popLast() {
            let amount = min(creditor.amount, debtor.amount)
            if creditor.member != debtor.member {
                changes.append(debt(debtor.member, creditor.member, amount))
            }
            if creditor.amount > amount {
                freed.append((creditor.member, creditor.amount - amount))
            }
            if debtor.amount > amount { owing.append((debtor.member, debtor.amount - amount)) }
        }
        return changes
    }

    private func take(
        _ amount: Int64,
        of debts: [Sides: Int64],
        but other: ID<Member>,
        _ member: (Sides) -> ID<Member>
    ) -> [(member: ID<Member>, amount: Int64)] {
        var left = amount
        var taken: [(member: ID<Member>, amount: Int64)] = []
        for (sides, open) in debts.sorted(by: { member($0.key) < member($1.key) })
        where left > 0 && member(sides) != other {
            taken.append((member(sides), min(left, open)))
            left -= min(left, open)
        }
        // A balance is what is owed less what is claimed: nobody in the red owes less than that.
        // Cannot fire: `largest` bounds the payment, and both sums change together (`add`), under
        // the group's lock.
        precondition(left == 0, "a settlement above what is open")
        return taken
    }
}
