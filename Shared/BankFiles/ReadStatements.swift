package import WalletProtocol

/// Reads every account in the file, in its order.
///
/// Read are OFX (1.x and 2.x), camt.052, .053 and .054, MT940 and MT942, QIF, CSV and the first
/// sheet of XLSX; each of them also as gzip, and one or more of them as ZIP: then what several
/// files of OFX, camt or MT940 tell of an account is one statement; CSV and QIF do not tell whose
/// they are, and one of them has to be chosen. With no `format` the content decides.
/// Linear in the size of what is unpacked. `currency` is used where the file names none, and sways
/// how `3/4/2024` is read; `mapping` says how a CSV is read, and `order` in which order days were
/// written in the account's last one. No booking lies behind `today`: of what does a note tells.
/// - Throws: `.unknownFormat`; `.unreadable`, when the file as a whole cannot be read.
package func readStatements(
    _ bytes: [UInt8],
    format: StatementFormat?,
    mapping: CSVMapping? = nil,
    order: DateOrder? = nil,
    asOf today: Day? = nil,
    assuming currency: Currency
) throws(UnreadableStatement) -> [BankStatement] {
    guard bytes.count <= StatementLimits.bytesMax else {
        throw .unreadable(line: 1, detail: "the file is larger than 20 MiB")
    }
    let files = try Unpacking.files(in: bytes)
    var read = StatementsOfFiles(
        mapping: mapping,
        order: order,
        today: today,
        currency: currency
    )
    var others: [Unpacking.File] = []
    for file in files {
        // Beside statements archives hold what is none, such as a list of them.
        let kind = FileKind.format(of: file.bytes)
        guard let kind = files.count > 1 ? kind : format ?? kind else { continue }
        guard format == nil || kind == format else { continue }
        if kind == .csv, files.count > 1, !CSVHeader.isKnown(in: file.bytes, mapping) {
            others.append(file)
        } else {
            try read.take(file, kind)
        }
    }
    try read.takeTables(others)
    var statements = read.statements()
    for index in statements.indices {
        statements[index].boundAmounts(assuming: currency)
        if let today { statements[index].noteFuture(asOf: today) }
    }
    guard !statements.isEmpty else {
        throw .unknownFormat(FileKind.detail(of: files.first?.bytes ?? bytes))
    }
    return statements
}

/// What is read of each file, until all are.
private struct StatementsOfFiles {
    let mapping: CSVMapping?
    let order: DateOrder?
    let today: Day?
    let currency: Currency
    private var camt: [StatementPart] = []
    private var mt940: [StatementPart] = []
    private var ofx: [OFXAccount] = []
    private var tables: [CSVTables.Table] = []
    private var others: [BankStatement] = []
    /// Of all files together.
    private var (rows, statementCount) = (0, 0)
    /// What is left out, for whichever account is asked for.
    private var notes: [StatementFault] = []

    init(mapping: CSVMapping?, order: DateOrder?, today: Day?, currency: Currency) {
        self.mapping = mapping
        self.order = order
        self.today = today
        self.currency = currency
    }

    mutating func take(
        _ packed: Unpacking.File,
        _ format: StatementFormat
    ) throws(UnreadableStatement) {
        let file = packed.bytes
        guard file.count <= StatementLimits.bytesMax else {
            throw .unreadable(line: 1, detail: "the file is larger than 20 MiB")
        }
        switch format {
        case .ofx:
            let accounts = try readOFX(file)
            try count(accounts.map { $0.rows.count })
            ofx += accounts
        case .csv:
            let read = try readCSV(
                file,
                mapping: mapping,
                order: order,
                asOf: today,
                assuming: currency
            )
            try count(read.map { $0.rows.count + $0.faults.count })
            tables += read.map { CSVTables.Table(statement: $0, file: packed.name) }
        case .camt053:
            let parts = try readCamt(file, assuming: currency)
            try count(parts.map { $0.rows.count + $0.faults.count })
            camt += parts
        case .mt940:
            let parts = try readMT940(file, assuming: currency)
            try count(parts.map { $0.rows.count + $0.faults.count })
            mt940 += parts
        case .qif:
            let accounts = try readQIF(file, assuming: currency)
            try count(accounts.map { $0.rows.count + $0.faults.count })
            others += accounts
        }
    }

    /// Takes tables whose columns nobody knows.
    ///
    /// Beside statements only those that look like one, which has to be chosen and mapped; one that
    /// a mapping does not fit is left out.
    mutating func takeTables(_ files: [Unpacking.File]) throws(UnreadableStatement) {
        let isAlone = rows == 0 && statementCount == 0
        for file in files {
            if isAlone || (mapping == nil && CSVHeader.hasRow(in: file.bytes)) {
                try take(file, .csv)
            } else {
                let name = CSVHeader.table(in: file.bytes)?.names.first { !$0.isEmpty } ?? ""
                let detail = "a table whose columns are not known is left out: "
                notes.append(
                    StatementFault(line: 1, detail: detail + FileText.quoted(name))
                )
            }
        }
    }

    /// Bounds what an archive makes as what a file makes.
    private mutating func count(_ statements: [Int]) throws(UnreadableStatement) {
        // Cannot wrap: each file is bounded, and there are 400 at most.
        rows += statements.reduce(0, +)
        statementCount += statements.count
        guard rows <= StatementLimits.rowsMax else {
            throw .unreadable(line: 1, detail: "the files have more than 200,000 rows")
        }
        guard statementCount <= StatementLimits.statementsMax else {
            throw .tooManyStatements(1)
        }
    }

    func statements() -> [BankStatement] {
        var all =
            StatementChain.statements(of: camt, .camt053, assuming: currency)
            + StatementChain.statements(of: mt940, .mt940, assuming: currency)
            + OFXStatements.statements(of: ofx, assuming: currency)
            + CSVTables.joined(tables) + others
        for index in all.indices { all[index].notes = notes + all[index].notes }
        return all
    }
}
