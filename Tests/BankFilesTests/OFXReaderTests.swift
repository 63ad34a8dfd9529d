import Testing
import WalletProtocol

@testable import BankFiles

/// OFX in its dialects, and what is refused.
@Suite struct OFXReaderTests {
    static func file(_ rows: String, currency: String = "EUR", closing: String = "10.00") -> String
    {
        """
        OFXHEADER:100
        DATA:OFXSGML

        <OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>\(currency)
        <BANKACCTFROM><ACCTID>1</BANKACCTFROM>
        <BANKTRANLIST><DTSTART>20240101<DTEND>20240131
        \(rows)
        </BANKTRANLIST><LEDGERBAL><BALAMT>\(closing)<DTASOF>20240131</LEDGERBAL>
        </STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
        """
    }

    static func read(_ text: String) throws -> BankStatement {
        let statements = try readStatements(Array(text.utf8), format: nil, assuming: .usd)
        return try #require(statements.first)
    }

    static func refusal(_ text: String) -> UnreadableStatement? {
        do throws(UnreadableStatement) {
            _ = try readStatements(Array(text.utf8), format: .ofx, assuming: .usd)
            return nil
        } catch {
            return error
        }
    }

    static func row(_ amount: String, day: String = "20240105", more: String = "") -> String {
        "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>\(day)<TRNAMT>\(amount)<FITID>7\(more)</STMTTRN>"
    }

    @Test(arguments: [
        ("20240105", true), ("2024010512", true), ("202401051230", true), ("20240105123059", true),
        ("20240105123059.123", true), ("20240105235959.000[-5:EST]", true),
        ("20240105000000[+5.30:IST]", true), ("20240105 [0:GMT]", true),
        ("20240105093914:014", true), ("2024010", false), ("20240230", false), ("20241301", false),
        ("202401051", false), ("20240105x", false), ("20240105[-5", false), ("2024-01-05", false),
    ])
    func aDayIsTheOneWritten(_ text: String, _ isDay: Bool) {
        let day = StatementDates.ofx(text)
        let expected = isDay ? Day("2024-01-05") : nil
        #expect(day == expected)
    }

    @Test(arguments: [
        ("-6.60", -660), ("+6,6", 660), ("6", 600), ("6.", 600), (".5", 50), ("-0.050", -5),
        ("1,234.56", 123_456), ("1.234,56", 123_456), ("007", 700),
        ("92233720368547758.07", Int64.max), ("-92233720368547758.07", -Int64.max),
    ])
    func anAmountIsExact(_ text: String, _ units: Int64) throws {
        let read = try StatementAmounts.ofx(text, in: .eur)
        #expect(read == units)
    }

    @Test(arguments: [
        ("$120", AmountFault.malformed), ("", .malformed), ("-", .malformed), ("1.2.3", .malformed),
        ("1.234.567", .malformed), ("(5)", .malformed), ("1e3", .malformed), ("5-", .malformed),
        ("1 000", .malformed), ("--5", .malformed), ("1,234", .tooFine), ("0.001", .tooFine),
        ("92233720368547758.08", .tooLarge), ("99999999999999999999", .tooLarge),
    ])
    func anAmountThatIsNoneIsAFault(_ text: String, _ fault: AmountFault) {
        #expect(throws: fault) { try StatementAmounts.ofx(text, in: .eur) }
    }

    /// A balance sums many amounts, and is bounded by none of them.
    @Test func anAmountThatNoCallWouldTakeIsItsRowsFault() throws {
        let rows = ["10000000000000.00", "10000000000000.01"].map {
            "<STMTTRN><DTPOSTED>20240105<TRNAMT>\($0)<FITID>\($0)<NAME>n</STMTTRN>"
        }
        let file = Self.file(rows.joined(), closing: "20000000000000.00")
        let statement = try #require(
            readStatements(Array(file.utf8), format: .ofx, assuming: .eur).first
        )
        #expect(statement.rows.map(\.amount) == [1_000_000_000_000_000])
        #expect(statement.faults.map(\.detail) == [StatementLimits.amountTooLarge])
        #expect(statement.closing == 2_000_000_000_000_000 && statement.opening == nil)
    }

    @Test func anAmountFitsItsCurrency() throws {
        let dinar = try StatementAmounts.ofx("1,234", in: .kwd)
        let yen = try StatementAmounts.ofx("500.00", in: .jpy)
        #expect(dinar == 1_234)
        #expect(yen == 500)
        #expect(throws: AmountFault.tooFine) { try StatementAmounts.ofx("500.5", in: .jpy) }
    }

    @Test func aRowThatCannotBeReadIsAFaultAndLeavesNoOpeningBalance() throws {
        let rows = [Self.row("1.00"), Self.row("x"), Self.row("2", day: "20240231")]
        let statement = try Self.read(Self.file(rows.joined(separator: "\n")))
        #expect(statement.rows.map(\.amount) == [100])
        #expect(statement.faults.map(\.line) == [8, 9])
        #expect(statement.closing == 1_000)
        #expect(statement.opening == nil)
    }

    @Test func emptyRowsAndStrayTextLoseNoRowInSilence() throws {
        let rows = "<STMTTRN></STMTTRN>\n<STMTTRN/>\n<STMTTRN>x" + Self.row("3").dropFirst(9)
        let statement = try Self.read(Self.file(rows))
        #expect(statement.rows.map(\.amount) == [300])
        #expect(statement.faults.map(\.line) == [7, 8])
    }

    @Test func aRowInAnotherCurrencyIsAFault() throws {
        let other = "<CURRENCY><CURRATE>1.1<CURSYM>USD</CURRENCY>"
        let original = "<ORIGCURRENCY><CURRATE>1.1<CURSYM>USD</ORIGCURRENCY>"
        let rows = Self.row("1", more: other) + "\n" + Self.row("2", more: original)
        let statement = try Self.read(Self.file(rows))
        #expect(statement.rows.map(\.amount) == [200])
        #expect(statement.faults.map(\.line) == [7])
    }

    @Test func theNameIsTheBestThatIsThere() throws {
        let rows = [
            "<NAME>A &amp; B&#39;s&#x20AC; &bogus;<MEMO>why<CHECKNUM>12",
            "<PAYEE><NAME>P</NAME></PAYEE><MEMO>P", "<MEMO>only a memo", "<CHECKNUM>0012", "",
            "<NAME>card<CHECKNUM>77",
            "<NAME>  a \u{0} b\t\u{1}c  <MEMO><CHECKNUM>0",
        ]
        // Only where it is a cheque's is the number one's.
        let lines = rows.map { more in
            let row = Self.row("1", more: more)
            return more.contains("card") ? row : row.replacing("DEBIT", with: "CHECK")
        }.joined(separator: "\n")
        let statement = try Self.read(Self.file(lines))
        #expect(
            statement.rows.map(\.name) == [
                "A & B's€ &bogus;", "P", "only a memo", "Check 0012", "CHECK", "card", "a b c",
            ]
        )
        #expect(
            statement.rows.map(\.description) == ["why; Check 12", nil, nil, nil, nil, nil, nil]
        )
    }

    @Test(arguments: [
        ("-10.1234", -1_012), ("0.125", 12), ("0.135", 14), ("0.1351", 14), ("-0.125", -12),
        ("0.995", 100), ("0.9950001", 100), ("1.004", 100),
    ])
    func moreDecimalsAreRoundedHalfEvenWithANote(_ text: String, _ units: Int64) throws {
        let statement = try Self.read(Self.file(Self.row(text)))
        #expect(statement.rows.map(\.amount) == [units])
        #expect(statement.faults.isEmpty)
        #expect(statement.notes.map(\.line) == [7])
    }

    @Test func aBalanceOfNoDayIsNone() throws {
        let text = Self.file(Self.row("5.00")).replacing("<DTASOF>", with: "<DTASOF>00000000")
        #expect(text.contains("00000000"))
        let statement = try Self.read(text)
        #expect(statement.closing == nil && statement.opening == nil)
        #expect(statement.notes.count == 1 && statement.rows.count == 1)
    }

    @Test func longTextsAreCutBetweenCharacters() throws {
        let family = "👨‍👩‍👧"
        let name = String(repeating: "x", count: 138) + family
        let rows = Self.row(
            "1",
            more: "<NAME>\(name)<MEMO>" + String(repeating: "é ", count: 3_000)
        )
        let statement = try Self.read(Self.file(rows))
        #expect(statement.rows.first?.name == String(repeating: "x", count: 138))
        #expect(statement.rows.first?.description?.count == 1_999)
    }

    @Test func aLongReferenceIsNoneRatherThanCut() throws {
        let id = String(repeating: "9", count: 256)
        let rows = Self.row("1").replacing("<FITID>7", with: "<FITID>\(id)")
        let statement = try Self.read(Self.file(rows))
        #expect(statement.rows.first?.reference == nil)
    }

    @Test func creditCardsAndCashOfInvestmentsAreRead() throws {
        let card = Self.file(Self.row("-4")).replacing("STMTRS", with: "CCSTMTRS")
            .replacing("BANKACCTFROM", with: "CCACCTFROM")
        let statement = try Self.read(card)
        #expect(statement.accountNumber == "1")
        #expect(statement.opening == 1_400)
        let cash = """
            <OFX><INVSTMTMSGSRSV1><INVSTMTTRNRS><INVSTMTRS><DTASOF>20240131<CURDEF>EUR
            <INVACCTFROM><BROKERID>b<ACCTID>9</INVACCTFROM><INVTRANLIST><DTSTART>20240101
            <DTEND>20240131<INVBANKTRAN>\(Self.row("5"))<SUBACCTFUND>CASH</INVBANKTRAN>
            </INVTRANLIST><INVBAL><AVAILCASH>12.00<MARGINBALANCE>0<SHORTBALANCE>0</INVBAL>
            </INVSTMTRS></INVSTMTTRNRS></INVSTMTMSGSRSV1></OFX>
            """
        let investment = try Self.read(cash)
        #expect(investment.accountNumber == "9")
        #expect(investment.opening == 700)
        let trade = cash.replacing("<INVBANKTRAN>", with: "\n<BUYSTOCK>")
        guard case .unreadable(4, let detail) = Self.refusal(trade) else {
            Issue.record("a trade was read")
            return
        }
        #expect(detail.contains("BUYSTOCK"))
    }

    @Test(arguments: [
        "<!DOCTYPE OFX><OFX></OFX>", "<OFX><STMTRS>", "<OFX><A", "<HTML></HTML>", "OFXHEADER:100",
        "<OFX>" + String(repeating: "<A>", count: 65) + "</OFX>", "<OFX><!-- </OFX>",
        "<OFX><\(String(repeating: "A", count: 70))></OFX>",
        "<OFX><!ENTITY a \"b\"></OFX>",
    ])
    func filesOfNoUseAreRefused(_ text: String) {
        guard case .unreadable(1, let detail) = Self.refusal(text) else {
            Issue.record("read: \(text.prefix(60))")
            return
        }
        #expect(!detail.isEmpty)
    }

    @Test func anUnknownCurrencyIsRefusedWithItsLine() throws {
        let statement = try Self.read(Self.file(Self.row("1"), currency: "QQQ"))
        #expect(statement.refusal == StatementFault(line: 4, detail: "«QQQ» is no currency"))
    }

    @Test(arguments: [
        (["OFXHEADER:100", "ENCODING:USASCII", "CHARSET:1252"], "caf\u{E9}", true),
        (["OFXHEADER:100 ENCODING:USASCII CHARSET:ISO-8859-1"], "caf\u{E9}", true),
        (["OFXHEADER:100ENCODING:USASCIICHARSET:1252COMPRESSION:NONE"], "caf\u{E9}", true),
        ([], "caf\u{E9}", true),
        (["OFXHEADER:100", "CHARSET:932"], "caf\u{E9}", false),
        (["OFXHEADER:100", "CHARSET:932"], "cafe", true),
        (["<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>"], "caf\u{E9}", false),
    ])
    func theCharsetIsTheDeclaredOne(_ header: [String], _ name: String, _ isRead: Bool) throws {
        let body = Self.file(Self.row("1", more: "<NAME>\(name)"))
        let text =
            header.joined(separator: "\r")
            + String(body[body.firstRange(of: "<OFX>")!.lowerBound...])
        let latin = text.unicodeScalars.map { UInt8($0.value) }
        let statements = try? readStatements(latin, format: .ofx, assuming: .eur)
        #expect(statements?.first?.rows.first?.name == (isRead ? name : nil))
    }

    @Test func otherFormatsAreUnknown() {
        let files = [
            "", " ", "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pain.001.001.03\"/>",
            "{1:F01}", "%PDF-1.4\u{0},,", "just words", "<html><body>:20:</body></html>",
        ]
        for file in files {
            do throws(UnreadableStatement) {
                _ = try readStatements(Array(file.utf8), format: nil, assuming: .eur)
                Issue.record("\(file)")
            } catch {
                guard case .unknownFormat = error else {
                    Issue.record("\(file): \(error)")
                    continue
                }
            }
        }
    }

    @Test func theLimitsHold() {
        let large = [UInt8](repeating: 0x20, count: StatementLimits.bytesMax + 1)
        #expect(
            throws: UnreadableStatement.unreadable(
                line: 1,
                detail: "the file is larger than 20 MiB"
            )
        ) {
            try readStatements(large, format: nil, assuming: .eur)
        }
        let rows = String(repeating: "<STMTTRN></STMTTRN>", count: StatementLimits.rowsMax + 1)
        guard case .unreadable(7, let detail) = Self.refusal(Self.file(rows)) else {
            Issue.record("too many rows were read")
            return
        }
        #expect(detail.contains("200,000"))
    }
}
