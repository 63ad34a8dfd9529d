import ServiceKit
import WalletProtocol

/// What came in and what went out over time.
struct GetCashFlow: Handler {
    static let endpoint = Reports.cashFlow
    let reports: ReportStore
    let documents: ScopeDocuments

    func handle(
        _ request: Request<CashFlowQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CashFlowReport> {
        let query = request.query
        let scope = try await reports.scope(query, of: caller.user.id)
        let report = try await reports.cashFlow(scope, by: query.interval)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}

/// The same of a group.
struct GetGroupCashFlow: Handler {
    static let endpoint = Reports.groupCashFlow
    let reports: ReportStore
    let documents: ScopeDocuments
    let rights: ReportRights

    func handle(
        _ request: Request<GroupCashFlowQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CashFlowReport> {
        let query = request.query
        let group = try request.path.id(of: WalletProtocol.Group.self)
        let reader = caller.user.id
        let currency = try await rights.requireMember(reader, of: group)
        let scope = try await reports.scope(query, of: group, in: currency, for: reader)
        let report = try await reports.cashFlow(scope, by: query.interval)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}

/// The same of a child.
struct GetChildCashFlow: Handler {
    static let endpoint = Reports.childCashFlow
    let reports: ReportStore
    let documents: ScopeDocuments
    let rights: ReportRights

    func handle(
        _ request: Request<CashFlowQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CashFlowReport> {
        let query = request.query
        let child = try request.path.id(of: User.self)
        try await rights.requireParent(caller.user.id, of: child)
        let scope = try await reports.scope(query, ofChild: child)
        let report = try await reports.cashFlow(scope, by: query.interval)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}
