import BankFiles
import HTTP
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// An account's statement as a file, written while it is read.
///
/// All of it is of one snapshot, on one connection, in pages: neither the lines nor the file are
/// ever in memory as a whole. Once the file has begun, what goes wrong breaks the connection, so
/// that nobody takes a part for the whole.
struct GetStatement: Handler {
    static let endpoint = Statements.get
    let database: Database
    let people: People
    let slots: Slots

    /// Lines of a page.
    static let page: Int32 = 500

    func handle(
        _ request: Request<StatementQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let id = try request.path.id(of: Account.self)
        let person = try await people.person(user)
        let (from, to) = try Self.days(request.query, today: people.today(for: person))
        guard
            let account = try await database.queryOne(StatementStatements.account, user, id)
        else { throw APIError.notFound }
        let format = request.query.format
        if format == .camt053 {
            let sums = try await database.queryOne(StatementStatements.sums, id, from, to)
            if let sums {
                let head = Self.head(account, from, to, sums)
                guard CamtStatement.fits(head, largest: sums.largest) else {
                    throw APIError(.amountTooLarge)
                }
            }
        }
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 5)
        }
        let database = database
        // The place is given back with the closure, whether or not it came to writing.
        var response = Response<NoView>.stream(type: format.mediaType) { [slot] writer in
            let file = try Self.writer(format, for: person, on: writer.loop)
            try await Self.write(account, from, to, as: file, from: database) { bytes in
                try await writer.write(bytes)
            }
            _ = slot
        }
        let name = "statement-\(from)-\(to).\(format.fileExtension)"
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

    private static func head(
        _ account: StatementAccount,
        _ from: Day,
        _ to: Day,
        _ sums: StatementSums
    ) -> StatementHead {
        StatementHead(
            id: .new(),
            account: account.id,
            accountName: account.name,
            iban: account.iban,
            currency: account.currency,
            owner: account.owner,
            from: from,
            to: to,
            madeAt: .now(),
            opening: sums.opening,
            credits: sums.credits,
            debits: sums.debits,
            creditCount: sums.creditCount,
            debitCount: sums.debitCount
        )
    }

    /// The whole file, page by page.
    static func write(
        _ account: StatementAccount,
        _ from: Day,
        _ to: Day,
        as file: any StatementWriter,
        from database: Database,
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        // Once only: what was sent cannot be taken back.
        let options = TransactionOptions(
            isolation: .repeatableRead,
            readOnly: true,
            attemptsMax: 1
        )
        try await database.transaction(options) { snapshot in
            guard
                let sums = try await snapshot.queryOne(
                    StatementStatements.sums,
                    account.id,
                    from,
                    to
                )
            else { throw APIError(.internalError) }
            let head = head(account, from, to, sums)
            var file = file
            try await file.begin(head, to: send)
            var balance = head.opening
            var place = (day: from, id: ID<MoneyTransaction>(high: 0, low: 0))
            var count: Int64 = 0
            while true {
                var lines = try await snapshot.query(
                    StatementStatements.lines,
                    account.id,
                    place.day,
                    place.id,
                    to,
                    page
                )
                for index in lines.indices {
                    balance += Int128(lines[index].amount)
                    lines[index].balance = balance
                }
                count += Int64(lines.count)
                try await file.append(lines, to: send)
                guard let last = lines.last, lines.count == page else { break }
                place = (last.day, last.id)
            }
            // One snapshot: the lines are those that were summed.
            guard balance == head.closing, count == head.creditCount + head.debitCount else {
                throw APIError(.internalError, "the lines do not come to the closing balance")
            }
            try await file.end(to: send)
        }
    }

    private static func writer(
        _ format: StatementFileType,
        for person: Person,
        on loop: EventLoop
    ) throws -> any StatementWriter {
        switch format {
        case .csv: CSVStatement()
        case .camt053: CamtStatement()
        case .ofx: OFXStatement()
        case .pdf: try PDFStatement(language: person.language, on: loop)
        }
    }
}
