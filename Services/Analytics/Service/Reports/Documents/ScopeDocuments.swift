import ServiceKit
import WalletProtocol

extension ReportDocuments {
    /// The answer with a report of somebody, or of a group.
    func answer<Report: DocumentedReport>(
        _ report: Report,
        as format: ReportFormat,
        of scope: ReportScope,
        for caller: Caller
    ) async throws -> Response<Report> {
        let owner: CategoryOwner =
            switch scope.subject {
            case .person(let user): .person(user)
            case .group(let group): .group(group)
            }
        return try await answer(report, as: format, of: owner, scope.direction, for: caller)
    }
}
