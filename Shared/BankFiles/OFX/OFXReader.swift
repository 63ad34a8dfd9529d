import Text
import WalletProtocol

/// Reads the statements of an OFX file: bank accounts, credit cards, and the cash of investment
/// accounts in which nothing but cash moved.
///
/// Source: OFX 1.6 and 2.2, sections 2 (headers), 11 (banking), 13 (investments).
func readOFX(_ bytes: [UInt8]) throws(UnreadableStatement) -> [OFXAccount] {
    let charset = OFXHeader.charset(bytes.prefix(4_096))
    guard !FileText.isForeign(bytes, charset: charset) else {
        throw .unreadable(line: 1, detail: "the file is in a character set that is not read")
    }
    var reader = OFXReader(FileText.utf8(bytes, charset: charset))
    let accounts = try reader.read()
    guard !accounts.isEmpty else {
        throw .unreadable(
            line: reader.rootLine,
            detail: "no statement of a bank account or a credit card is in the file"
        )
    }
    return accounts
}

/// The header before `<OFX>`: lines of `KEY:VALUE`, all on one line in some files, or XML's.
enum OFXHeader {
    /// What it says of the charset.
    static func charset(_ head: ArraySlice<UInt8>) -> FileText.Charset {
        let text = FileText.capitals(head)[...]
        let header = text.range(of: "<OFX>").map { text[..<$0.lowerBound] } ?? text
        for key in ["CHARSET:", "ENCODING=\"", "ENCODING='"] {
            guard let found = header.range(of: key) else { continue }
            // Files without line ends run on into the next key.
            let value = header[found.upperBound...].drop { $0 == UInt8(ascii: " ") }
            let isLatin9 = ["ISO-8859-15", "8859-15"].contains { value.starts(with: $0.utf8) }
            if isLatin9 { return .latin9 }
            if known.contains(where: { value.starts(with: $0.utf8) }) { return .undeclared }
            let first = value.first ?? 0
            let isWord =
                first >= 0x80 || (0x30...0x39).contains(first)
                || (0x41...0x5A).contains(first)
            return isWord ? .other : .undeclared
        }
        return .undeclared
    }

    private static let known = [
        "1252", "CP1252", "CP-1252", "WINDOWS-1252", "ISO-8859-1", "ISO8859-1", "8859-1",
        "LATIN1", "NONE", "UTF-8", "UTF8", "65001", "US-ASCII", "USASCII", "ASCII", "UNICODE",
        "UTF-16", "CSUNICODE", "COMPRESSION",
    ]
}

/// Builds the accounts from the tags, on a bounded stack of its own.
///
/// In SGML a leaf has no end tag: it ends with the next tag. An element without text is an
/// aggregate, unless it is known as a leaf, and ends with its own end tag or with that of an
/// aggregate around it.
struct OFXReader {
    private var tokens: OFXTokens
    private var stack: [String] = []
    private var leaf: (name: String, value: String, line: Int)?
    private var accounts: [OFXAccount] = []
    private var account: OFXAccount?
    private var row: OFXRow?
    private var rowCount = 0
    /// Where `<OFX>` stands.
    private(set) var rootLine = 1

    static let depthMax = 64

    init(_ text: [UInt8]) {
        tokens = OFXTokens(text)
    }

    /// Every account, in the file's order.
    /// - Throws: `.unreadable`; a file cut off before `</OFX>` is, since rows would be missing.
    mutating func read() throws(UnreadableStatement) -> [OFXAccount] {
        while let token = try tokens.next() {
            switch token {
            case .text(let text):
                // A comment or CDATA may have split it.
                guard let count = leaf?.value.utf8.count else { continue }
                if count < StatementLimits.valueBytesMax { leaf?.value.append(text) }
            case .open(let name), .empty(let name):
                try settleLeaf()
                if stack.isEmpty && name != "OFX" {
                    throw .unreadable(line: tokens.tokenLine, detail: "the file has no <OFX>")
                }
                leaf = (name, "", tokens.tokenLine)
                if case .empty = token {
                    if try end(name) { return accounts }
                }
            case .close(let name):
                if try end(name) { return accounts }
            }
        }
        throw .unreadable(line: tokens.line, detail: "the file ends before </OFX>")
    }

    /// Takes an end tag; whether it was the file's last.
    private mutating func end(_ name: String) throws(UnreadableStatement) -> Bool {
        if let open = leaf, open.name == name, !OFXNames.aggregates.contains(name) {
            leaf = nil
            take(open.name, open.value, open.line)
            return false
        }
        try settleLeaf()
        close(name)
        return stack.isEmpty && name == "OFX"
    }

    /// Decides what the last opened element was, now that something else begins or ends.
    private mutating func settleLeaf() throws(UnreadableStatement) {
        guard let open = leaf else { return }
        leaf = nil
        let isAggregate =
            OFXNames.aggregates.contains(open.name)
            || (open.value.isEmpty && !OFXNames.leaves.contains(open.name))
        if isAggregate {
            try begin(open.name, open.line)
        } else {
            take(open.name, open.value, open.line)
        }
    }

    private mutating func begin(_ name: String, _ line: Int) throws(UnreadableStatement) {
        // Neither rows nor statements nest: one that begins ends the one before.
        if row != nil && name == "STMTTRN" { close(name) }
        if account != nil && OFXNames.statements.contains(name) {
            for open in OFXNames.statements { close(open) }
        }
        if stack.last == "INVTRANLIST" && name != "INVBANKTRAN" {
            throw .unreadable(
                line: line,
                detail: "an investment account with trades (\(name)) is not read"
            )
        }
        guard stack.count < OFXReader.depthMax else {
            throw .unreadable(line: line, detail: "the tags nest too deep")
        }
        if stack.isEmpty { rootLine = line }
        stack.append(name)
        if OFXNames.statements.contains(name) {
            guard accounts.count < StatementLimits.statementsMax else {
                throw .tooManyStatements(line)
            }
            account = OFXAccount(line: line)
        } else if name == "STMTTRN" && account != nil {
            rowCount += 1
            guard rowCount <= StatementLimits.rowsMax else {
                throw .unreadable(line: line, detail: "the file has more than 200,000 rows")
            }
            row = OFXRow(line: line)
        }
    }

    /// Ends the innermost aggregate of this name and all inside it; none is no matter.
    private mutating func close(_ name: String) {
        guard let index = stack.lastIndex(of: name) else { return }
        while stack.count > index {
            let ended = stack.removeLast()
            if ended == "STMTTRN", let done = row {
                account?.rows.append(OFXAccount.Row(done))
                row = nil
            } else if OFXNames.statements.contains(ended), let done = account {
                accounts.append(done)
                account = nil
            }
        }
    }

    private mutating func take(_ name: String, _ value: String, _ line: Int) {
        guard !value.isEmpty, let parent = stack.last else { return }
        if row != nil {
            row?.take(name, in: parent, OFXValue(text: value, line: line))
        } else {
            account?.take(name, in: parent, OFXValue(text: value, line: line))
        }
    }
}

/// Names of elements.
enum OFXNames {
    /// The aggregates that are statements.
    static let statements: Set<String> = ["STMTRS", "CCSTMTRS", "INVSTMTRS"]

    /// Aggregates whatever stands after their tag, so that stray text loses no row.
    static let aggregates: Set<String> = [
        "OFX", "BANKMSGSRSV1", "CREDITCARDMSGSRSV1", "INVSTMTMSGSRSV1", "STMTTRNRS", "CCSTMTTRNRS",
        "INVSTMTTRNRS", "STMTRS", "CCSTMTRS", "INVSTMTRS", "BANKACCTFROM", "CCACCTFROM",
        "INVACCTFROM", "BANKTRANLIST", "INVTRANLIST", "INVBANKTRAN", "STMTTRN", "LEDGERBAL",
        "AVAILBAL", "INVBAL",
    ]

    /// Leaves that, empty and without an end tag, would look like aggregates.
    static let leaves: Set<String> = [
        "CODE", "SEVERITY", "MESSAGE", "DTSERVER", "LANGUAGE", "DTPROFUP", "DTACCTUP", "ORG", "FID",
        "INTU.BID", "INTU.ORG", "INTU.USERID", "TRNUID", "CLTCOOKIE", "CURDEF", "BANKID",
        "BRANCHID", "ACCTID", "ACCTTYPE", "ACCTKEY", "BROKERID", "DTSTART", "DTEND", "DTASOF",
        "TRNTYPE", "DTPOSTED", "DTUSER", "DTAVAIL", "TRNAMT", "FITID", "CORRECTFITID",
        "CORRECTACTION", "SRVRTID", "CHECKNUM", "REFNUM", "SIC", "PAYEEID", "NAME", "EXTDNAME",
        "MEMO", "INV401KSOURCE", "BALAMT", "CURRATE", "CURSYM", "ADDR1", "ADDR2", "ADDR3", "CITY",
        "STATE", "POSTALCODE", "COUNTRY", "PHONE", "MKTGINFO", "SUBACCTFUND", "AVAILCASH",
        "MARGINBALANCE", "SHORTBALANCE", "BUYPOWER", "VALUEDATE", "CATEGORY",
    ]
}
