package import WalletProtocol

/// Reads every account in the file, in its order.
///
/// Read are OFX (1.x and 2.x), camt.052, .053 and .054, MT940 and MT942, QIF, CSV and the first
/// sheet of XLSX; each of them also as gzip, and one or more of them as ZIP: then what several
/// files of OFX, camt or MT940 tell of an account is one statement; CSV and QIF do not tell whose
/// they are, and one of them has to be chosen. With no `format` the content decides.
/// Linear in the size of what is unpacked. `currency` is used where the file names none, and sways
/// how `3/4/2024` is read; `mapping` says how a CSV is read, and `order` in which order days were
/// written in the account's last one.
/// - Throws: `.unknownFormat`; `.unreadable`, when the file as a whole cannot be read.
package func readStatements(
    _ bytes: [UInt8],
    format: StatementFormat?,
    mapping: CSVMapping? = nil,
    order: DateOrder? = nil,
    assuming currency: Currency
) throws(UnreadableStatement) -> [BankStatement] {
    guard bytes.count <= StatementLimits.bytesMax else {
        throw .unreadable(line: 1, detail: "the file is larger than 20 MiB")
    }
    let files = try Unpacking.files(in: bytes)
    var read = StatementsOfFiles(mapping: mapping, order: order, currency: currency)
    var unknownTables: [[UInt8]] = []
    for file in files {
        // Beside statements archives hold what is none, such as a list of them.
        let kind = FileKind.format(of: file)
        guard let kind = files.count > 1 ? kind : format ?? kind else { continue }
        guard format == nil || kind == format else { continue }
        if kind == .csv, files.count > 1, !CSVHeader.isKnown(in: file, mapping) {
            unknownTables.append(file)
        } else {
            try read.take(file, kind)
        }
    }
    if read.isEmpty {
        for file in unknownTables { try read.take(file, .csv) }
    }
    var statements = read.statements()
    for index in statements.indices { statements[index].boundAmounts(assuming: currency) }
    guard !statements.isEmpty else {
        throw .unknownFormat(FileKind.detail(of: files.first ?? bytes))
    }
    return statements
}

/// What is read of each file, until all are.
private struct StatementsOfFiles {
    let mapping: CSVMapping?
    let order: DateOrder?
    let currency: Currency
    private var camt: [StatementPart] = []
    private var mt940: [StatementPart] = []
    private var ofx: [OFXAccount] = []
    private var others: [BankStatement] = []

    init(mapping: CSVMapping?, order: DateOrder?, currency: Currency) {
        self.mapping = mapping
        self.order = order
        self.currency = currency
    }

    mutating func take(
        _ file: [UInt8],
        _ format: StatementFormat
    ) throws(UnreadableStatement) {
        guard file.count <= StatementLimits.bytesMax else {
            throw .unreadable(line: 1, detail: "the file is larger than 20 MiB")
        }
        switch format {
        case .ofx: ofx += try readOFX(file)
        case .csv:
            others += try readCSV(file, mapping: mapping, order: order, assuming: currency)
        case .camt053: camt += try readCamt(file, assuming: currency)
        case .mt940: mt940 += try readMT940(file, assuming: currency)
        case .qif: others += try readQIF(file, assuming: currency)
        }
        let parts = [camt, mt940].joined().reduce(0) { $0 + $1.rows.count + $1.faults.count }
        let rows =
            parts + ofx.reduce(0) { $0 + $1.rows.count }
            + others.reduce(0) { $0 + $1.rows.count + $1.faults.count }
        guard rows <= StatementLimits.rowsMax else {
            throw .unreadable(line: 1, detail: "the files have more than 200,000 rows")
        }
    }

    var isEmpty: Bool { camt.isEmpty && mt940.isEmpty && ofx.isEmpty && others.isEmpty }

    func statements() -> [BankStatement] {
        StatementChain.statements(of: camt, .camt053, assuming: currency)
            + StatementChain.statements(of: mt940, .mt940, assuming: currency)
            + OFXStatements.statements(of: ofx, assuming: currency) + others
    }
}
