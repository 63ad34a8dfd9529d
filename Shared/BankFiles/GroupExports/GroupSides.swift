import WalletProtocol

/// Who paid and who bears a row.
///
/// Splitwise does not tell shares from payments. Whoever is owed something paid it, whoever owes
/// bears it; what is left of the cost was paid by the payers for themselves, in proportion to what
/// they are owed. So with one payer all is as it was; with several the cost and what everybody is
/// owed are exact, and how much the payers bear themselves is the one guess.
struct GroupSides: Hashable {
    let kind: GroupExportRow.Kind
    private(set) var amount: Int64
    private(set) var paid: [GroupExportRow.Part]
    private(set) var shares: [GroupExportRow.Part]

    /// The same with the other sign.
    private var negated: GroupSides {
        var sides = self
        sides.amount = -amount
        sides.paid = paid.map(\.negated)
        sides.shares = shares.map(\.negated)
        return sides
    }

    /// A row whose two sides the file states, each of them above zero and summing to `amount`.
    ///
    /// - Parameter amount: below zero: money that came back.
    init(
        amount: Int64,
        paid: [GroupExportRow.Part],
        shares: [GroupExportRow.Part],
        isPayment: Bool
    ) throws(GroupRowFault) {
        guard paid.count <= GroupExportLimits.payersMax else {
            throw GroupRowFault("more than \(GroupExportLimits.payersMax) people paid")
        }
        let isOfTwo = paid.count == 1 && shares.count == 1 && paid[0].person != shares[0].person
        self.amount = amount
        kind = isPayment && isOfTwo && amount > 0 ? .payment : .expense
        self.paid = amount < 0 ? paid.map(\.negated) : paid
        self.shares = amount < 0 ? shares.map(\.negated) : shares
    }

    /// The parts of one side, whose sum is `whole`.
    ///
    /// What rounding leaves is at most a minor unit of each, and falls on them as odd units do.
    /// - Parameter stated: each person's part, whatever its sign; zero: none.
    static func parts(
        _ stated: [Int64],
        of whole: Int64,
        on day: Day
    ) throws(GroupRowFault) -> [GroupExportRow.Part] {
        var parts: [GroupExportRow.Part] = []
        var left = whole
        for (person, units) in stated.enumerated() where units != 0 {
            let (rest, isOver) = left.subtractingReportingOverflow(abs(units))
            if isOver { throw GroupRowFault("what is borne or was paid comes to too much") }
            left = rest
            parts.append(GroupExportRow.Part(person: person, amount: abs(units)))
        }
        guard left.magnitude <= UInt64(parts.count) else {
            throw GroupRowFault("what is borne or was paid does not sum to the amount")
        }
        return try divided(whole, parts, on: day)
    }

    /// A whole in proportion to the parts.
    static func divided(
        _ whole: Int64,
        _ weights: [GroupExportRow.Part],
        on day: Day
    ) throws(GroupRowFault) -> [GroupExportRow.Part] {
        let divided = try? Division.proportional(
            whole,
            weights: weights.map(\.amount),
            turn: Division.Turn(on: day, whole)
        )
        guard let divided else { throw GroupRowFault("nobody bears it, or nobody paid it") }
        return zip(weights, divided).map { GroupExportRow.Part(person: $0.person, amount: $1) }
            .filter { $0.amount > 0 }
    }

    /// - Throws: where the two do not go together.
    init(cost: Int64, nets: [Int64], isPayment: Bool, on day: Day) throws(GroupRowFault) {
        guard cost < 0 else {
            let turn = Division.Turn(on: day, cost)
            try self.init(spent: cost, nets: nets, isPayment: isPayment, turn)
            return
        }
        // Money that came back is shared as it would be spent. Both are within the bound of what
        // may be sent, so that the negation fits.
        let spent = try GroupSides(
            spent: -cost,
            nets: nets.map { -$0 },
            isPayment: false,
            Division.Turn(on: day, cost)
        )
        self = spent.negated
    }

    private init(
        spent cost: Int64,
        nets: [Int64],
        isPayment: Bool,
        _ turn: Division.Turn
    ) throws(GroupRowFault) {
        var (owed, owing): ([GroupExportRow.Part], [GroupExportRow.Part]) = ([], [])
        var (positive, negative): (Int64, Int64) = (0, 0)
        for (person, net) in nets.enumerated() where net != 0 {
            let part = GroupExportRow.Part(person: person, amount: abs(net))
            if net > 0 { owed.append(part) } else { owing.append(part) }
            // One hundred amounts within the bound of those that are sent: at an exponent of 4 it
            // is 10 to the 17th, and their sum may not fit.
            let (sum, isOver) = (net > 0 ? positive : negative)
                .addingReportingOverflow(part.amount)
            if isOver { throw GroupRowFault("what people owe comes to too much") }
            if net > 0 { positive = sum } else { negative = sum }
        }
        guard positive == negative else {
            throw GroupRowFault("what people are owed and owe does not sum to zero")
        }
        guard positive > 0 else {
            throw .note("nobody owes anybody: no balance changes, and who paid is not told")
        }
        if isPayment, owed.count == 1, owing.count == 1, cost == positive {
            (kind, amount, paid, shares) = (.payment, positive, owed, owing)
            return
        }
        guard cost >= positive else {
            throw GroupRowFault("people are owed more than it cost")
        }
        guard owed.count <= GroupExportLimits.payersMax else {
            throw GroupRowFault("more than \(GroupExportLimits.payersMax) people paid")
        }
        let own = try? Division.proportional(
            cost - positive,
            weights: owed.map(\.amount),
            turn: turn
        )
        // Cannot fail: the weights are above zero, and their sum was counted.
        guard let own else { throw GroupRowFault("nobody paid it") }
        kind = .expense
        amount = cost
        paid = zip(owed, own).map {
            GroupExportRow.Part(person: $0.person, amount: $0.amount + $1)
        }
        shares = GroupSides.joined(zip(owed, own).map { ($0.person, $1) }, owing)
    }

    private static func joined(
        _ own: [(Int, Int64)],
        _ owing: [GroupExportRow.Part]
    ) -> [GroupExportRow.Part] {
        let own = own.filter { $0.1 > 0 }.map { GroupExportRow.Part(person: $0.0, amount: $0.1) }
        return (own + owing).sorted { $0.person < $1.person }
    }
}
