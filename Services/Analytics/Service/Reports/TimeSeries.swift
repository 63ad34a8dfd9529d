import WalletProtocol

/// Puts sums into the points of a report over time: every interval has one.
struct TimeSeries {
    let buckets: Buckets
    let currency: Currency

    private func total(_ units: Int128) -> Total { Total(minorUnits: units, currency) }

    private func flows(_ rows: [ReportRow]) -> [ReportFlow] {
        var flows = buckets.periods.map { _ in ReportFlow([]) }
        for row in rows where row.missing == nil {
            // Those of the database: from 1, one an interval.
            let index = Int(row.bucket) - 1
            if flows.indices.contains(index) { flows[index].add(row) }
        }
        return flows
    }

    /// One series.
    func series(of rows: [ReportRow], _ category: CategoryID?) throws(MoneyError) -> TrendSeries {
        let whole = ReportFlow(rows)
        var points: [TrendPoint] = []
        for (period, flow) in zip(buckets.periods, flows(rows)) {
            points.append(
                TrendPoint(
                    from: period.from,
                    to: period.to,
                    income: total(flow.income),
                    expenses: total(flow.expenses),
                    net: try flow.net(in: currency)
                )
            )
        }
        return TrendSeries(
            categoryID: category,
            income: total(whole.income),
            expenses: total(whole.expenses),
            net: try whole.net(in: currency),
            points: points
        )
    }

    /// A series for each category at the top, the one that moved most first.
    /// - Throws: `.invalidQuery` where these would have too many points.
    func byCategory(_ rows: [ReportRow], _ rollUp: CategoryRollUp) throws -> [TrendSeries] {
        var byTop: [CategoryID: [ReportRow]] = [:]
        for row in rows {
            if let category = row.category {
                byTop[rollUp.top(of: category), default: []].append(row)
            }
        }
        guard byTop.count * buckets.periods.count <= Reports.allPointsMax else {
            throw APIError.query(
                "interval",
                .tooMany,
                "is of more than \(Reports.allPointsMax) points for \(byTop.count) categories: ask "
                    + "for longer ones, a shorter time, or some of the categories"
            )
        }
        let order = byTop.map { (id: $0.key, rows: $0.value, size: ReportFlow($0.value).both) }
            .sorted { ($1.size, $0.id) < ($0.size, $1.id) }
        return try order.map { try series(of: $0.rows, $0.id) }
    }

    func cashFlow(_ rows: [ReportRow]) throws(MoneyError) -> [CashFlowPoint] {
        var sum = Total.zero(currency)
        var points: [CashFlowPoint] = []
        for (period, flow) in zip(buckets.periods, flows(rows)) {
            let net = try flow.net(in: currency)
            sum = try sum.adding(net)
            points.append(
                CashFlowPoint(
                    from: period.from,
                    to: period.to,
                    inflow: total(flow.income),
                    outflow: total(flow.expenses),
                    net: net,
                    cumulative: sum
                )
            )
        }
        return points
    }
}
