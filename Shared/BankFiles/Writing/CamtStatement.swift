import WalletProtocol

/// ISO 20022 camt.053.001.08, valid against its schema.
package struct CamtStatement: TextStatementWriter {
    /// Who says what kind an entry is.
    static let issuer = "EZWALLET"

    private var currency = Currency.eur
    private var digits: Int { currency.exponent }

    /// The schema's amounts have 18 digits: whether all of a statement's fit.
    package static func fits(_ head: StatementHead, largest: Int128) -> Bool {
        let limit: Int128 = 1_000_000_000_000_000_000
        let sums = [head.opening, head.closing, head.credits, head.debits, largest]
        return sums.allSatisfy { $0.magnitude < limit }
    }

    /// Nothing is written yet.
    package init() {}

    package mutating func begin(_ head: StatementHead) -> [UInt8] {
        currency = head.currency
        var out = Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>\
            <GrpHdr>
            """.utf8
        )
        // Identifiers have 35 characters at most.
        let name = head.id.text.filter { $0 != "-" }
        XMLText.append("MsgId", name, to: &out)
        XMLText.append("CreDtTm", head.madeAt.text, to: &out)
        out.append(contentsOf: "</GrpHdr><Stmt>".utf8)
        XMLText.append("Id", name, to: &out)
        XMLText.append("CreDtTm", head.madeAt.text, to: &out)
        out.append(contentsOf: "<FrToDt>".utf8)
        XMLText.append("FrDtTm", head.from.text + "T00:00:00", to: &out)
        XMLText.append("ToDtTm", head.to.text + "T23:59:59", to: &out)
        out.append(contentsOf: "</FrToDt>".utf8)
        account(head, to: &out)
        balance("OPBD", head.opening, on: head.from, to: &out)
        balance("CLBD", head.closing, on: head.to, to: &out)
        summary(head, to: &out)
        out.append(0x0a)
        return out
    }

    private func account(_ head: StatementHead, to out: inout [UInt8]) {
        out.append(contentsOf: "<Acct><Id>".utf8)
        if let iban = head.iban {
            XMLText.append("IBAN", iban, to: &out)
        } else {
            out.append(contentsOf: "<Othr>".utf8)
            XMLText.append("Id", head.account.text.filter { $0 != "-" }, to: &out)
            out.append(contentsOf: "</Othr>".utf8)
        }
        out.append(contentsOf: "</Id>".utf8)
        XMLText.append("Ccy", head.currency.code, to: &out)
        text("Nm", head.accountName, 70, to: &out)
        out.append(contentsOf: "<Ownr>".utf8)
        text("Nm", head.owner, 140, to: &out)
        out.append(contentsOf: "</Ownr></Acct>".utf8)
    }

    private func balance(
        _ code: StaticString,
        _ units: Int128,
        on day: Day,
        to out: inout [UInt8]
    ) {
        out.append(contentsOf: "<Bal><Tp><CdOrPrtry>".utf8)
        XMLText.append("Cd", code.description, to: &out)
        out.append(contentsOf: "</CdOrPrtry></Tp>".utf8)
        amount(units, to: &out)
        out.append(contentsOf: "<Dt>".utf8)
        XMLText.append("Dt", day.text, to: &out)
        out.append(contentsOf: "</Dt></Bal>".utf8)
    }

    /// The magnitude and its direction.
    private func amount(_ units: Int128, to out: inout [UInt8]) {
        let text = decimalText(units < 0 ? -units : units, exponent: digits)
        let way = units < 0 ? "DBIT" : "CRDT"
        out.append(
            contentsOf: """
                <Amt Ccy="\(currency.code)">\(text)</Amt><CdtDbtInd>\(way)</CdtDbtInd>
                """.utf8
        )
    }

    private func summary(_ head: StatementHead, to out: inout [UInt8]) {
        out.append(contentsOf: "<TxsSummry><TtlCdtNtries>".utf8)
        XMLText.append("NbOfNtries", String(head.creditCount), to: &out)
        XMLText.append("Sum", decimalText(head.credits, exponent: digits), to: &out)
        out.append(contentsOf: "</TtlCdtNtries><TtlDbtNtries>".utf8)
        XMLText.append("NbOfNtries", String(head.debitCount), to: &out)
        XMLText.append("Sum", decimalText(-head.debits, exponent: digits), to: &out)
        out.append(contentsOf: "</TtlDbtNtries></TxsSummry>".utf8)
    }

    package func append(_ lines: [StatementLine]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(lines.count * 640)
        for line in lines { entry(line, to: &out) }
        return out
    }

    private func entry(_ line: StatementLine, to out: inout [UInt8]) {
        let name = line.id.text.filter { $0 != "-" }
        out.append(contentsOf: "<Ntry>".utf8)
        XMLText.append("NtryRef", name, to: &out)
        amount(Int128(line.amount), to: &out)
        out.append(contentsOf: "<Sts><Cd>BOOK</Cd></Sts>".utf8)
        for date in ["BookgDt", "ValDt"] as [StaticString] {
            out.append(contentsOf: "<\(date)><Dt>\(line.day.text)</Dt></\(date)>".utf8)
        }
        XMLText.append("AcctSvcrRef", name, to: &out)
        out.append(contentsOf: "<BkTxCd><Prtry>".utf8)
        XMLText.append("Cd", line.isTransfer ? "TRANSFER" : "TRANSACTION", to: &out)
        // By which reading it again knows that the name stands in AddtlNtryInf.
        XMLText.append("Issr", Self.issuer, to: &out)
        out.append(contentsOf: "</Prtry></BkTxCd><NtryDtls><TxDtls>".utf8)
        if line.isTransfer { parties(line, to: &out) }
        if !line.description.isEmpty {
            out.append(contentsOf: "<RmtInf>".utf8)
            for piece in XMLText.pieces(of: line.description, 140) {
                XMLText.append("Ustrd", piece, to: &out)
            }
            out.append(contentsOf: "</RmtInf>".utf8)
        }
        out.append(contentsOf: "</TxDtls></NtryDtls>".utf8)
        text("AddtlNtryInf", line.name, 500, to: &out)
        out.append(contentsOf: "</Ntry>\n".utf8)
    }

    /// The other side of a transfer.
    private func parties(_ line: StatementLine, to out: inout [UInt8]) {
        guard !line.name.isEmpty || line.counterIBAN != nil else { return }
        let side = line.amount < 0 ? "Cdtr" : "Dbtr"
        out.append(contentsOf: "<RltdPties>".utf8)
        if !line.name.isEmpty {
            out.append(contentsOf: "<\(side)><Pty>".utf8)
            text("Nm", line.name, 140, to: &out)
            out.append(contentsOf: "</Pty></\(side)>".utf8)
        }
        if let iban = line.counterIBAN {
            out.append(contentsOf: "<\(side)Acct><Id>".utf8)
            XMLText.append("IBAN", iban, to: &out)
            out.append(contentsOf: "</Id></\(side)Acct>".utf8)
        }
        out.append(contentsOf: "</RltdPties>".utf8)
    }

    /// A text of the schema has a character at least.
    private func text(
        _ name: StaticString,
        _ text: String,
        _ most: Int,
        to out: inout [UInt8]
    ) {
        guard !text.isEmpty else { return }
        XMLText.append(name, XMLText.prefix(text, most), to: &out)
    }

    package func end() -> [UInt8] { Array("</Stmt></BkToCstmrStmt></Document>\n".utf8) }
}
