import Testing
import WalletProtocol

@testable import BankFiles

/// How banks name columns, and write days, sides and sums.
@Suite struct CSVDialectTests {
    @Test(arguments: [
        "Date;Libellé;Montant débit;Montant crédit", "Date;Name;Amount Debit;Amount Credit",
        "Date;Name;Amount (Debit);Amount (Credit)", "Datum;Name;Betrag Soll;Betrag Haben",
        "Datum;Name;Betrag Soll (EUR);Betrag Haben (EUR)",
        "Data;Causale;Importo Dare;Importo Avere",
        "Data;Causale;Importo a debito;Importo a credito", "Data;Causale;Dare;Importo Avere",
        "Fecha;Concepto;Importe Debe;Importe Haber", "Date;Name;Debit Amount;Credit Amount",
    ])
    func debitsAreMoneyOutHoweverTheColumnIsCalled(_ header: String) throws {
        let file = header + "\n1.2.2024;a;5,00;\n2.2.2024;b;;7,00\n"
        let statement = try CSVReaderTests.read(file)
        #expect(statement.rows.map(\.amount) == [-500, 700], "\(statement.faults)")
    }

    @Test(arguments: [
        ("Af", "Bij"), ("Débit", "Crédit"), ("débit", "crédit"), ("Uscita", "Entrata"),
        ("ADDEBITO", "Accredito"), ("-", "+"), ("\u{2212}", "+"), ("S", "H"), ("Debe", "Haber"),
        ("Belastung", "Gutschrift"), ("DBIT", "CRDT"), ("Cargo", "Abono"), ("D", "C"),
    ])
    func aColumnMaySayWhichWay(_ out: String, _ into: String) throws {
        for name in ["Debit/Credit", "+/-", "Af Bij", "Entrata/Uscita", "Addebito/Accredito"] {
            let file =
                "Datum;Name;Betrag;\(name)\n1.2.2024;a;5,00;\(out)\n2.2.2024;b;7,00;\(into)\n"
            let statement = try CSVReaderTests.read(file)
            #expect(statement.rows.map(\.amount) == [-500, 700], "\(name): \(statement.faults)")
        }
    }

    @Test(arguments: [
        "31 Jan 2024", "31-Jan-24", "Jan 31, 2024", "January 31st 2024", "31. Januar 2024",
        "31 janv. 2024", "31 janvier 2024", "31/gen/2024", "31 gennaio 2024", "31-ene-2024",
        "31 de enero de 2024", "31JAN2024", "2024-Jan-31", "Wed, 31 Jan 2024", "Mi. 31. Jan. 2024",
        "31 Jan 2024 12:30", "Wednesday, January 31, 2024", "mer. 31 janv. 2024",
    ])
    func aMonthMayBeAWord(_ text: String) throws {
        let day = StatementDates.csv(text, order: .monthFirst)
        #expect(day == Day("2024-01-31"))
        let statement = try CSVReaderTests.read("Date;Name;Amount\n\"\(text)\";x;1.00\n")
        #expect(statement.rows.first?.day == Day("2024-01-31"))
    }

    @Test(arguments: [
        ("1 Mär 2024", 3), ("1 März 2024", 3), ("1 mars 2024", 3), ("mar 1 mar 2024", 3),
        ("1 août 2024", 8), ("1 févr. 2024", 2), ("1 Dez 2024", 12), ("1 dic 2024", 12),
        ("1 déc. 2024", 12), ("1 Sept 2024", 9), ("1 set 2024", 9), ("1er juin 2024", 6),
        ("1 juil. 2024", 7), ("1 May 2024", 5), ("1 mag 2024", 5), ("1 Okt 2024", 10),
        ("1 ottobre 2024", 10), ("1 abr 2024", 4), ("1 avr. 2024", 4), ("1 lug 2024", 7),
        ("1 giu 2024", 6), ("1 ago 2024", 8), ("1 Nov 2024", 11),
    ])
    func everyLanguagesMonthsAreKnown(_ text: String, _ month: Int) {
        let day = StatementDates.csv(text, order: .dayFirst)
        #expect(day == Day(year: 2024, month: month, day: 1))
    }

    @Test(arguments: [
        "31 Feb 2024", "1 jui 2024", "1 foo 2024", "Jan 2024", "1 Jan", "Jan Feb 2024", "1 Jan 024",
        "123 Jan 2024", "mar 05/03/2024", "31 Jan 10:15", "31 Jan 10:15:20", "Jan 31 24 10:15",
    ])
    func whatIsNoDayIsNone(_ text: String) {
        let day = StatementDates.csv(text, order: .dayFirst)
        #expect(day == nil)
    }

    @Test(arguments: [
        ("12,-", 1_200), ("CHF 12.\u{2013}", 1_200), ("12.-", 1_200), ("-12,-", -1_200),
        ("1'234.\u{2014} CHF", 123_400), ("12,--", 1_200), ("(12.-)", -1_200), ("1.234,-", 123_400),
        ("12,00-", -1_200), ("12-", -1_200),
    ])
    func aDashForTheCentsIsNoMinus(_ text: String, _ units: Int64) throws {
        let statement = try CSVReaderTests.read("date;amount;name\n2024-01-01;\(text);x", .chf)
        #expect(statement.rows.map(\.amount) == [units], "\(statement.faults)")
    }

    @Test(arguments: [
        ("Status", "Vorgemerkt", "Gebucht"), ("Stato", "NON CONTABILIZZATO", "CONTABILIZZATO"),
        ("State", "PENDING", "COMPLETED"), ("State", "REVERTED", "COMPLETED"),
        ("State", "DECLINED", "COMPLETED"), ("Contabilizzazione", "Non contabilizzato", "x"),
        ("Info", "Umsatz vorgemerkt", "Umsatz gebucht"), ("Statut", "En attente", ""),
        ("Estado", "Pendiente", "Realizado"),
    ])
    func whatIsNotBookedIsLeftOutWithANote(
        _ column: String,
        _ pending: String,
        _ booked: String
    ) throws {
        let file =
            "Date,Name,Amount,\(column)\n2024-01-01,a,-1.00,\(booked)\n"
            + ",b,2.00,\(pending)\n2024-01-03,c,3.00,\(booked)\n"
        let statement = try CSVReaderTests.read(file)
        #expect(statement.rows.map(\.name) == ["a", "c"])
        #expect(statement.notes.map(\.line) == [3])
        #expect(statement.faults == [])
        // The mapping that is told reads it the same way.
        let mapping = try #require(statement.layout?.mapping)
        let again = try readCSV(Array(file.utf8), mapping: mapping, assuming: .eur).first
        #expect(again?.rows == statement.rows && again?.notes == statement.notes)
    }

    @Test(arguments: [
        ("Data Registrazione;Data valuta", true), ("Data valuta;Data Registrazione", false),
        ("Date comptabilisation;Date valeur", true), ("Fecha valor;Fecha registro", false),
        ("Datum;Valuta", true), ("Valuta;Buchung am", true), ("Wertstellung;Buchungstag", false),
    ])
    func theDayIsTheBookings(_ names: String, _ isFirst: Bool) throws {
        let file = "\(names);Importo;Causale\n01/02/2024;15/02/2024;1,00;x\n"
        let statement = try CSVReaderTests.read(file)
        #expect(statement.rows.first?.day == Day(isFirst ? "2024-02-01" : "2024-02-15"))
    }

    /// What is told of a file is read again from where it is stored.
    @Test func whatIsToldOfAnOddHeaderCanBeStoredAndRead() throws {
        let long = String(repeating: "n", count: 300)
        let files = [
            "Date,Na\u{0}me,Amount\u{0},Note\u{7}\n2024-01-01,a,1.00,b\n",
            "\"" + String(repeating: "\n", count: 100)
                + "\",x\nDate,Name,Amount\n2024-01-01,a,1.00\n",
            "Date,Name,Amount \(long)\n2024-01-01,a,1.00\n",
        ]
        for file in files {
            let statement = try CSVReaderTests.read(file)
            #expect(statement.rows.count == 1)
            let layout = try #require(statement.layout)
            let mapping = try #require(layout.mapping)
            let text = JSON.text(mapping) + JSON.text(layout.columns)
            #expect(!text.contains("\\u0000"))
            let stored = try JSON.read(CSVMapping.self, from: Array(JSON.text(mapping).utf8))
            let again = try readCSV(Array(file.utf8), mapping: stored, assuming: .eur).first
            #expect(again?.rows == statement.rows)
        }
    }
}
