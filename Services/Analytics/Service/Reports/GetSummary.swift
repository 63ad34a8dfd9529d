import ServiceKit
import WalletProtocol

/// Income and expenses of a time.
struct GetSummary: Handler {
    static let endpoint = Reports.summary
    let reports: ReportStore
    let documents: ScopeDocuments

    func handle(
        _ request: Request<SummaryQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SummaryView> {
        let query = request.query
        let scope = try await reports.scope(query, of: caller.user.id)
        let report = try await reports.summary(scope)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}

/// The same of a group.
struct GetGroupSummary: Handler {
    static let endpoint = Reports.groupSummary
    let reports: ReportStore
    let documents: ScopeDocuments
    let rights: ReportRights

    func handle(
        _ request: Request<GroupSummaryQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SummaryView> {
        let query = request.query
        let group = try request.path.id(of: WalletProtocol.Group.self)
        let reader = caller.user.id
        let currency = try await rights.requireMember(reader, of: group)
        let scope = try await reports.scope(query, of: group, in: currency, for: reader)
        let report = try await reports.summary(scope)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}

/// The same of a child.
struct GetChildSummary: Handler {
    static let endpoint = Reports.childSummary
    let reports: ReportStore
    let documents: ScopeDocuments
    let rights: ReportRights

    func handle(
        _ request: Request<SummaryQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SummaryView> {
        let query = request.query
        let child = try request.path.id(of: User.self)
        try await rights.requireParent(caller.user.id, of: child)
        let scope = try await reports.scope(query, ofChild: child)
        let report = try await reports.summary(scope)
        return try await documents.answer(report, as: query.format, of: scope, for: caller)
    }
}
