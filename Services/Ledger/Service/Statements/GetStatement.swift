import BankFiles
import HTTP
import Loops
import Receipts
import ServiceKit
import WalletProtocol

/// An account's statement as a file, written while it is read.
///
/// Once the file has begun, what goes wrong breaks the connection, so that nobody takes a part for
/// the whole.
struct GetStatement: Handler {
    static let endpoint = Statements.get
    let statements: StatementStore
    let people: People
    let slots: Slots

    func handle(
        _ request: Request<StatementQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let (user, query) = (caller.user.id, request.query)
        let account = try request.path.id(of: Account.self)
        let person = try await people.person(user)
        let today = people.today(for: person)
        let (from, to) = try Self.days(query, today: today)
        let extract = try await statements.find(account, for: user, from, to, as: query.format)
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 5)
        }
        try await statements.tell(extract, to: user, as: query.format)
        let statements = statements
        // The place is given back with the closure, whether or not it came to writing.
        var response = Response<NoView>.stream(type: query.format.mediaType) { [slot] writer in
            let file = try Self.writer(query.format, for: person, today, on: writer.loop)
            try await statements.write(extract, as: file) { bytes in
                try await writer.write(bytes)
            }
            _ = slot
        }
        let name = "statement-\(from)-\(to).\(query.format.fileExtension)"
        response.headers.append(.contentDisposition, AttachmentName.disposition(name))
        return response
    }

    /// The days asked for, or the whole month before this one.
    static func days(
        _ query: StatementQuery,
        today: Day
    ) throws(APIError) -> (from: Day, to: Day) {
        let days: (from: Day, to: Day)
        switch (query.from, query.to) {
        case (nil, nil):
            let month = today.month.adding(-1) ?? today.month
            days = (month.firstDay, month.lastDay)
        case (let from?, nil): days = (from, max(from, today))
        case (nil, let to?): days = (to.month.firstDay, to)
        case (let from?, let to?): days = (from, to)
        }
        guard days.from <= days.to else {
            throw .query("to", .outOfRange, "must not be before the first day, \(days.from)")
        }
        return days
    }

    private static func writer(
        _ format: StatementFileType,
        for person: Person,
        _ today: Day,
        on loop: EventLoop
    ) throws -> any StatementWriter {
        switch format {
        case .csv: CSVStatement()
        case .camt053: CamtStatement()
        case .ofx: OFXStatement()
        case .pdf: try PDFStatement(for: person, today: today, on: loop)
        }
    }
}
