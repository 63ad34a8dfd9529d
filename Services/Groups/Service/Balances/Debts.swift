/// Who owes whom, from where each one stands.
enum Debts {
    /// A part of what is open, in minor units above zero; the two are places in the list given.
    struct Payment: Equatable, Sendable {
        let debtor: Int
        let creditor: Int
        let amount: Int64
    }

    /// Among how many open balances the fewest payments are looked for: each one more doubles that.
    static let exactMax = 12

    /// The fewest payments that bring every balance to zero; for more than `exactMax` people, few.
    ///
    /// The same balances always give the same payments. What a part of one of them leaves open is
    /// paid by no more payments than before.
    /// - Parameter balances: above zero: is owed. They sum to zero.
    static func simplified(_ balances: [Int64]) -> [Payment] {
        let open = balances.indices.filter { balances[$0] != 0 }
        guard open.count <= exactMax else { return byAmount(balances) }
        return circles(open, balances).flatMap { inOrder($0, balances) }
    }

    /// The most circles that open balances can be parted into, each of which sums to zero: each one
    /// saves a payment, for so many people settle by one payment fewer.
    private static func circles(_ open: [Int], _ balances: [Int64]) -> [[Int]] {
        guard !open.isEmpty else { return [] }
        let all = (1 << open.count) - 1
        // Of each set of people, a bit each: its sum, and the most circles that it can be parted
        // into, the last of which need not be whole.
        var sums = [Int128](repeating: 0, count: all + 1)
        var counts = [Int](repeating: 0, count: all + 1)
        for set in 1...all {
            let lowest = set.trailingZeroBitCount
            sums[set] = sums[set & (set - 1)] + Int128(balances[open[lowest]])
            let most = open.indices.lazy.filter { set >> $0 & 1 == 1 }.map { counts[set ^ 1 << $0] }
            counts[set] = (most.max() ?? 0) + (sums[set] == 0 ? 1 : 0)
        }
        var circles: [[Int]] = []
        var set = all
        while set != 0 {
            if sums[set] == 0 { circles.append([]) }
            let wanted = counts[set] - (sums[set] == 0 ? 1 : 0)
            let next = open.indices.first { set >> $0 & 1 == 1 && counts[set ^ 1 << $0] == wanted }
            // Cannot fail: a count is made of one of these.
            guard let next, !circles.isEmpty else { return [open] }
            circles[circles.count - 1].append(open[next])
            set ^= 1 << next
        }
        return circles.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    }

    /// Debtors in their order to creditors in theirs: part of one payment leaves the others alone.
    private static func inOrder(_ people: [Int], _ balances: [Int64]) -> [Payment] {
        var open = balances
        var payments: [Payment] = []
        for debtor in people {
            for creditor in people where open[debtor] < 0 && open[creditor] > 0 {
                // The lesser of the two as a negative number: the least one has no counterpart.
                let amount = max(open[debtor], -open[creditor])
                payments.append(Payment(debtor: debtor, creditor: creditor, amount: -amount))
                open[debtor] -= amount
                open[creditor] += amount
            }
        }
        return payments
    }

    /// Few payments: at most one fewer than balances not zero.
    ///
    /// Members with opposite equal balances are paired first; the rest by largest debtor to largest
    /// creditor. Ties fall by place.
    private static func byAmount(_ balances: [Int64]) -> [Payment] {
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
