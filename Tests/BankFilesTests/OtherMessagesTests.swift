import Testing
import WalletProtocol

@testable import BankFiles

/// Reports and notices beside statements: camt.052, camt.054, MT942; and messages that end early.
@Suite struct OtherMessagesTests {
    private func camt(_ message: String, _ part: String, _ number: String) -> String {
        CamtReaderTests.file(
            CamtReaderTests.balance("PRCD", "10.00") + CamtReaderTests.entry("2.50")
                + CamtReaderTests.entry("1", status: "<Sts>PDNG</Sts>")
                + CamtReaderTests.balance("CLBD", "12.50")
        ).replacing("camt.053", with: "camt.\(number)")
            .replacing("BkToCstmrStmt", with: message).replacing("<Stmt>", with: "<\(part)>")
            .replacing("</Stmt>", with: "</\(part)>")
    }

    @Test(arguments: [
        ("BkToCstmrAcctRpt", "Rpt", "052"), ("BkToCstmrDbtCdtNtfctn", "Ntfctn", "054"),
        ("BkToCstmrStmt", "Stmt", "053"),
    ])
    func eachCamtMessageIsRead(_ message: String, _ part: String, _ number: String) throws {
        let statement = try #require(try CamtReaderTests.read(camt(message, part, number)).first)
        #expect(statement.rows.map(\.amount) == [250])
        #expect(statement.accountNumber == "NL91ABNA0417164300")
        #expect(statement.opening == 1_000 && statement.closing == 1_250)
        #expect(statement.notes.count == 1)
        #expect(statement.refusal == nil && statement.balanceFault == nil)
    }

    @Test func aNoticeHasRowsAndNoBalances() throws {
        let text = camt("BkToCstmrDbtCdtNtfctn", "Ntfctn", "054")
        var plain = text
        while let start = plain.firstRange(of: "<Bal>"), let end = plain.firstRange(of: "</Bal>") {
            plain.removeSubrange(start.lowerBound..<end.upperBound)
        }
        let statement = try #require(try CamtReaderTests.read(plain).first)
        #expect(statement.rows.map(\.amount) == [250])
        #expect(statement.opening == nil && statement.closing == nil)
        #expect(statement.refusal == nil)
    }

    @Test func aPartOfAnotherMessageIsNone() {
        let mixed = camt("BkToCstmrAcctRpt", "Stmt", "052")
        #expect(throws: UnreadableStatement.self) { try CamtReaderTests.read(mixed) }
    }

    @Test func whatWasNotProvidedIsNoText() throws {
        let details =
            "<NtryDtls><TxDtls><RltdPties><Dbtr><Nm>NOTPROVIDED</Nm></Dbtr></RltdPties>"
            + "<RmtInf><Ustrd>NOT PROVIDED</Ustrd></RmtInf></TxDtls></NtryDtls>"
            + "<AddtlNtryInf>Gutschrift</AddtlNtryInf>"
        let row = try CamtReaderTests.row(CamtReaderTests.entry("1", more: details))
        #expect(row?.name == "Gutschrift" && row?.description == nil)
    }

    private static let interim = """
        :20:X
        :25:10020030/1234567
        :28C:1/1
        :34F:EURD500,
        :34F:EURC0,
        :13D:2401051200+0100
        :61:240105C1,50NTRFNONREF
        :86:words
        :61:240105D1,NTRFNONREF
        :90D:1EUR1,
        :90C:1EUR1,50
        -
        """

    @Test func anInterimReportIsRead() throws {
        let statement = try #require(
            try readStatements(Array(Self.interim.utf8), format: nil, assuming: .usd).first
        )
        #expect(statement.rows.map(\.amount) == [150, -100])
        #expect(statement.currency == .eur && statement.refusal == nil)
        #expect(statement.opening == nil && statement.closing == nil)
        #expect(statement.notes.map(\.line) == [1] && statement.balanceFault == nil)
    }

    @Test func anInterimReportInNoCurrencyIsRefused() throws {
        let text = Self.interim.replacing("EUR", with: "QQQ")
        let statement = try #require(try MT940ReaderTests.read(text).first)
        #expect(statement.refusal?.line == 4 && statement.currency == nil)
    }

    @Test func theSumsOfAnInterimReportAreHeldAgainstItsRows() throws {
        let text = Self.interim.replacing(":90C:1EUR1,50", with: ":90C:1EUR2,50")
        let statement = try MT940ReaderTests.read(text).first
        #expect(statement?.balanceFault?.line == 11)
    }

    /// Two of the largest amounts come to minus two in 64 bits.
    @Test func sumsThatWrapDoNotTie() throws {
        let rows = String(repeating: ":61:240105C92233720368547758,07NTRFX\n", count: 2)
        let text = ":20:X\n:25:1\n:34F:EURD0,\n\(rows):90C:2EUR0,02\n-"
        let statement = try MT940ReaderTests.read(text).first
        #expect(statement?.balanceFault?.detail.contains("184467440737095516.14 EUR") == true)
    }

    @Test func aClosingBalanceThatIsMissingFollowsWhereTheMessageEnds() throws {
        let text = ":20:X\n:25:1\n:60F:C240101EUR1,\n:61:240101C1,NTRFX\n"
        let whole = try MT940ReaderTests.read(text + "-\n").first
        #expect(whole?.refusal == nil && whole?.closing == 200 && whole?.notes.count == 1)
        // Others may be cut.
        #expect(try MT940ReaderTests.read(text).first?.refusal != nil)
        let two = try MT940ReaderTests.read(text + text.replacing("1,\n:61", with: "2,\n:61") + "-")
        #expect(two.first?.refusal == nil && two.first?.closing == 300)
    }

    @Test func spacesBeforeTheEndAreNoMatter() throws {
        let text = MT940ReaderTests.file(":61:240105C1,NTRFX\n:86:words", closing: "C240131EUR1,")
        let statement = try MT940ReaderTests.read(text.replacing("\n-", with: "\n -")).first
        #expect(statement?.refusal == nil && statement?.rows.first?.name == "words")
    }

    @Test(arguments: [
        (
            ":86:SEPA OVERBOEKING                 IBAN: NL02ABNA0123456789        BIC:\n"
                + " ABNANL2A                    NAAM: GEMEENTE APELDOORNOMSCHRIJVING: OZB 2024\n"
                + " TERMIJN 1",
            "GEMEENTE APELDOORN", "OZB 2024 TERMIJN 1", "NL02ABNA0123456789"
        ),
        (
            ":86:REK: NL02ABNA0123456789/NAAM: J. JANSEN\nHuur januari", "J. JANSEN",
            "Huur januari", "NL02ABNA0123456789"
        ),
        (
            ":86:PRZELEW PRZYCHODZACY; OD: JAN KOWALSKI; TYT.: CZYNSZ; TNR: 17", "JAN KOWALSKI",
            "CZYNSZ", nil
        ),
        (":86:/TRCD/00370/\n", "NTRF", nil, nil),
        (
            ":86:166?00GUTSCHRIFT?20SVWZ+was kostet das?96 Euro?32Anna", "Anna",
            "was kostet das?96 Euro", nil
        ),
    ])
    func dialectsOfTextsAreUnderstood(
        _ more: String,
        _ name: String,
        _ description: String?,
        _ counterparty: String?
    ) throws {
        let row = try MT940ReaderTests.row("240105C1,00NTRFNONREF", more)
        #expect(row?.name == name)
        #expect(row?.description == description)
        #expect(row?.counterparty == counterparty)
    }

    @Test func aNumberBeforeTheNameIsNoPartOfIt() throws {
        let more = "J JANSEN\n:86:NL02ABNA0123456789 J JANSEN\nHuur"
        let row = try MT940ReaderTests.row("240105C1,00NTRFNONREF", more)
        #expect(row?.name == "J JANSEN" && row?.description == "Huur")
        #expect(row?.counterparty == "NL02ABNA0123456789")
    }
}
