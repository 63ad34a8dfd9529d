import ServiceKit
import WalletProtocol

/// A query for everybody's figures of which nothing is wrong, as what it is answered by takes it.
struct AskedInsights: Sendable {
    /// What an answer can be of.
    enum Figures: Sendable {
        case spending(SpendingQuery, Set<SpendingMeasure>)
        case usage(UsageQuery)
    }

    /// What the cells are ordered by.
    struct Key: Sendable {
        /// Of an order by figures; usage is ordered by its people.
        let measure: SpendingMeasure?
        let dimension: InsightDimension?
        let isDescending: Bool
    }

    let figures: Figures
    let order: [Key]
    let limit: Int
    /// As it is written down, what was left out left out.
    let text: String

    /// - Parameter root: where the query stands in its body.
    /// - Throws: 422 with all that is wrong: `unknown-measure` where nothing else is.
    init(
        _ sent: Unjudged<InsightQuery>,
        at root: String = "",
        now: Instant
    ) throws(APIError) {
        let query = sent.body
        var checks = InsightQueryChecks(faults: sent.faults, root: root)
        figures = checks.figures(of: query)
        order = checks.order(of: query)
        limit = query.limit ?? InsightQuery.limitMax
        text = JSON.text(query)
        try checks.finish()
        try check(at: root, now)
    }

    /// Has those judge who answer it: what they refuse whatever there is to tell is told at once.
    ///
    /// By the latest day that it is anywhere: whose day it is they know, and judge by that again.
    private func check(at root: String, _ now: Instant) throws(APIError) {
        let latest = now.adding(seconds: 14 * 3_600)
        guard let today = Day(utc: latest) else { throw APIError(.internalError) }
        do throws(APIError) {
            switch figures {
            case .spending(let query, _): _ = try InsightScope(query, today: today)
            case .usage(let query): _ = try UsageScope(query, today: today)
            }
        } catch { throw error.inBody(at: root) }
    }
}

extension APIError {
    /// Where parameters stand in the body of a query.
    private static let places = [
        "groupBy": "/dimensions", "measure": "/measures/0", "category": "/filters/category",
        "area": "/filters/area", "ageBand": "/filters/ageBand", "month": "/filters/month",
        "accountKind": "/filters/accountKind", "currency": "/filters/currency",
        "language": "/filters/language",
    ]

    /// The same refusal of what came in a body, not as parameters.
    func inBody(at root: String = "") -> APIError {
        guard code == .invalidQuery else { return self }
        let errors = errors.map { error in
            let name = String(error.pointer.drop { $0 != ":" }.dropFirst())
            return FieldError(
                pointer: root + (Self.places[name] ?? "/" + name),
                code: error.code,
                detail: error.detail
            )
        }
        return APIError(.invalidBody, detail, errors: errors)
    }
}
