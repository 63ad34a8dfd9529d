import HTTP
import Loops
import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// Rows of a file, and what stands beside them.
struct FilePage {
    let rows: [TransactionRow]
    let sides: [ID<MoneyTransaction>: TransferSide]
    let reader: ID<User>
    /// Whose list it is, where it is a folder's.
    let folder: ID<Folder>?
}

/// Writes a file of transactions in one format; belongs to one file.
protocol TransactionFileWriter {
    /// What comes before the rows.
    mutating func begin(_ names: FileNames, _ openings: [FileOpening]) -> [UInt8]
    /// Some rows, in their order.
    mutating func append(_ page: FilePage, _ names: FileNames) -> [UInt8]
}

/// All transactions that a filter leaves, as a file, written while they are read.
///
/// All of a file is of one snapshot, on one connection, in pages: neither the rows nor the file are
/// ever in memory as a whole. Once the file has begun, what goes wrong breaks the connection, so
/// that nobody takes a part for the whole.
struct TransactionFiles {
    let database: Database
    let people: People
    let rates: RateStore
    let blocking: BlockingPool
    let slots: Slots

    /// Rows of a page.
    static let page = 500

    /// The answer to a query for a file.
    /// - Throws: 400 for what only a page has; 503 where too many files are being written.
    func answer(
        _ query: TransactionQuery,
        for user: ID<User>
    ) async throws -> Response<TransactionPage> {
        for (name, isThere) in [("cursor", query.cursor != nil), ("groupBy", query.groupBy != nil)]
        where isThere {
            throw APIError.query(
                name,
                .invalidValue,
                "must be left out where `format` is \(query.format.rawValue)"
            )
        }
        let person = try await people.person(user)
        let today = people.today(for: person)
        let filter = try await TransactionFilterReader(database: database, user: user).filter(query)
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 5)
        }
        let file: any TransactionFileWriter
        let sort: TransactionOrder
        switch query.format {
        case .json, .csv:
            let history = try await rates.history(on: blocking)
            (file, sort) = (TransactionTable(for: person, history), query.sort)
        case .journal:
            (file, sort) = (TransactionJournal(for: person, from: query.from), .oldestFirst)
        }
        let walk = TransactionFileWalk(
            reader: user,
            filter: filter,
            sort: sort,
            opensFrom: query.format == .journal && query.isWholeAccounts ? query.from : nil,
            hasOpenings: query.format == .journal && query.isWholeAccounts
        )
        let database = database
        // The place is given back with the closure, whether or not it came to writing.
        var response = Response<TransactionPage>.stream(type: query.format.contentType) {
            [slot] writer in
            try await walk.write(from: database, as: file) { bytes in
                try await writer.write(bytes)
            }
            _ = slot
        }
        let name = "transactions-\(today).\(query.format.fileExtension)"
        response.headers.append(.contentDisposition, AttachmentName.disposition(name))
        return response
    }
}

extension TransactionQuery {
    /// Whether it leaves all rows of its accounts and days.
    fileprivate var isWholeAccounts: Bool {
        minAmount == nil && maxAmount == nil && categoryIDs.isEmpty && folderID == nil
            && direction == nil && words == nil && tags.isEmpty && near == nil
    }
}

extension TransactionFormat {
    fileprivate var contentType: String {
        switch self {
        case .json: mediaType
        case .csv: mediaType + "; charset=utf-8; header=present"
        case .journal: mediaType + "; charset=utf-8"
        }
    }
}

/// The walk over the rows of a file.
struct TransactionFileWalk {
    let reader: ID<User>
    /// Nil where nothing can meet it.
    let filter: TransactionFilter?
    let sort: TransactionOrder
    /// The day before which openings count.
    let opensFrom: Day?
    let hasOpenings: Bool

    /// The whole file, page by page.
    func write(
        from database: Database,
        as file: any TransactionFileWriter,
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        // Once only: what was sent cannot be taken back.
        let options = TransactionOptions(
            isolation: .repeatableRead,
            readOnly: true,
            attemptsMax: 1
        )
        // Chosen before: who holds a connection waits for no other.
        var source = TransactionFilter.Source.everything
        if let filter {
            source = try await TransactionFinder(database: database, filter: filter, sort: sort)
                .source()
        }
        try await database.transaction(options) { snapshot in
            var names = try await FileNames(of: reader, in: snapshot)
            var file = file
            try await send(file.begin(names, try await openings(names, in: snapshot)))
            guard let filter else { return }
            var place: TransactionPlace?
            while true {
                let rows = try await snapshot.query(
                    TransactionListStatements.page(
                        filter,
                        by: source,
                        TransactionWalk(order: sort, place: place, limit: TransactionFiles.page)
                    )
                )
                guard let last = rows.last else { return }
                try await names.add(rows, for: reader, in: snapshot)
                let page = FilePage(
                    rows: rows,
                    sides: try await sides(of: rows, in: snapshot),
                    reader: reader,
                    folder: filter.folder
                )
                let bytes = file.append(page, names)
                if !bytes.isEmpty { try await send(bytes) }
                guard rows.count == TransactionFiles.page else { return }
                place = TransactionPlace(last, in: sort, group: nil)
            }
        }
    }

    private func openings(
        _ names: FileNames,
        in database: some Querying
    ) async throws -> [FileOpening] {
        guard hasOpenings, let filter else { return [] }
        let accounts = filter.accounts.isEmpty ? names.accounts.map(\.id) : filter.accounts
        return try await database.query(TransactionFileStatements.openings, accounts, opensFrom)
    }

    private func sides(
        of rows: [TransactionRow],
        in database: some Querying
    ) async throws -> [ID<MoneyTransaction>: TransferSide] {
        let transferred = rows.compactMap { row in row.transfer.map { (row.id, $0) } }
        guard !transferred.isEmpty else { return [:] }
        let found = try await database.query(
            TransactionFileStatements.sides,
            transferred.map(\.0),
            transferred.map(\.1)
        )
        return Dictionary(found.map { ($0.id, $0.side) }) { first, _ in first }
    }
}
