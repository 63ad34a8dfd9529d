import Postgres
import ServiceKit
import WalletProtocol

/// An import as it is stored, without its rows.
struct ImportRecord: Sendable {
    let id: ID<StatementImport>
    let user: ID<User>
    let account: ID<Account>
    let currency: Currency
    let state: ImportState
    let format: StatementFormat
    let opening: Int64?
    let closing: Int64?
    let from: Day?
    let to: Day?
    let rowCount: Int32
    let duplicateCount: Int32
    let faults: [ImportFault]
    let refusal: String?
    let createdAt: Instant
    let columns: [String]?
    let mapping: CSVMapping?
    let version: Int32
    let accountNumber: String?
    let faultCount: Int32
    let balanceFault: ImportFault?
    let acceptsBalances: Bool
    let mappingFrom: ID<StatementImport>?
    let proposedMapping: CSVMapping?
    /// Where the account differs from its statements with this import.
    let differences: [ImportFault]

    /// The refusal of one that ended the process several times.
    static let setAside = "set-aside"
    static let setAsideDetail = """
        Three times what was under way ended without a word. Nothing of it has happened. Leave \
        rows out, or take in a smaller part of the file; the operator has been told which it is.
        """

    func view(rows: [ImportRow], next: Cursor?) -> ImportView {
        ImportView(
            id: id,
            accountID: account,
            state: state,
            format: format,
            rowCount: Int(rowCount),
            duplicateCount: Int(duplicateCount),
            rows: rows,
            nextCursor: next,
            errors: Array((differences + faults).prefix(ReadStatement.faultsMax)),
            errorCount: Int(faultCount) + differences.count,
            columns: columns,
            mapping: mapping,
            proposedMapping: proposedMapping,
            mappingFromID: mappingFrom,
            balanceFault: balanceFault,
            acceptsBalances: acceptsBalances,
            refusal: refusalError?.code.text,
            opening: opening.map { Money(minorUnits: $0, currency) },
            closing: closing.map { Money(minorUnits: $0, currency) },
            from: from,
            to: to,
            createdAt: createdAt
        )
    }

    /// Why the worker gave up.
    var refusalError: APIError? {
        refusal.map { refusal in
            refusal == Self.setAside
                ? APIError(.importFailed, Self.setAsideDetail)
                : PostingStatus(rawValue: refusal)?.error ?? APIError(.importState)
        }
    }

    init(_ row: borrowing PostgresRow) throws {
        let (stateText, formatText) = (try row.string(4), try row.string(5))
        guard let state = ImportState(rawValue: stateText) else {
            throw row.problem(4, "\(stateText) is no state")
        }
        guard let format = StatementFormat(rawValue: formatText) else {
            throw row.problem(5, "\(formatText) is no format")
        }
        id = try row.value(0)
        user = try row.value(1)
        account = try row.value(2)
        currency = try row.value(3)
        self.state = state
        self.format = format
        opening = try row.value(6)
        closing = try row.value(7)
        from = try row.value(8)
        to = try row.value(9)
        rowCount = try row.int32(10)
        duplicateCount = try row.int32(11)
        let faults = try row.value(12, as: PostgresJSON.self).text
        self.faults = try JSON.read([ImportFault].self, from: Array(faults.utf8))
        refusal = try row.value(13)
        createdAt = try row.value(14)
        let columns = try row.value(15, as: PostgresJSON?.self)?.text
        self.columns = try columns.map { try JSON.read([String].self, from: Array($0.utf8)) }
        let mapping = try row.value(16, as: PostgresJSON?.self)?.text
        self.mapping = try mapping.map { try JSON.read(CSVMapping.self, from: Array($0.utf8)) }
        version = try row.int32(17)
        accountNumber = try row.value(18)
        faultCount = try row.int32(19)
        let balanceFault = try row.value(20, as: PostgresJSON?.self)?.text
        self.balanceFault = try balanceFault.map {
            try JSON.read(ImportFault.self, from: Array($0.utf8))
        }
        acceptsBalances = try row.bool(21)
        mappingFrom = try row.value(22)
        let proposed = try row.value(23, as: PostgresJSON?.self)?.text
        proposedMapping = try proposed.map {
            try JSON.read(CSVMapping.self, from: Array($0.utf8))
        }
        let differences = try row.value(24, as: PostgresJSON.self).text
        self.differences = try JSON.read([ImportFault].self, from: Array(differences.utf8))
    }
}

/// A row that is to be posted.
struct ImportedRow: Sendable {
    let place: Int32
    let day: Day
    let amount: Int64
    let name: String
    let description: String?
    let category: CategoryID?
    /// The other own account's row, where it becomes a transfer with it.
    let match: ImportPlace?
    /// What it is merged with.
    let merge: ID<MoneyTransaction>?
    /// Whether what it is stands there already, by its identifier.
    let isKnown: Bool
}

/// A row by its import and its place there.
struct ImportPlace: Sendable, Hashable {
    let importID: ID<StatementImport>
    let place: Int32
}

/// A row of a preview.
struct StoredImportRow: Sendable {
    let place: Int32
    let line: Int32
    let day: Day
    let amount: Int64
    let name: String
    let description: String?
    let counterparty: String?
    let isDuplicate: Bool
    let isIncluded: Bool
    let category: CategoryID?
    let transfer: ImportTransfer?
    /// Whose identifier it carries.
    let known: ID<MoneyTransaction>?
    /// What it looks like, the likest first.
    let lookAlikes: [ID<MoneyTransaction>]
    let merge: ID<MoneyTransaction>?

    /// About how long it is as JSON, with all that it looks like.
    var length: Int {
        600 + name.utf8.count + (description?.utf8.count ?? 0) + 900 * (1 + lookAlikes.count)
    }

    /// `standing`: what of these is on the account.
    func view(
        in currency: Currency,
        among standing: [ID<MoneyTransaction>: StandingTransaction]
    ) -> ImportRow {
        ImportRow(
            row: Int(place) + 1,
            line: Int(line),
            date: day,
            amount: Money(minorUnits: amount, currency),
            name: name,
            description: description,
            counterparty: counterparty,
            isDuplicate: isDuplicate,
            isIncluded: isIncluded && !isDuplicate,
            categoryID: category,
            transfer: transfer,
            matches: ([known].compactMap { $0 } + lookAlikes).compactMap { id in
                standing[id].map {
                    ImportMatch(
                        transactionID: id,
                        date: $0.day,
                        name: $0.name ?? "",
                        isExact: id == known
                    )
                }
            },
            mergeID: merge
        )
    }
}
