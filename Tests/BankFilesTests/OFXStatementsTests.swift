import Testing
import WalletProtocol

@testable import BankFiles

/// Files of several statements: which are one account's, and which is asked for.
@Suite struct OFXStatementsTests {
    struct Part {
        var bank: String?
        var number: String? = "77"
        var kind: String?
        var currency: String? = "EUR"
        var rows: [(amount: String, id: String)] = []
        var closing = "1.00"
        var asOf = "20240131"
    }

    static func file(_ parts: [Part]) -> [UInt8] {
        func leaf(_ name: String, _ value: String?) -> String {
            value.map { "<\(name)>\($0)\n" } ?? ""
        }
        let statements = parts.map { part in
            "<STMTTRNRS><STMTRS>" + leaf("CURDEF", part.currency) + "<BANKACCTFROM>\n"
                + leaf("BANKID", part.bank) + leaf("ACCTID", part.number)
                + leaf("ACCTTYPE", part.kind) + "</BANKACCTFROM><BANKTRANLIST>\n"
                + part.rows.map { row in
                    "<STMTTRN><DTPOSTED>\(part.asOf)<TRNAMT>\(row.amount)<FITID>\(row.id)"
                        + "<NAME>n</STMTTRN>\n"
                }.joined()
                + "</BANKTRANLIST><LEDGERBAL><BALAMT>\(part.closing)<DTASOF>\(part.asOf)"
                + "</LEDGERBAL></STMTRS></STMTTRNRS>\n"
        }
        return Array(
            ("OFXHEADER:100\n\n<OFX><BANKMSGSRSV1>" + statements.joined()
                + "</BANKMSGSRSV1></OFX>").utf8
        )
    }

    static func read(
        _ bytes: [UInt8],
        number: String? = nil,
        format: StatementFormat? = nil
    ) throws(UnreadableStatement) -> BankStatement {
        let chosen = try chosenStatement(
            of: readStatements(bytes, format: format, assuming: .eur),
            number: number,
            currency: .eur
        )
        if let refusal = chosen.refusal {
            throw .unreadable(line: refusal.line, detail: refusal.detail)
        }
        return chosen
    }

    static func numbers(_ bytes: [UInt8], number: String? = nil) -> [String]? {
        do throws(UnreadableStatement) {
            _ = try read(bytes, number: number)
            return nil
        } catch {
            guard case .several(let numbers) = error else { return nil }
            return numbers
        }
    }

    static let january = Part(rows: [("1.00", "a"), ("2.00", "b")], closing: "13.00")
    static let february = Part(rows: [("-4.00", "c")], closing: "9.00", asOf: "20240229")

    @Test func monthsOfOneAccountAreOneStatement() throws {
        for parts in [[Self.january, Self.february], [Self.february, Self.january]] {
            for change in [
                { (_: inout Part) in }, { $0.number = nil }, { $0.currency = nil },
                { $0.bank = "1" },
            ] as [(inout Part) -> Void] {
                var parts = parts
                for index in parts.indices { change(&parts[index]) }
                let statement = try Self.read(Self.file(parts))
                #expect(statement.rows.map(\.amount).sorted() == [-400, 100, 200])
                #expect(statement.closing == 900)
                #expect(statement.opening == 1_000)
            }
        }
    }

    /// One statement of several may leave its currency out.
    @Test func aMonthWithoutACurrencyIsInTheAccounts() throws {
        var second = Self.february
        second.currency = nil
        let statement = try Self.read(Self.file([Self.january, second]))
        #expect(statement.rows.count == 3)
        #expect(statement.currency == .eur)
    }

    @Test func whatMonthsOverlapInIsThereOnceAndTwinsStay() throws {
        var second = Self.february
        second.rows = [("-4.00", "c"), ("-4.00", "c")]
        var first = second
        first.rows.append(("1.00", "d"))
        first.asOf = "20240229"
        let statement = try Self.read(Self.file([first, second]))
        #expect(statement.rows.map(\.amount) == [-400, -400, 100])
    }

    @Test func savingsUnderTheSameNumberAreToldApart() throws {
        var checking = Self.january
        checking.kind = "CHECKING"
        var savings = Self.february
        savings.kind = "SAVINGS"
        let file = Self.file([checking, savings])
        #expect(Self.numbers(file) == ["77 CHECKING", "77 SAVINGS"])
        #expect(Self.numbers(file, number: "77") == ["77 CHECKING", "77 SAVINGS"])
        for (number, closing) in [("77 CHECKING", 1_300 as Int64), ("77 SAVINGS", 900)] {
            let statement = try Self.read(file, number: number)
            #expect(statement.closing == closing)
            #expect(statement.accountNumber == "77")
        }
        // The account's currency decides only where one has it.
        savings.currency = "USD"
        let chosen = try Self.read(Self.file([checking, savings]))
        #expect(chosen.closing == 1_300)
    }

    @Test func accountsWithoutANumberAreToldApart() throws {
        var checking = Self.january
        (checking.number, checking.kind) = (nil, "CHECKING")
        var savings = Self.february
        (savings.number, savings.kind) = (nil, "SAVINGS")
        let file = Self.file([checking, savings])
        #expect(Self.numbers(file) == ["CHECKING", "SAVINGS"])
        let chosen = try Self.read(file, number: "SAVINGS")
        #expect(chosen.closing == 900)
    }

    @Test func anUnknownCurrencyRefusesItsOwnAccountAlone() throws {
        var other = Self.february
        (other.number, other.currency) = ("88", "XQX")
        let file = Self.file([Self.january, other])
        let statement = try Self.read(file, number: "77")
        #expect(statement.closing == 1_300)
        #expect(throws: UnreadableStatement.self) { try Self.read(file, number: "88") }
    }

    @Test func aBalanceThatIsNoneIsTold() throws {
        var part = Self.january
        part.closing = "twelve"
        let read = try Self.read(Self.file([part]))
        #expect(read.closing == nil)
        #expect((read.faults + read.notes).count == 1)
    }

    @Test func aLongNameIsReadWhereTheShortOneIsCut() throws {
        let more =
            "<NAME>Stadtwerke der grossen Stadt am <EXTDNAME>Stadtwerke der grossen Stadt am Fluss"
        let cut = try OFXReaderTests.read(OFXReaderTests.file(OFXReaderTests.row("1", more: more)))
        #expect(cut.rows.first?.name == "Stadtwerke der grossen Stadt am Fluss")
        let apart = "<NAME>Baker<EXTDNAME>what was bought"
        let whole = try OFXReaderTests.read(
            OFXReaderTests.file(OFXReaderTests.row("1", more: apart))
        )
        #expect(whole.rows.first?.name == "Baker")
    }

    /// No bank's file has so many, and a list of them would be no answer.
    @Test func theNumberOfStatementsIsLimited() throws {
        let many = StatementLimits.statementsMax + 1
        let files: [(StatementFormat, String)] = [
            (.ofx, "<OFX>" + String(repeating: "<STMTRS></STMTRS>", count: many) + "</OFX>"),
            (
                .camt053,
                "<Document><BkToCstmrStmt>" + String(repeating: "<Stmt/>", count: many)
                    + "</BkToCstmrStmt></Document>"
            ),
            (.mt940, String(repeating: ":20:\n", count: many)),
        ]
        for (format, file) in files {
            do throws(UnreadableStatement) {
                _ = try readStatements(Array(file.utf8), format: format, assuming: .eur)
                Issue.record("too many were read of \(format)")
            } catch {
                guard case .unreadable(_, let detail) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(detail.contains("10,000 statements"))
            }
        }
        let parts = (0..<500).map { Part(number: "9000\($0)") }
        let listed = Self.numbers(Self.file(parts))
        #expect(listed?.count == 100)
        let asked = try Self.read(Self.file(parts), number: "9000499")
        #expect(asked.accountNumber == "9000499")
    }

    @Test func pagesWithoutACurrencyBelongToTheirAccount() throws {
        let page =
            "<Stmt><Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></Acct>"
            + CamtReaderTests.entry("2") + "</Stmt>"
        let body =
            CamtReaderTests.balance("OPBD", "0") + CamtReaderTests.entry("1")
            + CamtReaderTests.balance("CLBD", "1")
        let file = CamtReaderTests.file(body).replacing("</Stmt>", with: "</Stmt>" + page)
        let statement = try Self.read(Array(file.utf8))
        #expect(statement.rows.map(\.amount) == [100, 200])
    }

    @Test func tooManyBalancesAreRefused() {
        let body = String(repeating: CamtReaderTests.balance("ITBD", "1"), count: 1_001)
        #expect(throws: UnreadableStatement.self) {
            try CamtReaderTests.read(CamtReaderTests.file(body))
        }
    }
}
