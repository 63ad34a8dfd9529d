import Testing
import WalletProtocol

@testable import BankFiles

/// CSV files whose columns are told.
@Suite struct CSVMappingTests {
    private static func read(_ text: String, _ mapping: CSVMapping?) throws -> BankStatement {
        let statements = try readStatements(
            Array(text.utf8),
            format: .csv,
            mapping: mapping,
            assuming: .eur
        )
        return try #require(statements.first)
    }

    private static let strange = """
        Kontoauszug;;;
        wann;wer;wieviel;wozu
        03.04.2024;Bäcker;-1.234,56;Brot
        04.04.2024;Chef;2.000,00;Lohn
        """

    @Test func aTableOfUnknownColumnsTellsThemAndHasNoRows() throws {
        let statement = try Self.read(Self.strange, nil)
        #expect(statement.rows.isEmpty && statement.faults.count == 1)
        #expect(statement.layout?.columns == ["Kontoauszug", "", "", ""])
        #expect(statement.layout?.mapping == nil)
    }

    @Test func columnsGoByNameOrNumber() throws {
        let byName = CSVMapping(
            date: .second("Wann"),
            amount: .second("wieviel"),
            name: .second("wer"),
            description: .second("wozu")
        )
        let byNumber = CSVMapping(
            date: .first(1),
            amount: .first(3),
            name: .first(2),
            description: .first(4),
            headerRows: 2
        )
        let bare = CSVMapping(date: .first(1), amount: .first(3), name: .first(2))
        for mapping in [byName, byNumber, bare] {
            let statement = try Self.read(Self.strange, mapping)
            #expect(statement.rows.map(\.amount) == [-123_456, 200_000])
            #expect(statement.rows.map(\.name) == ["Bäcker", "Chef"])
            #expect(statement.rows.first?.day == Day("2024-04-03"))
            #expect(statement.layout?.columns == ["wann", "wer", "wieviel", "wozu"])
            // What is told can be given back.
            let told = try #require(statement.layout?.mapping)
            #expect(told.decimal == .comma && told.headerRows == 2)
            #expect(try Self.read(Self.strange, told).rows == statement.rows)
        }
    }

    @Test func aTabulatorIsEscapedWhereAMappingIsTold() throws {
        let statement = try Self.read("Date\tDescription\tAmount\n2024-01-02\tx\t-1.00\n", nil)
        let mapping = try #require(statement.layout?.mapping)
        #expect(mapping.delimiter == .tab)
        let text = JSON.text(mapping)
        #expect(text.contains("\"delimiter\":\"\\t\""))
        #expect(try JSON.read(CSVMapping.self, from: Array(text.utf8)) == mapping)
    }

    @Test func aFoundMappingCanBeGivenBackToo() throws {
        let text = "Date,Payee,Amount\n2024-01-02,a,1.00\n2024-01-03,b,-2.00"
        let found = try Self.read(text, nil)
        let told = try #require(found.layout?.mapping)
        #expect(told.date == .second("Date") && told.name == .second("Payee"))
        #expect(try Self.read(text, told).rows == found.rows)
    }

    @Test func whatIsToldBeatsWhatIsGuessed() throws {
        let text = "date,amount\n03/04/2024,\"1,234\"\n"
        let guessed = try Self.read(text, nil)
        #expect(guessed.rows.map(\.amount) == [123_400])
        #expect(guessed.rows.map(\.day) == [Day("2024-04-03")])
        let told = CSVMapping(
            date: .second("date"),
            amount: .second("amount"),
            currency: .second("EUR"),
            decimal: .point,
            dateOrder: .monthFirst
        )
        let read = try Self.read(text, told)
        #expect(read.rows.map(\.day) == [Day("2024-03-04")])
        #expect(read.currency == .eur)
        let comma = CSVMapping(date: .first(1), amount: .first(2), decimal: .comma, headerRows: 1)
        #expect(try Self.read(text, comma).faults.count == 1)
        let years = "a,b\n24/01/05,1.00\n"
        let yearFirst = CSVMapping(
            date: .first(1),
            amount: .first(2),
            dateOrder: .yearFirst,
            headerRows: 1
        )
        #expect(try Self.read(years, yearFirst).rows.map(\.day) == [Day("2024-01-05")])
    }

    @Test func debitsAndCreditsAndBarsWillDo() throws {
        let text = "1|2024-01-02|3,50|\n2|2024-01-03||4,00\n"
        let mapping = CSVMapping(
            date: .first(2),
            debit: .first(3),
            credit: .first(4),
            reference: .first(1),
            delimiter: .bar,
            headerRows: 0
        )
        let statement = try Self.read(text, mapping)
        #expect(statement.rows.map(\.amount) == [-350, 400])
        #expect(statement.rows.map(\.reference) == ["1", "2"])
    }

    @Test(arguments: [
        (CSVMapping(date: .second("nie"), amount: .first(3)), "date"),
        (CSVMapping(date: .first(1), amount: .second("nix"), headerRows: 2), "amount"),
        (CSVMapping(date: .first(9), amount: .first(3), headerRows: 2), "date"),
        (CSVMapping(date: .first(0), amount: .first(3), headerRows: 2), "date"),
        (CSVMapping(date: .first(1)), "amount"),
        (CSVMapping(date: .first(1), debit: .first(2)), "amount"),
        (CSVMapping(date: .first(1), amount: .first(3), credit: .first(2)), "debit"),
        (CSVMapping(date: .second("wann"), amount: .first(3), headerRows: 0), "date"),
    ])
    func aColumnThatIsNotThereIsTold(_ mapping: CSVMapping, _ member: String) {
        do throws(UnreadableStatement) {
            _ = try readStatements(
                Array(Self.strange.utf8),
                format: .csv,
                mapping: mapping,
                assuming: .eur
            )
            Issue.record("it was read")
        } catch {
            guard case .mapping(member, let detail) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!detail.isEmpty)
        }
    }
}
