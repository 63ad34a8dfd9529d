/// Who owes whom, from where each one stands.
enum Debts {
    /// A part of what is open, in minor units above zero; the two are places in the list given.
    struct Payment: Equatable, Sendable {
        let debtor: Int
        let creditor: Int
        let amount: Int64
    }

    /// Few payments that bring every balance to zero: at most one fewer than balances not zero.
    ///
    /// Members with opposite equal balances are paired first; the rest by largest debtor to largest
    /// creditor. Ties fall by place, so the same balances always give the same payments.
    /// (The very fewest would be a search over all subsets that sum to zero; this is what it is for
    /// pairs.)
    /// - Parameter balances: above zero: is owed. They sum to zero.
    static func simplified(_ balances: [Int64]) -> [Payment] {
        var open = balances
        var payments: [Payment] = []
        var creditorsByAmount: [Int64: [Int]] = [:]
        for index in open.indices.reversed() where open[index] > 0 {
            creditorsByAmount[open[index], default: []].append(index)
        }
        for debtor in open.indices where open[debtor] < 0 && open[debtor] > .min {
            guard let creditor = creditorsByAmount[-open[debtor]]?.popLast() else { continue }
            payments.append(Payment(debtor: debtor, creditor: creditor, amount: -open[debtor]))
            open[creditor] = 0
            open[debtor] = 0
        }
        while let debtor = open.indices.min(by: { open[$0] < open[$1] }), open[debtor] < 0,
            let creditor = open.indices.min(by: { open[$0] > open[$1] }), open[creditor] > 0
        {
            // The lesser of the two as a negative number: the least one has no counterpart.
            let amount = max(open[debtor], -open[creditor])
            payments.append(Payment(debtor: debtor, creditor: creditor, amount: -amount))
            open[debtor] -= amount
            open[creditor] += amount
        }
        return payments
    }

    /// What one expense makes each owe each: debtors in their order to creditors in theirs.
    ///
    /// - Parameters:
    ///   - paid: what each paid; sums to the expense.
    ///   - owed: what each bears; sums to the expense.
    /// - Returns: payments after which nobody has paid more or less than they bear.
    static func pairwise(paid: [Int64], owed: [Int64]) -> [Payment] {
        // Both lie between zero and the amount, so that no difference overflows.
        var credit = zip(paid, owed).map { $0 - $1 }
        var payments: [Payment] = []
        var creditor = credit.startIndex
        for debtor in credit.indices {
            while credit[debtor] < 0 {
                while creditor < credit.endIndex, credit[creditor] <= 0 { creditor += 1 }
                guard creditor < credit.endIndex else { return payments }
                let amount = min(-credit[debtor], credit[creditor])
                payments.append(Payment(debtor: debtor, creditor: creditor, amount: amount))
                credit[debtor] += amount
                credit[creditor] -= amount
            }
        }
        return payments
    }
}
