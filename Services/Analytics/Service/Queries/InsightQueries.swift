import Loops
import ServiceKit
import WalletProtocol

/// Answers queries: by what answers the calls of spending and of usage, and by nothing beside.
struct InsightQueries {
    let spending: InsightStore
    let usage: UsageStore
    let blocking: BlockingPool

    /// Answers a query of somebody who may ask.
    /// - Throws: 422 for what those refuse whom it asks.
    func answer(_ asked: AskedInsights, by user: ID<User>) async throws -> InsightAnswer {
        do {
            switch asked.figures {
            case .spending(let query, let measures):
                let view = try await spending.spending(query, by: user)
                return try await blocking.run { Self.answer(view, asked, query, measures) }
            case .usage(let query):
                let view = try await usage.insights(query, by: user)
                return try await blocking.run { Self.answer(view, asked, query) }
            }
        } catch let error as APIError { throw error.inBody() }
    }

    static func answer(
        _ view: SpendingInsights,
        _ asked: AskedInsights,
        _ query: SpendingQuery,
        _ measures: Set<SpendingMeasure>
    ) -> InsightAnswer {
        let order = CellOrder(keys: asked.order.map(\.ofSpending), limit: asked.limit)
        let told = view.cells.count { !$0.isSuppressed }
        let explanation = Explanation(
            told: told,
            suppressed: view.cells.count - told,
            usersMin: view.usersMin,
            limit: asked.limit,
            merged: view.merged,
            months: (months(view.from, view.to, query.months), view.months.count),
            isUnlisted: view.isUnlisted == true
        )
        return InsightAnswer(
            spending: view.showing(order.apply(to: view.cells).map { $0.showing(measures) }),
            explanation: explanation.view
        )
    }

    static func answer(
        _ view: UsageInsights,
        _ asked: AskedInsights,
        _ query: UsageQuery
    ) -> InsightAnswer {
        let order = CellOrder(keys: asked.order.map(\.ofUsage), limit: asked.limit)
        let told = view.cells.count { !$0.isSuppressed }
        let explanation = Explanation(
            told: told,
            suppressed: view.cells.count - told,
            usersMin: view.usersMin,
            limit: asked.limit,
            months: (months(view.from, view.to, query.months), view.months.count),
            isUnlisted: view.isUnlisted == true
        )
        return InsightAnswer(
            usage: view.showing(order.apply(to: view.cells)),
            explanation: explanation.view
        )
    }

    /// How many months there are between two days, those alone that are named.
    private static func months(_ from: Day, _ to: Day, _ named: [Month]) -> Int {
        let months = Period(from, through: to).months
        guard !named.isEmpty else { return months.count }
        return Set(named).intersection(months).count
    }
}

extension SpendingCell {
    /// With these figures alone.
    fileprivate func showing(_ measures: Set<SpendingMeasure>) -> SpendingCell {
        func kept<Value>(_ value: Value?, _ measure: SpendingMeasure) -> Value? {
            measures.contains(measure) ? value : nil
        }
        return SpendingCell(
            category: category,
            area: area,
            ageBand: ageBand,
            ageBands: ageBands,
            month: month,
            accountKind: accountKind,
            currency: currency,
            isSuppressed: isSuppressed,
            total: kept(total, .total),
            count: kept(count, .count),
            users: kept(users, .users),
            mean: kept(mean, .mean),
            median: kept(median, .median),
            p90: kept(p90, .p90)
        )
    }
}
