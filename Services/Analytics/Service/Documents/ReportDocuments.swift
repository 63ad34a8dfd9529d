import Documents
import HTTP
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// The argument by which this program is told to set a document, and nothing else.
public let typesetCommand = Typesetter.argument

/// Sets the document on standard input, under limits, without settings or connections.
public func serveTypesetting() -> Never { Typesetter.serve() }

/// A report that has other forms than JSON.
protocol DocumentedReport: JSONValue, Sendable {
    /// What its file is called, before its days.
    static var name: String { get }
    var from: Day { get }
    var to: Day { get }
    /// Those that are named in it, the largest first.
    var categories: [CategoryID] { get }
    /// As a table of text: what each line is stands in its first field.
    func csv(_ labels: LabelBook) -> [UInt8]
    /// As it is printed.
    func printed(by composer: ReportComposer) -> PrintedReport
}

/// Gives reports in the form that they are asked for.
///
/// Pages and pictures are set by a process of its own, so many at once: the loops never wait for
/// one, and a text that the libraries stumble over ends that process alone.
struct ReportDocuments {
    let database: Database
    let labels: CategoryLabelReader
    let blocking: BlockingPool
    let loop: EventLoop
    let slots: Slots

    /// How many a loop sets at once, and for one person.
    static let slotsMax = 4
    static let slotsOfUserMax = 2
    /// More than the pages of the longest report come to.
    static let bytesMax = 16 << 20

    /// The answer with a report.
    /// - Parameters:
    ///   - owner: whose its categories are; nil for a report without.
    ///   - way: what it was asked for, where one way alone.
    /// - Throws: 503 where names are not to be had, or too many documents are being made.
    func answer<Report: DocumentedReport>(
        _ report: Report,
        as format: ReportFormat,
        of owner: CategoryOwner? = nil,
        _ way: Direction? = nil,
        for caller: Caller
    ) async throws -> Response<Report> {
        let labels =
            if format != .json, let owner {
                try await labels.read(report.categories, of: owner, for: caller.user)
            } else { LabelBook([]) }
        switch format {
        case .json: return .ok(report)
        case .csv:
            let bytes = try await blocking.run { report.csv(labels) }
            return file(bytes, of: report, "text/csv; charset=utf-8", "attachment", "csv")
        case .pdf:
            let bytes = try await set(report, as: .pdf, labels, way, for: caller.user.id)
            return file(bytes, of: report, "application/pdf", "attachment", "pdf")
        case .svg:
            let bytes = try await set(report, as: .svg, labels, way, for: caller.user.id)
            return file(bytes, of: report, "image/svg+xml", "inline", "svg")
        case .png:
            let bytes = try await set(report, as: .png, labels, way, for: caller.user.id)
            return file(bytes, of: report, "image/png", "inline", "png")
        }
    }

    private func file<Report: DocumentedReport>(
        _ bytes: [UInt8],
        of report: Report,
        _ type: String,
        _ use: String,
        _ ending: String
    ) -> Response<Report> {
        var response = Response<Report>.file(bytes, type: type)
        let name = "\(Report.name)-\(report.from)-\(report.to).\(ending)"
        response.headers.append(.contentDisposition, "\(use); filename=\"\(name)\"")
        // A picture that is opened by itself is a document, too.
        response.headers.append(
            "content-security-policy",
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"
        )
        return response
    }

    private func set(
        _ report: some DocumentedReport,
        as type: DocumentType,
        _ labels: LabelBook,
        _ way: Direction?,
        for user: ID<User>
    ) async throws -> [UInt8] {
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 5)
        }
        defer { slot.giveBack() }
        let person = try await database.queryOne(PeopleStatements.settings, user) ?? .unknown
        let packed = try await blocking.run {
            let composer = ReportComposer(person.language, labels, way, madeAt: .now())
            return PackedReport(report.printed(by: composer), as: type)
        }
        let process = try TypesettingProcess(on: loop)
        return try await process.set(packed, bytesMax: Self.bytesMax)
    }
}
