import Testing
import WalletProtocol

@testable import BankFiles

/// CSV in its dialects, and what is refused.
@Suite struct CSVReaderTests {
    static func read(_ text: String, _ currency: Currency = .eur) throws -> BankStatement {
        let statements = try readStatements(Array(text.utf8), format: .csv, assuming: currency)
        return try #require(statements.first)
    }

    static func refusal(_ text: String) -> UnreadableStatement? {
        do throws(UnreadableStatement) {
            _ = try readStatements(Array(text.utf8), format: .csv, assuming: .eur)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "Date,Description,Amount,Balance", "Buchungstag;Verwendungszweck;Betrag (EUR);Saldo",
        "Data;Causale;Importo;Saldo contabile", "Date opération;Libellé;Montant EUR;Solde",
        "Fecha\tConcepto\tImporte\tSaldo", "\"Date\";\"Details\";\"Amount\";\"Balance\"",
        "Kontonummer;DE02\n\nBuchungsdatum;Buchungstext;Betrag;Kontostand nach Buchung",
    ])
    func theHeaderNamesTheColumns(_ header: String) throws {
        let delimiter = header.contains("\t") ? "\t" : header.contains(";") ? ";" : ","
        let fields = ["2024-02-29", "Bread", "-1.50", "8.50"].joined(separator: delimiter)
        let statement = try Self.read(header + "\n" + fields + "\n")
        let row = try #require(statement.rows.first)
        #expect(row.day == Day("2024-02-29"))
        #expect(row.amount == -150)
        #expect(row.name == "Bread")
        #expect(row.description == nil)
        #expect(statement.opening == 1_000)
        #expect(statement.closing == 850)
        #expect(statement.from == row.day)
    }

    @Test(arguments: [
        ("1,234.56", 123_456), ("1.234,56", 123_456), ("1'234.56", 123_456), ("1’234.56", 123_456),
        ("1 234,56", 123_456), ("1\u{202F}234,56", 123_456), ("(12.34)", -1_234),
        ("12,34-", -1_234), ("-12,34", -1_234), ("\u{2212}12.34", -1_234), ("+12.34", 1_234),
        ("€ 12.34", 1_234), ("-€12.34", -1_234), ("€-12.34", -1_234), ("12,34 EUR", 1_234),
        ("EUR -12.34", -1_234), ("(€12.34)", -1_234), ("12,34- €", -1_234), ("1,000", 100_000),
        ("1.000", 100_000), ("0,5", 50), ("1,00,000.00", 10_000_000), ("1.234.567", 123_456_700),
        ("5", 500), ("12.3400", 1_234),
    ])
    func anAmountIsReadHoweverItIsWritten(_ text: String, _ units: Int64) throws {
        let statement = try Self.read("date;amount;name\n2024-01-01;\(text);x")
        #expect(statement.rows.map(\.amount) == [units], "\(statement.faults)")
    }

    @Test(arguments: [
        "", "x", "1.2.3", "12,34,56", "1..2", "1-2", "--1", "(1", "1)", "USD 1", "1 foo", "12.345",
        "1,2345.00", "99999999999999999999", "-(1)", "€ 1 €",
    ])
    func anAmountThatIsNoneIsAFault(_ text: String) throws {
        let statement = try Self.read("date;amount;name\n\n2024-01-01;\(text);x\n2024-01-01;0.5;x")
        #expect(statement.rows.map(\.amount) == [50])
        #expect(statement.faults.map(\.line) == [3])
    }

    @Test func theWholeColumnDecidesWhatAMarkMeans() throws {
        let file = "date;amount;name\n2024-01-01;1.234;x\n2024-01-01;%;x"
        let groups = try Self.read(file.replacing("%", with: "0,50"))
        #expect(groups.rows.map(\.amount) == [123_400, 50])
        let fraction = try Self.read(file.replacing("%", with: "0.5"))
        #expect(fraction.rows.map(\.amount) == [50])
        #expect(fraction.faults.map(\.line) == [2])
        let dinars = try Self.read(file.replacing("%", with: "2.000"), .kwd)
        #expect(dinars.rows.map(\.amount) == [1_234, 2_000])
    }

    @Test(arguments: [
        ("03/04/2024", "01/01/2024", Currency.eur, "2024-04-03"),
        ("03/04/2024", "01/01/2024", .usd, "2024-03-04"),
        ("03/04/2024", "13/01/2024", .usd, "2024-04-03"),
        ("03/04/2024", "01/13/2024", .eur, "2024-03-04"),
        ("03.04.2024", "01.12.2024", .usd, "2024-04-03"),
        ("3.4.24", "01.12.24", .usd, "2024-04-03"), ("2024/04/03", "", .usd, "2024-04-03"),
        ("20240403", "", .usd, "2024-04-03"), ("2024-04-03 23:59:59", "", .usd, "2024-04-03"),
        ("2024-04-03T23:59:59Z", "", .usd, "2024-04-03"), ("03-04-2024", "", .eur, "2024-04-03"),
    ])
    func theWholeColumnDecidesWhichPartIsTheDay(
        _ first: String,
        _ second: String,
        _ currency: Currency,
        _ day: String
    ) throws {
        let rows = "\(first),1.00,x\n\(second),1.00,x\n"
        let statement = try Self.read("Date,Amount,Name\n" + rows, currency)
        #expect(statement.rows.first?.day == Day(day))
        #expect(statement.rows.first?.line == 2)
    }

    @Test func debitsAndCreditsMayHaveColumnsOfTheirOwn() throws {
        let file = "Datum;Text;Belastung;Gutschrift\n1.2.2024;a;5.00;\n1.2.2024;b;;7.00\n"
        let faulty = file + "1.2.2024;c;;\n1.2.2024;d;1.00;2.00\n"
        let statement = try Self.read(faulty)
        #expect(statement.rows.map(\.amount) == [-500, 700])
        #expect(statement.faults.map(\.line) == [4, 5])
        let signed = try Self.read(file.replacing("5.00", with: "-5.00"))
        #expect(signed.rows.map(\.amount) == [-500, 700])
        let marked = try Self.read(
            "Datum;Text;Umsatz;Soll/Haben\n1.2.2024;a;5,00;S\n1.2.2024;b;6,00;H"
        )
        #expect(marked.rows.map(\.amount) == [-500, 600])
    }

    @Test func rowsOfAnotherCurrencyAreFaults() throws {
        let file = "date,amount,name,currency\n2024-01-01,1.00,a,USD\n2024-01-01,2.00,b,EUR\n"
        let euros = try Self.read(file)
        #expect(euros.currency == .eur)
        #expect(euros.rows.map(\.name) == ["b"])
        #expect(euros.faults.map(\.line) == [2])
        let dollars = try Self.read(file, .gbp)
        #expect(dollars.currency == .usd)
        let named = try Self.read("date,amount (CHF),name\n2024-01-01,1.00,a")
        #expect(named.currency == .chf)
        let unnamed = try Self.read("Datum;Betrag;Text;Valuta\n1.1.2024;1,00;a;2.1.2024")
        #expect(unnamed.currency == nil)
        #expect(unnamed.rows.first?.day == Day("2024-01-01"))
    }

    @Test func linesAreThoseOfTheFile() throws {
        let file =
            "date,amount,name,description\r\n\r\n"
            + "2024-01-01,1.00,\"a \"\"b\"\", c\",\"1\r\n2\r3\"\r\n"
            + "2024-01-02,2.00,d,\r\nTotal,,,\r\n"
        let statement = try Self.read(file)
        #expect(statement.rows.map(\.line) == [3, 6])
        #expect(statement.rows.map(\.name) == ["a \"b\", c", "d"])
        #expect(statement.rows.map(\.description) == ["1 2 3", nil])
        #expect(statement.faults.map(\.line) == [7])
    }

    @Test func balancesMustTie() throws {
        let newestFirst =
            "date,amount,name,balance\n2024-01-02,2.00,b,13.00\n2024-01-01,1.00,a,11.00"
        let statement = try Self.read(newestFirst)
        #expect(statement.opening == 1_000)
        #expect(statement.closing == 1_300)
        #expect(statement.notes == [])
        let broken = try Self.read(newestFirst.replacing("13.00", with: "13.01"))
        #expect(broken.notes.first?.detail.contains("do not tie") == true)
        #expect(broken.closing == nil)
        #expect(broken.opening == nil)
    }

    @Test(arguments: ["", "a,b", "a\nb\nc", "date,name", "\u{FEFF}"])
    func aFileWithoutAHeaderIsRefused(_ text: String) {
        let detail = "no header line with a date and an amount is among the first lines"
        #expect(Self.refusal(text) == .unreadable(line: 1, detail: detail))
    }

    @Test func aQuoteThatIsNeverClosedIsRefusedWithItsLine() {
        let refusal = Self.refusal("date,amount,name\n2024-01-01,1.00,a\n2024-01-01,1.00,\"b\n,\n")
        #expect(refusal == .unreadable(line: 3, detail: "a quote is not closed"))
    }

    @Test func theLimitsHold() {
        let wide = "date,amount\n" + String(repeating: ",", count: 256)
        #expect(
            Self.refusal(wide)
                == .unreadable(line: 2, detail: "a record has more than 256 fields")
        )
        let rows = String(repeating: "x,y\n", count: StatementLimits.rowsMax + 1)
        let refusal = Self.refusal("date,amount\n" + rows)
        let detail = "the file has more than 200,000 rows"
        #expect(refusal == .unreadable(line: StatementLimits.rowsMax + 2, detail: detail))
    }
}
