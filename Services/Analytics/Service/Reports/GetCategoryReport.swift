import ServiceKit
import WalletProtocol

/// Expenses or income by category, for the pie.
struct GetCategoryReport: Handler {
    static let endpoint = Reports.categories
    let reports: ReportStore
    let documents: ScopeDocuments

    func handle(
        _ request: Request<CategoryReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CategoryReport> {
        let query = request.query
        let scope = try await reports.scope(query, of: caller.user.id)
        let report = try await reports.categories(scope)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}

/// The same of a group.
struct GetGroupCategoryReport: Handler {
    static let endpoint = Reports.groupCategories
    let reports: ReportStore
    let documents: ScopeDocuments
    let rights: ReportRights

    func handle(
        _ request: Request<GroupCategoryReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CategoryReport> {
        let query = request.query
        let group = try request.path.id(of: WalletProtocol.Group.self)
        let reader = caller.user.id
        let currency = try await rights.requireMember(reader, of: group)
        let scope = try await reports.scope(query, of: group, in: currency, for: reader)
        let report = try await reports.categories(scope)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}

/// The same of a child.
struct GetChildCategoryReport: Handler {
    static let endpoint = Reports.childCategories
    let reports: ReportStore
    let documents: ScopeDocuments
    let rights: ReportRights

    func handle(
        _ request: Request<CategoryReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CategoryReport> {
        let query = request.query
        let child = try request.path.id(of: User.self)
        try await rights.requireParent(caller.user.id, of: child)
        let scope = try await reports.scope(query, ofChild: child)
        let report = try await reports.categories(scope)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}
