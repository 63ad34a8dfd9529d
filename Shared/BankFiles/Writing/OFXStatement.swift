import WalletProtocol

/// Open Financial Exchange 2.1.1: one account's statement within a response.
package struct OFXStatement: TextStatementWriter {
    private var head: StatementHead?

    /// Nothing is written yet.
    package init() {}

    package mutating func begin(_ head: StatementHead) -> [UInt8] {
        self.head = head
        var out = Array(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" \
            NEWFILEUID="NONE"?>
            <OFX><SIGNONMSGSRSV1><SONRS>\(Self.success)\
            <DTSERVER>\(Self.moment(head.madeAt))</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS>\
            </SIGNONMSGSRSV1><BANKMSGSRSV1><STMTTRNRS><TRNUID>\(head.id)</TRNUID>\
            \(Self.success)<STMTRS><CURDEF>\(head.currency.code)</CURDEF><BANKACCTFROM>
            """.utf8
        )
        let (bank, number) = Self.number(of: head)
        XMLText.append("BANKID", bank, to: &out)
        XMLText.append("ACCTID", number, to: &out)
        out.append(contentsOf: "<ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM><BANKTRANLIST>".utf8)
        XMLText.append("DTSTART", Self.day(head.from), to: &out)
        XMLText.append("DTEND", Self.day(head.to), to: &out)
        out.append(0x0a)
        return out
    }

    private static let success =
        "<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"

    /// The bank in 9 characters, the account in 22: an IBAN where it fits, or its end; what has
    /// none goes by its identifier, whose 16 bytes are 22 letters.
    private static func number(of head: StatementHead) -> (bank: String, account: String) {
        guard let iban = head.iban else {
            return ("EZWALLET", Base64URL.encode(head.account.bytes))
        }
        return (String(iban.dropFirst(4).prefix(8)), String(iban.suffix(22)))
    }

    private static func day(_ day: Day) -> String { day.text.filter { $0 != "-" } }

    private static func moment(_ moment: Instant) -> String {
        moment.text.filter { $0.isNumber }.prefix(14) + ".000[0:GMT]"
    }

    package func append(_ lines: [StatementLine]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(lines.count * 280)
        for line in lines { transaction(line, to: &out) }
        return out
    }

    private func transaction(_ line: StatementLine, to out: inout [UInt8]) {
        let kind = line.isTransfer ? "XFER" : line.amount < 0 ? "DEBIT" : "CREDIT"
        out.append(contentsOf: "<STMTTRN><TRNTYPE>\(kind)</TRNTYPE>".utf8)
        XMLText.append("DTPOSTED", Self.day(line.day), to: &out)
        XMLText.append("TRNAMT", head?.decimal(Int128(line.amount)) ?? "", to: &out)
        XMLText.append("FITID", line.id.text, to: &out)
        let name = Self.line(line.name)
        // A NAME of the format has 32 characters; what is longer stands whole beside it.
        XMLText.append("NAME", name.isEmpty ? "-" : XMLText.prefix(name, 32), to: &out)
        if name.unicodeScalars.count > 32 {
            XMLText.append("EXTDNAME", XMLText.prefix(name, 100), to: &out)
        }
        let memo = Self.line(line.description)
        if !memo.isEmpty { XMLText.append("MEMO", XMLText.prefix(memo, 255), to: &out) }
        out.append(contentsOf: "</STMTTRN>\n".utf8)
    }

    /// A text on one line, without what control characters do.
    private static func line(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var hasSpace = true
        for scalar in text.unicodeScalars {
            let isSpace = scalar.value <= 0x20 || scalar.value == 0x7f
            if !isSpace { scalars.append(scalar) } else if !hasSpace { scalars.append(" ") }
            hasSpace = isSpace
        }
        if scalars.last == " " { scalars.removeLast() }
        return String(scalars)
    }

    package func end() -> [UInt8] {
        guard let head else { return [] }
        // No BALLIST with the opening balance: libofx does not know it there, and fails.
        let closing = head.decimal(head.closing)
        return Array(
            """
            </BANKTRANLIST><LEDGERBAL><BALAMT>\(closing)</BALAMT>\
            <DTASOF>\(Self.day(head.to))</DTASOF></LEDGERBAL></STMTRS></STMTTRNRS>\
            </BANKMSGSRSV1></OFX>

            """.utf8
        )
    }
}
