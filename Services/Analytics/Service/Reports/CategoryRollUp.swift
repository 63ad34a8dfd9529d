import WalletProtocol

/// Adds categories to those that they stand below: there are two levels.
struct CategoryRollUp {
    let parents: [CategoryID: CategoryID]

    /// The category at the top that counts what is booked on one.
    func top(of category: CategoryID) -> CategoryID { parents[category] ?? category }

    private struct Sum {
        var amount: Int128 = 0
        var count: Int64 = 0
        var previous: Int128 = 0
    }

    /// Income less expenses.
    struct Nets {
        /// Booked on each category.
        fileprivate var own: [CategoryID: Int128] = [:]
        /// Booked on each category at the top, or below it.
        fileprivate var tops: [CategoryID: Int128] = [:]
    }

    /// - Parameter flows: sums both ways, by category.
    func nets(of flows: [ReportRow]) -> Nets {
        var nets = Nets()
        for row in flows where row.missing == nil {
            guard let category = row.category else { continue }
            nets.own[category, default: 0] += row.amount
            nets.tops[top(of: category), default: 0] += row.amount
        }
        return nets
    }

    /// What of a report is in which category, the largest first.
    ///
    /// The percents of those at the top add to 100.0, and those of the parts to their category's.
    /// - Parameters:
    ///   - rows: sums one way, by category.
    ///   - before: those of the period before; what is in it alone is not listed.
    ///   - nets: what stands beside each.
    func shares(
        _ rows: [ReportRow],
        before: [ReportRow],
        nets: Nets,
        in currency: Currency
    ) throws(MoneyError) -> [CategoryShare] {
        var sums: [CategoryID: Sum] = [:]
        for row in rows where row.missing == nil {
            guard let category = row.category else { continue }
            sums[category, default: Sum()].amount += abs(row.amount)
            sums[category, default: Sum()].count += row.parts
        }
        var former: [CategoryID: Int128] = [:]
        for row in before where row.missing == nil {
            guard let category = row.category else { continue }
            sums[category]?.previous += abs(row.amount)
            former[top(of: category), default: 0] += abs(row.amount)
        }
        let parts = Dictionary(grouping: sums.keys) { top(of: $0) }
        var tops: [(id: CategoryID, amount: Int128)] = parts.map { top, parts in
            (top, parts.reduce(0) { $0 + (sums[$1]?.amount ?? 0) })
        }
        tops.sort { ($1.amount, $0.id) < ($0.amount, $1.id) }
        let tenths = try Percentages.apportion(1_000, among: tops.map(\.amount))
        var shares: [CategoryShare] = []
        for (top, tenths) in zip(tops, tenths) {
            let below = (parts[top.id] ?? []).compactMap { id in sums[id].map { (id, $0) } }
            shares.append(
                CategoryShare(
                    categoryID: top.id,
                    amount: Total(minorUnits: top.amount, currency),
                    net: Total(minorUnits: nets.tops[top.id] ?? 0, currency),
                    count: Int(below.reduce(0) { $0 + $1.1.count }),
                    percent: ExactDecimal(coefficient: tenths, scale: 1),
                    previous: Total(minorUnits: former[top.id] ?? 0, currency),
                    parts: try Self.parts(below, of: top.id, tenths, nets, currency)
                )
            )
        }
        return shares
    }

    private static func parts(
        _ sums: [(id: CategoryID, sum: Sum)],
        of top: CategoryID,
        _ tenths: Int64,
        _ nets: Nets,
        _ currency: Currency
    ) throws(MoneyError) -> [CategoryPart] {
        guard sums.contains(where: { $0.id != top }) else { return [] }
        let sums = sums.sorted { ($1.sum.amount, $0.id) < ($0.sum.amount, $1.id) }
        let percents = try Percentages.of(sums.map(\.sum.amount), within: tenths)
        return zip(sums, percents).map { part, percent in
            CategoryPart(
                categoryID: part.id,
                amount: Total(minorUnits: part.sum.amount, currency),
                net: Total(minorUnits: nets.own[part.id] ?? 0, currency),
                count: Int(part.sum.count),
                percent: percent,
                previous: Total(minorUnits: part.sum.previous, currency)
            )
        }
    }
}
