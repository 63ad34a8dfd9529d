import WalletProtocol

extension Debts {
    /// The debts that leave somebody who is even on the whole with nothing open: whoever owes them
    /// something owes it to those whom they owe, in the order of members.
    static func passed(on pairs: [PairBalance], by member: ID<Member>) -> [MemberDebt] {
        let standing = pairs.map { $0.debt }
        var claims = standing.filter { $0.creditor == member }.sorted { $0.debtor < $1.debtor }
        var changes = standing.map(\.reversed)
        for owed in standing.filter({ $0.debtor == member }).sorted(by: {
            $0.creditor < $1.creditor
        }) {
            var left = owed.amount.minorUnits
            while left > 0,
                let place = claims.firstIndex(where: {
                    $0.amount.currency == owed.amount.currency && $0.amount.minorUnits > 0
                })
            {
                let claim = claims[place]
                let amount = min(left, claim.amount.minorUnits)
                let part = Money(minorUnits: amount, owed.amount.currency)
                changes.append(
                    MemberDebt(debtor: claim.debtor, creditor: owed.creditor, amount: part)
                )
                let rest = Money(minorUnits: claim.amount.minorUnits - amount, part.currency)
                claims[place] = MemberDebt(debtor: claim.debtor, creditor: member, amount: rest)
                left -= amount
            }
        }
        return changes
    }
}

extension PairBalance {
    /// The same with its sides named.
    ///
    /// The negation fits: the one value without a counterpart is refused (`pair_balance_fits`).
    var debt: MemberDebt {
        let isLowOwing = amount.minorUnits > 0
        return MemberDebt(
            debtor: isLowOwing ? low : high,
            creditor: isLowOwing ? high : low,
            amount: isLowOwing ? amount : Money(minorUnits: -amount.minorUnits, amount.currency)
        )
    }
}
