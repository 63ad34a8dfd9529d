package import Documents
import HTTP
package import Loops
package import ServiceKit
package import WalletProtocol

/// A report that has other forms than JSON.
package protocol DocumentedReport: JSONValue, Sendable {
    /// What its file is called, before its days.
    static var name: String { get }
    var from: Day { get }
    var to: Day { get }
    /// As a table of text: what each line is stands in its first field.
    func csv(_ labels: LabelBook) -> [UInt8]
    /// As it is printed.
    func printed(by composer: ReportComposer) -> PrintedReport
}

/// Gives reports in the form that they are asked for.
///
/// Pages and pictures are set by a process of its own, so many at once: the loops never wait for
/// one, and a text that the libraries stumble over ends that process alone.
package struct ReportDocuments {
    private let blocking: BlockingPool
    private let loop: EventLoop
    private let slots: Slots
    private let executable: String
    /// How somebody reads.
    private let reader: (ID<User>) async throws -> DocumentReader

    /// How many a loop sets at once, and for one person.
    private static let slotsMax = 4
    private static let slotsOfUserMax = 2
    /// The most rows of one with pages: as many as the longest report over time has points.
    private static let rowsMax = 20_000
    /// More than the pages of these come to.
    private static let bytesMax = 16 << 20

    /// Those that a loop makes.
    /// - Parameter executable: what sets them; this very program where left out.
    package init(
        blocking: BlockingPool,
        loop: EventLoop,
        executable: String = "/proc/self/exe",
        reader: @escaping (ID<User>) async throws -> DocumentReader
    ) {
        self.blocking = blocking
        self.loop = loop
        self.executable = executable
        self.reader = reader
        slots = Slots(Self.slotsMax, perUserMax: Self.slotsOfUserMax)
    }

    /// The answer with a report.
    /// - Parameters:
    ///   - way: what it was asked for, where one way alone.
    ///   - labels: asks for those of its categories; not called for JSON.
    /// - Throws: what `labels` throws; 503 where too many documents are being made or sent, or one
    ///   cannot be set; 400 where its pages would have too many rows.
    package func answer<Report: DocumentedReport>(
        _ report: Report,
        as format: ReportFormat,
        _ way: Direction? = nil,
        for user: ID<User>,
        labels: () async throws -> LabelBook = { LabelBook() }
    ) async throws -> Response<Report> {
        func file(_ type: DocumentType) async throws -> Response<Report> {
            try await set(report, as: type, format.mediaType, labels, way, for: user)
        }
        switch format {
        case .json: return .ok(report)
        case .csv:
            let labels = try await labels()
            let bytes = try await blocking.run { report.csv(labels) }
            return named(.file(bytes, type: ReportFormat.csvType), of: report, as: format)
        case .pdf: return named(try await file(.pdf), of: report, as: format)
        case .svg: return named(try await file(.svg), of: report, as: format, use: "inline")
        case .png: return named(try await file(.png), of: report, as: format, use: "inline")
        }
    }

    private func named<Report: DocumentedReport>(
        _ response: Response<Report>,
        of report: Report,
        as format: ReportFormat,
        use: String = "attachment"
    ) -> Response<Report> {
        var response = response
        let name = "\(Report.name)-\(report.from)-\(report.to).\(format.rawValue)"
        response.headers.append(.contentDisposition, "\(use); filename=\"\(name)\"")
        // A picture that is opened by itself is a document, too.
        response.headers.append(
            "content-security-policy",
            ContentPolicy.drawing + "; img-src data:"
        )
        return response
    }

    /// - Parameter mediaType: that of the type.
    private func set<Report: DocumentedReport>(
        _ report: Report,
        as type: DocumentType,
        _ mediaType: String,
        _ labels: () async throws -> LabelBook,
        _ way: Direction?,
        for user: ID<User>
    ) async throws -> Response<Report> {
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 5)
        }
        let (labels, reader) = try await (labels(), reader(user))
        let packed = try await blocking.run {
            let composer = ReportComposer(reader, labels, way, madeAt: .now())
            let printed = report.printed(by: composer)
            let rows = printed.tables.reduce(0) { $0 + $1.rows.count }
            guard type != .pdf || rows <= Self.rowsMax else {
                throw APIError.query(
                    "format",
                    .tooMany,
                    "would have \(rows) rows on its pages, and \(Self.rowsMax) is the most: ask "
                        + "for csv, or for less"
                )
            }
            return PackedReport(printed, as: type)
        }
        let bytes = try await set(packed)
        // Until it is sent it is in memory: the place is given back with the closure, whether or
        // not it came to sending; by a reader who takes longer than others it is not held up.
        return .stream(type: mediaType, length: bytes.count) { [slot] writer in
            let begun = monotonicNanoseconds()
            for start in stride(from: 0, to: bytes.count, by: Self.sliceBytes) {
                let end = min(start + Self.sliceBytes, bytes.count)
                try await writer.write(Array(bytes[start..<end]))
                if monotonicNanoseconds() - begun > Self.sendingNanoseconds { slot.giveBack() }
            }
        }
    }

    /// Each has its own time to be taken.
    private static let sliceBytes = 65_536
    private static let sendingNanoseconds: UInt64 = 60_000_000_000

    /// What cannot be begun now can be later; what ends the process would do so again.
    private func set(_ packed: PackedReport) async throws -> [UInt8] {
        let process: TypesettingProcess
        do throws(TypesettingProcess.Failure) {
            process = try TypesettingProcess(on: loop, executable: executable)
        } catch { throw APIError(.unavailable, retryAfterSeconds: 5) }
        do {
            return try await process.set(packed, bytesMax: Self.bytesMax)
        } catch is TypesettingProcess.TooLarge {
            throw APIError.query(
                "format",
                .tooMany,
                "would be a file of more than \(Self.bytesMax >> 20) MiB: ask for csv, or for less"
            )
        }
    }
}
