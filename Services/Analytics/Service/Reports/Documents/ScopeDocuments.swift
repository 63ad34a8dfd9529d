import ReportFiles
import ServiceKit
import WalletProtocol

/// Gives reports of somebody, or of a group, with the names of their categories.
struct ScopeDocuments {
    let documents: ReportDocuments
    let labels: CategoryLabelReader

    /// The answer with a report.
    /// - Throws: 503 where names are not to be had.
    func answer<Report: DocumentedReport & CategorizedReport>(
        _ report: Report,
        as format: ReportFormat,
        of scope: ReportScope,
        for caller: Caller
    ) async throws -> Response<Report> {
        let reader = caller.user
        let owner: CategoryOwner =
            switch scope.subject {
            case .person(let user): .person(user)
            case .group(let group): .group(group)
            }
        return try await documents.answer(report, as: format, scope.direction, for: reader.id) {
            try await labels.read(report.categories, of: owner, for: reader)
        }
    }
}

/// A report that names categories, or none.
protocol CategorizedReport {
    /// Those that are named in it, the largest first.
    var categories: [CategoryID] { get }
}
