import Testing
import WalletProtocol

@testable import BankFiles

/// QIF, and what a file that is none of the formats is called.
@Suite struct QIFReaderTests {
    private func read(
        _ text: String,
        _ currency: Currency = .eur
    ) throws(UnreadableStatement) -> [BankStatement] {
        try readStatements(Array(text.utf8), format: nil, assuming: currency)
    }

    private static let bank = """
        !Type:Bank
        D1/31'24
        T-1,234.50
        N1001
        PBakery & Co
        MBread
        LFood:Bread
        ^
        D12/ 1' 5
        T20.00
        PEmployer
        SSalary
        $15.00
        SBonus
        EFor May
        $5.00
        ^

        """

    @Test func rowsAreRead() throws {
        let statement = try #require(try read(Self.bank, .usd).first)
        #expect(statement.format == .qif && statement.kind == "BANK")
        #expect(statement.rows.map(\.amount) == [-123_450, 2_000])
        #expect(statement.rows.map(\.day.text) == ["2024-01-31", "2005-12-01"])
        #expect(statement.rows.map(\.name) == ["Bakery & Co", "Employer"])
        #expect(statement.rows[0].description == "Bread; Check 1001")
        #expect(statement.rows[1].description == "Salary; Bonus; For May")
        #expect(statement.rows.map(\.line) == [2, 9])
        #expect(statement.closing == nil && statement.faults.isEmpty)
    }

    @Test func whatNothingDecidesIsTold() throws {
        let text = "!Type:Bank\nD3/4'24\nT1.00\nPx\n^\nD3/5'24\nT1,234\nPy\n^\n"
        let statement = try #require(try read("!Type:Bank\nD3/4'24\nT1,234\nPy\n^\n").first)
        #expect(statement.rows.map(\.amount) == [123_400])
        #expect(statement.rows.first?.day == Day("2024-04-03"))
        #expect(statement.notes.map(\.line) == [2, 2])
        #expect(statement.notes.first?.detail.contains("day first") == true)
        #expect(statement.notes.last?.detail.contains("thousands") == true)
        let days = try #require(try read(text, .usd).first)
        #expect(days.rows.map(\.day.text) == ["2024-03-04", "2024-03-05"])
        #expect(days.notes.map(\.line) == [2])
        #expect(days.notes.first?.detail.contains("month first") == true)
    }

    @Test func theFirstRowMayBeTheOpeningBalance() throws {
        let text = """
            !Type:CCard
            D31/12/23
            T10,00
            POpening Balance
            L[Visa]
            ^
            D01.02.2024
            T-2,50
            PPub
            ^
            """
        let statement = try #require(try read(text).first)
        #expect(statement.accountNumber == "Visa")
        #expect(statement.opening == 1_000 && statement.closing == 750)
        #expect(statement.rows.map(\.amount) == [-250])
        #expect(statement.rows.first?.day == Day("2024-02-01"))
    }

    @Test func accountsAreToldApartAndListsPassedOver() throws {
        let text = """
            !Option:AutoSwitch
            !Account
            NChecking
            TBank
            ^
            !Type:Bank
            D2024-01-02
            T1.00
            ^
            !Clear:AutoSwitch
            !Account
            NWallet
            TCash
            ^
            !Type:Cash
            D2024-01-03
            T2.00
            ^
            !Type:Cat
            NFood
            DFood and drink
            E
            ^
            """
        let statements = try read(text)
        #expect(statements.map(\.accountNumber) == ["Checking", "Wallet"])
        #expect(statements.map { $0.rows.map(\.amount) } == [[100], [200]])
    }

    @Test(arguments: ["T1\n^", "D99/99/2024\nT1\n^", "D1/2/2024\n^", "D1/2/2024\nTx\n^"])
    func whatIsNoRowIsAFaultWithItsLine(_ row: String) throws {
        let statement = try #require(try read("!Type:Bank\n" + row).first)
        #expect(statement.rows.isEmpty && statement.faults.map(\.line) == [2])
    }

    @Test(arguments: ["!Type:Invst\nD1/2/2024\n^", "!Type:Cat\nNFood\n^", "!Type:Memorized\n^"])
    func otherListsAreRefused(_ text: String) {
        #expect(throws: UnreadableStatement.self) { try read(text) }
    }

    @Test(arguments: [
        ("", "empty"), ("%PDF-1.4\n", "PDF"), ("GIF89a", "picture"),
        ("<!DOCTYPE html><html>:20:</html>", "HTML"), ("{\"a\": 1, \"b\": 2}", "JSON"),
        ("[{\"a\": 1}, {\"b\": 2}]", "JSON"),
        ("<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pain.001.001.03\"/>", "pain.001"),
        ("<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.029.001.03\"/>", "camt.029"),
        ("<gpx/>", "XML"), ("just words", "text"),
        ("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\na,b\r\n", "form"),
    ])
    func anUnknownFileIsToldWhatItLooksLike(_ text: String, _ word: String) {
        do throws(UnreadableStatement) {
            _ = try read(text)
            Issue.record("it was read")
        } catch {
            guard case .unknownFormat(let detail) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(detail.contains(word) && detail.contains("OFX"), "\(detail)")
        }
    }
}
