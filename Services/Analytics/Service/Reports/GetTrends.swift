import ServiceKit
import WalletProtocol

/// Income and expenses over time, for bars and lines.
struct GetTrends: Handler {
    static let endpoint = Reports.trends
    let reports: ReportStore
    let documents: ScopeDocuments

    func handle(
        _ request: Request<TrendQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TrendReport> {
        let query = request.query
        let scope = try await reports.scope(query, of: caller.user.id)
        let report = try await reports.trends(scope, by: query.interval, query.grouping)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}

/// The same of a group.
struct GetGroupTrends: Handler {
    static let endpoint = Reports.groupTrends
    let reports: ReportStore
    let documents: ScopeDocuments
    let rights: ReportRights

    func handle(
        _ request: Request<GroupTrendQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TrendReport> {
        let query = request.query
        let group = try request.path.id(of: WalletProtocol.Group.self)
        let reader = caller.user.id
        let currency = try await rights.requireMember(reader, of: group)
        let scope = try await reports.scope(query, of: group, in: currency, for: reader)
        let report = try await reports.trends(scope, by: query.interval, query.grouping)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}

/// The same of a child.
struct GetChildTrends: Handler {
    static let endpoint = Reports.childTrends
    let reports: ReportStore
    let documents: ScopeDocuments
    let rights: ReportRights

    func handle(
        _ request: Request<TrendQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TrendReport> {
        let query = request.query
        let child = try request.path.id(of: User.self)
        try await rights.requireParent(caller.user.id, of: child)
        let scope = try await reports.scope(query, ofChild: child)
        let report = try await reports.trends(scope, by: query.interval, query.grouping)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}
