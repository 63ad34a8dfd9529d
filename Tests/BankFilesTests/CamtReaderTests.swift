import Testing
import WalletProtocol

@testable import BankFiles

/// camt.053 in its versions, and what is refused.
@Suite struct CamtReaderTests {
    static func balance(_ kind: String, _ amount: String, _ side: String = "CRDT") -> String {
        "<Bal><Tp><CdOrPrtry><Cd>\(kind)</Cd></CdOrPrtry></Tp><Amt Ccy=\"EUR\">\(amount)</Amt>"
            + "<CdtDbtInd>\(side)</CdtDbtInd><Dt><Dt>2026-01-31</Dt></Dt></Bal>\n"
    }

    static func entry(
        _ amount: String,
        _ side: String = "CRDT",
        status: String = "<Sts>BOOK</Sts>",
        day: String = "<BookgDt><Dt>2026-01-05</Dt></BookgDt>",
        more: String = ""
    ) -> String {
        "<Ntry><Amt Ccy=\"EUR\">\(amount)</Amt><CdtDbtInd>\(side)</CdtDbtInd>\(status)\(day)\(more)"
            + "</Ntry>\n"
    }

    static func file(
        _ body: String,
        version: String = "02",
        account: String = "<IBAN>NL91ABNA0417164300</IBAN>"
    ) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.\(version)"><BkToCstmrStmt>
        <GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id>
        <Acct><Id>\(account)</Id><Ccy>EUR</Ccy></Acct>
        \(body)</Stmt></BkToCstmrStmt></Document>
        """
    }

    static func read(_ text: String) throws -> [BankStatement] {
        try readStatements(Array(text.utf8), format: nil, assuming: .usd)
    }

    static func row(_ entry: String) throws -> StatementRow? {
        try read(file(entry)).first?.rows.first
    }

    @Test func sidesReversalsAndDaysAreTold() throws {
        let reversal = "<RvslInd>true</RvslInd>"
        let rows = [
            Self.entry("1.50"), Self.entry("1.5", "DBIT"),
            // The side is the entry's own, of a reversal too.
            Self.entry("2", "DBIT", more: reversal), Self.entry("3.00", "CRDT", more: reversal),
            Self.entry("4", day: "<BookgDt><DtTm>2026-01-05T23:30:00-08:00</DtTm></BookgDt>"),
            Self.entry(
                "5",
                status: "<Sts><Cd>BOOK</Cd></Sts>",
                day: "<ValDt><Dt>2026-01-05</Dt></ValDt>"
            ),
        ]
        let body =
            Self.balance("OPBD", "10.00") + rows.joined() + Self.balance("CLBD", "20.00")
        for version in ["02", "08", "13"] {
            let statement = try Self.read(Self.file(body, version: version)).first
            #expect(statement?.rows.map(\.amount) == [150, -150, -200, 300, 400, 500])
            #expect(statement?.rows.allSatisfy { $0.day == Day("2026-01-05") } == true)
            #expect(statement?.refusal == nil && statement?.faults == [])
            #expect(statement?.opening == 1_000 && statement?.closing == 2_000)
            #expect(statement?.accountNumber == "NL91ABNA0417164300")
            #expect(statement?.currency == .eur)
        }
    }

    @Test func anyPrefixAndAnyIndentationWillDo() throws {
        let body = Self.balance("PRCD", "0") + Self.entry("1") + Self.balance("CLBD", "1")
        let plain = Self.file(body)
        let prefixed = plain.replacing("</", with: "</ns2:").replacing("<ns2:", with: "<ns2:")
            .replacing(#/<(?=[A-Z])/#, with: "<ns2:").replacing("xmlns=", with: "xmlns:ns2=")
        for text in [
            prefixed, plain.replacing("\n", with: ""), plain.replacing("\n", with: "\r\n"),
        ] {
            let statement = try Self.read(text).first
            #expect(statement?.rows.map(\.amount) == [100])
            #expect(statement?.closing == 100 && statement?.refusal == nil)
        }
    }

    @Test func whatIsNotBookedIsLeftOutWithANote() throws {
        let body =
            Self.balance("OPBD", "0") + Self.entry("1")
            + Self.entry("7", status: "<Sts>PDNG</Sts>")
            + Self.entry("8", status: "<Sts><Cd>INFO</Cd></Sts>") + Self.balance("CLBD", "1")
        let statement = try Self.read(Self.file(body)).first
        #expect(statement?.rows.map(\.amount) == [100])
        #expect(statement?.notes.count == 2)
        #expect(statement?.refusal == nil)
    }

    @Test func aBatchIsItsTransactionsWhereTheyAddUp() throws {
        func transaction(_ amount: String, _ id: String, old: Bool = false) -> String {
            let told = "<Amt Ccy=\"EUR\">\(amount)</Amt>"
            return "<TxDtls><Refs><EndToEndId>\(id)</EndToEndId></Refs>"
                + (old ? "<AmtDtls><TxAmt>\(told)</TxAmt></AmtDtls>" : told)
                + "<RltdPties><Cdtr><Pty><Nm>N \(id)</Nm></Pty></Cdtr><CdtrAcct><Id><IBAN>"
                + "DE02120300000000202051</IBAN></Id></CdtrAcct></RltdPties>"
                + "<RmtInf><Ustrd>a</Ustrd><Ustrd>b</Ustrd></RmtInf></TxDtls>"
        }
        for old in [false, true] {
            let details =
                transaction("1.00", "first-1", old: old) + transaction("2", "second", old: old)
            let whole = try Self.read(
                Self.file(Self.entry("3", "DBIT", more: "<NtryDtls>\(details)</NtryDtls>"))
            )
            #expect(whole.first?.rows.map(\.amount) == [-100, -200])
            #expect(whole.first?.rows.map(\.name) == ["N first-1", "N second"])
            #expect(whole.first?.rows.first?.description == "a b")
            #expect(whole.first?.rows.first?.counterparty == "DE02120300000000202051")
            #expect(whole.first?.rows.first?.endToEnd == "first-1")
            // Not all of it is told: the entry is one row.
            let part = try Self.read(
                Self.file(Self.entry("4", "DBIT", more: "<NtryDtls>\(details)</NtryDtls>"))
            )
            #expect(part.first?.rows.map(\.amount) == [-400])
        }
    }

    @Test func severalStatementsOfAnAccountAreOne() throws {
        let first = Self.balance("OPBD", "0") + Self.entry("1") + Self.balance("CLBD", "1")
        let second = Self.balance("OPBD", "1") + Self.entry("2") + Self.balance("CLBD", "3")
        let other = "<Stmt><Acct><Id><Othr><Id>77</Id></Othr></Id></Acct>"
        func join(_ parts: [String]) -> String {
            Self.file(
                parts.joined(
                    separator: "</Stmt><Stmt><Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id>"
                        + "<Ccy>EUR</Ccy></Acct>"
                ) + "</Stmt>" + other + Self.balance("CLBD", "5")
            )
        }
        for parts in [[first, second], [second, first]] {
            let statements = try Self.read(join(parts))
            #expect(statements.map(\.accountNumber) == ["NL91ABNA0417164300", "77"])
            #expect(statements[0].rows.map(\.amount) == [100, 200])
            #expect(statements[0].closing == 300 && statements[0].refusal == nil)
            #expect(statements[1].opening == 500 && statements[1].closing == 500)
        }
    }

    @Test(arguments: [
        entry("1", day: ""), entry("1", day: "<BookgDt><Dt>2026-02-30</Dt></BookgDt>"),
        entry("x"), entry("-1"), entry("1.234"), entry("1", "NONE"),
        entry("99999999999999999999"), entry("1").replacing("EUR", with: "USD"),
        "<Ntry><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts></Ntry>",
    ])
    func whatIsNoRowIsAFaultWithItsLine(_ entry: String) throws {
        let body = Self.balance("OPBD", "0") + entry + Self.balance("CLBD", "9")
        let statement = try Self.read(Self.file(body)).first
        #expect(statement?.rows == [])
        #expect(statement?.faults.map(\.line) == [6])
        #expect(statement?.refusal == nil && statement?.opening == nil)
    }

    @Test func whatDoesNotTieIsToldWithItsLine() throws {
        let body = Self.balance("OPBD", "0") + Self.entry("1") + Self.balance("CLBD", "2")
        let statement = try Self.read(Self.file(body)).first
        #expect(statement?.balanceFault?.line == 7 && statement?.refusal == nil)
        #expect(statement?.opening == 0 && statement?.closing == 200)
        let marks = Self.file(Self.balance("CLBD", "2")).replacing("EUR", with: "DEM")
        #expect(try Self.read(marks).first?.refusal != nil)
    }

    @Test func noDoctypeNoOtherMessageAndNoHalfFileIsTaken() {
        let whole = Self.file(Self.balance("CLBD", "2"))
        let doctype = whole.replacing(
            "<Document",
            with:
                "<!DOCTYPE d [<!ENTITY a \"b\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]><Document"
        )
        let bomb = "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol \"lol\">]>" + whole
        let other = whole.replacing("BkToCstmrStmt", with: "BkToCstmrAcctRpt")
        let third = whole.replacing("BkToCstmrStmt", with: "RsltnOfInvstgtn")
        let deep = whole.replacing("<Stmt>", with: String(repeating: "<a>", count: 100))
        for text in [doctype, bomb, other, third, deep, "<Document/>", "", "<a", whole + "<b/>"] {
            #expect(throws: UnreadableStatement.self) {
                try readStatements(Array(text.utf8), format: .camt053, assuming: .eur)
            }
        }
        let bytes = Array(whole.utf8)
        for count in 0..<(bytes.count - 1) where bytes[count...].contains(UInt8(ascii: ">")) {
            #expect(throws: UnreadableStatement.self) {
                try readStatements(Array(bytes[..<count]), format: .camt053, assuming: .eur)
            }
        }
    }

    @Test func otherCharactersAreReadAsTheFileSays() throws {
        let entry = Self.entry("1", more: "<AddtlNtryInf>Caf\u{E9}</AddtlNtryInf>")
        let text = Self.file(entry).replacing("UTF-8", with: "ISO-8859-1")
        let bytes = text.unicodeScalars.map { UInt8($0.value) }
        let statements = try readStatements(bytes, format: nil, assuming: .eur)
        #expect(statements.first?.rows.first?.name == "Caf\u{E9}")
    }
}
