import WalletProtocol
import XML

/// Reads the accounts of an ISO 20022 camt.053, of a report of the day (camt.052) or of notices of
/// entries (camt.054, which tells no balances): any version, with any prefix of its namespace.
///
/// Entries that are booked are rows; what is pending or only told is left out, with a note. A batch
/// whose transactions are told with amounts that sum to its own is one row for each of them.
/// Source: ISO 20022, camt.052.001, camt.053.001 and camt.054.001, versions 02 and 08.
func readCamt(
    _ bytes: [UInt8],
    assuming currency: Currency
) throws(UnreadableStatement) -> [StatementPart] {
    let charset = OFXHeader.charset(bytes.prefix(256))
    guard !FileText.isForeign(bytes, charset: charset) else {
        throw .unreadable(line: 1, detail: "the file is in a character set that is not read")
    }
    let text = FileText.utf8(bytes, charset: charset)
    let xml = XMLEvents(isUTF8: true, textBytesMax: StatementLimits.valueBytesMax) {
        $0 == "Ccy" || $0.hasPrefix("xmlns")
    }
    guard let xml else {
        throw .unreadable(line: 1, detail: "no memory is left to read it")
    }
    var reader = CamtReader(assuming: currency)
    var start = 0
    repeat {
        let end = min(start + CamtReader.pieceBytes, text.count)
        let events: [XMLEvent]
        do throws(XMLError) {
            events = try xml.feed(text[start..<end], isLast: end == text.count)
        } catch {
            throw .unreadable(line: error.line, detail: error.detail)
        }
        for event in events { try reader.take(event) }
        start = end
    } while start < text.count
    guard !reader.parts.isEmpty else {
        throw .unreadable(line: 1, detail: "no statement (Stmt) is in the file")
    }
    return reader.parts
}

/// Builds statements from the elements as they come; of each entry no more is kept than its row.
struct CamtReader {
    private let assumed: Currency
    /// What has been read.
    private(set) var parts: [StatementPart] = []
    private var path: [Open] = []
    private var depth = 0
    private var statement: CamtPart?
    private var rowCount = 0

    static let depthMax = 64
    static let pieceBytes = 262_144
    /// What starts a node of its own.
    private static let roots: Set<String> = ["Stmt", "Rpt", "Ntfctn", "Bal", "Ntry", "TxDtls"]
    /// The messages that are read, and what an account's part is in each.
    private static let messages = [
        "BkToCstmrStmt": "Stmt", "BkToCstmrAcctRpt": "Rpt", "BkToCstmrDbtCdtNtfctn": "Ntfctn",
    ]
    private static let kinds = [
        "Stmt": StatementMessage.statement, "Rpt": .report, "Ntfctn": .notice,
    ]

    /// An element whose end has not come.
    private struct Open {
        let name: String
        let line: Int
        var text = ""
        var currency: String?
        var hasChildren = false
        /// Where it stands inside the node that it belongs to.
        let place: String
    }

    init(assuming currency: Currency) {
        assumed = currency
    }

    mutating func take(_ event: XMLEvent) throws(UnreadableStatement) {
        switch event.kind {
        case .open(let name, let attributes): try open(name, attributes, event.line)
        case .text(let text):
            guard let last = path.indices.last,
                path[last].text.utf8.count < StatementLimits.valueBytesMax
            else { return }
            path[last].text += text
        case .close: try close()
        }
    }

    private mutating func open(
        _ name: String,
        _ attributes: [(name: String, value: String)],
        _ line: Int
    ) throws(UnreadableStatement) {
        guard path.count < CamtReader.depthMax else {
            throw .unreadable(line: line, detail: "the elements nest too deep")
        }
        if path.count == 1, CamtReader.messages[name] == nil, path[0].name == "Document" {
            let text = FileText.quoted(name)
            throw .unreadable(
                line: line,
                detail: "\(text) is no camt.053 and neither camt.052 nor camt.054"
            )
        }
        if let last = path.indices.last {
            path[last].hasChildren = true
            path[last].text = ""
        }
        let isRoot = CamtReader.roots.contains(name) && isPlaceOfRoot(name)
        let above = path.last?.place ?? ""
        // No place that is read is so deep: what stands deeper need not be told apart.
        let isDeep = above.utf8.count > XMLEvents.nameBytesMax
        let place = isRoot ? "" : above.isEmpty ? name : isDeep ? above : "\(above)/\(name)"
        var open = Open(name: name, line: line, place: place)
        open.currency = attributes.first { $0.name == "Ccy" }?.value
        path.append(open)
        if isRoot { try begin(name, line) }
    }

    /// Whether a node of this name may begin where the reader stands.
    private func isPlaceOfRoot(_ name: String) -> Bool {
        switch name {
        case "Stmt", "Rpt", "Ntfctn":
            CamtReader.messages[path.last?.name ?? ""] == name && statement == nil
        case "Bal", "Ntry":
            statement != nil && CamtReader.messages.values.contains(path.last?.name ?? "")
        default: path.last?.name == "NtryDtls" && statement?.entry != nil
        }
    }

    private mutating func begin(_ name: String, _ line: Int) throws(UnreadableStatement) {
        switch name {
        case "Stmt", "Rpt", "Ntfctn":
            guard parts.count < StatementLimits.statementsMax else {
                throw .tooManyStatements(line)
            }
            statement = CamtPart(line: line)
        case "Bal": statement?.balance = CamtNode(line: line)
        case "Ntry": statement?.entry = CamtEntry(line: line)
        default:
            rowCount += 1
            guard rowCount <= StatementLimits.rowsMax else { throw tooMany(line) }
            statement?.entry?.current = CamtNode(line: line)
        }
    }

    private func tooMany(_ line: Int) -> UnreadableStatement {
        .unreadable(line: line, detail: "the file has more than 200,000 rows")
    }

    private mutating func close() throws(UnreadableStatement) {
        guard let ended = path.popLast() else { return }
        if ended.place.isEmpty, CamtReader.roots.contains(ended.name) {
            try end(ended.name, ended.line)
        } else if !ended.hasChildren, !ended.text.isEmpty {
            let value = CamtValue(text: ended.text, line: ended.line, currency: ended.currency)
            statement?.take(value, at: ended.place)
        }
    }

    private mutating func end(_ name: String, _ line: Int) throws(UnreadableStatement) {
        switch name {
        case "Bal": try statement?.endBalance()
        case "TxDtls": statement?.entry?.endTransaction()
        case "Ntry":
            rowCount += 1
            guard rowCount <= StatementLimits.rowsMax else { throw tooMany(line) }
            statement?.endEntry(assuming: assumed)
        default:
            guard let done = statement else { return }
            var part = done.part(assuming: assumed)
            part.message = CamtReader.kinds[name] ?? .statement
            parts.append(part)
            statement = nil
        }
    }
}
