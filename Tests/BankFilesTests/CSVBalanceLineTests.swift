import Testing
import WalletProtocol

@testable import BankFiles

/// Lines that tell a balance, and are no transactions.
@Suite struct CSVBalanceLineTests {
    @Test(arguments: [
        "\"Data\";\"Histórico\";\"Valor\"\n\"29/02/2024\";\"Saldo Anterior\";\"500,00\"\n"
            + "\"05/03/2024\";\"Padaria\";\"-12,34\"\n\"31/03/2024\";\"S A L D O\";\"487,66\"\n",
        "Data Contabile;Data Valuta;Addebiti (euro);Accrediti (euro);Descrizione operazioni\n"
            + "29/02/2024;;;500,00;SALDO INIZIALE\n05/03/2024;05/03/2024;12,34;;POS\n"
            + "31/03/2024;;;487,66;SALDO FINALE\n",
        "\"Buchungstag\";\"Wertstellung\";\"Buchungstext\";\"Auftraggeber / Begünstigter\";"
            + "\"Verwendungszweck\";\"Kontonummer\";\"BLZ\";\"Betrag (EUR)\"\n"
            + "\"20.03.2024\";\"\";\"\";\"\";\"Tagessaldo\";\"\";\"\";\"487,66\"\n"
            + "\"05.03.2024\";\"05.03.2024\";\"Lastschrift\";\"Laden\";\"x\";\"DE02\";\"B\";"
            + "\"-12,34\"\n",
        "Date,Description,Amount\n2024-03-01,Opening balance,500.00\n2024-03-05,Shop,-12.34\n",
        "Datum;Text;Betrag\n1.3.2024;Übertrag;500,00\n5.3.2024;Laden;-12,34\n",
        "Дата;Описание;Сумма\n01.03.2024;Входящий остаток;500,00\n05.03.2024;Лавка;-12,34\n",
        "日期,描述,金额\n2024-03-01,期初余额,500.00\n2024-03-05,商店,-12.34\n",
    ])
    func balanceLineBecomesABalance(_ text: String) throws {
        let statement = try CSVReaderTests.read(text)
        #expect(statement.rows.map(\.amount) == [-1_234], "\(statement.notes)")
        #expect(statement.opening == 50_000 && statement.closing == 48_766)
        #expect(!statement.notes.isEmpty && statement.faults.isEmpty)
    }

    @Test(arguments: [
        "Opening Balance", "Closing balance", "Previous balance", "Ending balance",
        "Balance brought forward", "Balance carried forward", "Saldo inicial", "Saldo final",
        "Solde initial", "Solde au 31/03/2024", "Ancien solde", "Anfangssaldo", "Endsaldo",
        "Kontostand", "Kontostand am 31.03.2024", "Beginsaldo", "Ingående saldo",
        "Saldo początkowe", "Nuovo saldo", "Počáteční zůstatek", "Nyitó egyenleg",
        "Sold inițial", "Начално салдо", "Početno stanje", "Začetno stanje", "Algsaldo",
        "Sākuma atlikums", "Likutis pradžioje", "Αρχικό υπόλοιπο", "Devreden bakiye",
        "Вхідний залишок", "前期繰越", "이월 잔액", "יתרת פתיחה", "الرصيد الافتتاحي", "ยอดยกมา",
        "Alkusaldo", "Primo saldo", "SALDO", "Saldo per 31 maart 2024",
    ])
    func wordsForABalanceAreNoTransaction(_ words: String) throws {
        let text = "Date,Description,Amount\n2024-03-01,\(words),77.00\n2024-03-05,Shop,-12.34\n"
        let statement = try CSVReaderTests.read(text)
        #expect(statement.rows.map(\.amount) == [-1_234], "\(statement.notes)")
        #expect(statement.notes.contains { $0.line == 2 })
    }

    @Test(arguments: [
        "Total", "Totals", "Summe", "Somme", "Totale", "Suma", "Totaal", "Итого", "合计", "Toplam",
        "Razem", "Celkem", "Összesen", "Σύνολο", "รวม", "합계", "الإجمالي",
    ])
    func sumIsProvedByItsNumbersOrAskedAbout(_ word: String) throws {
        let head = "Date,Description,Amount\n2024-03-05,Shop,-12.34\n2024-03-06,Pub,-1.00\n"
        let proved = try CSVReaderTests.read(head + "2024-03-31,\(word),-13.34\n")
        #expect(proved.rows.map(\.amount) == [-1_234, -100] && proved.faults.isEmpty)
        #expect(proved.notes.contains { $0.line == 4 })
        let asked = try CSVReaderTests.read(head + "2024-03-31,\(word),99.00\n")
        #expect(asked.rows.count == 2 && asked.faults.map(\.line) == [4])
        let bare = try CSVReaderTests.read(head + ",\(word),99.00\n")
        #expect(bare.rows.count == 2 && bare.faults.isEmpty)
    }

    @Test func shopThatIsCalledTotalStaysATransaction() throws {
        let text = "Date,Description,Amount\n2024-03-04,Bar,-2.00\n2024-03-05,TOTAL,-45.10\n"
        let statement = try CSVReaderTests.read(text + "2024-03-06,Pub,-1.00\n")
        #expect(statement.rows.map(\.amount) == [-200, -4_510, -100])
        #expect(statement.notes.map(\.line) == [3])
        let shop = try CSVReaderTests.read(
            "Date,Description,Amount\n2024-03-04,New Balance Berlin,-2.00\n2024-03-05,x,1.00\n"
        )
        #expect(shop.rows.count == 2 && shop.notes.isEmpty)
    }

    @Test func runningBalancesProveWhatALineIs() throws {
        let head = "Date,Description,Amount,Balance\n"
        let told = try CSVReaderTests.read(
            head + "2024-03-01,Opening balance,500.00,500.00\n2024-03-05,Shop,-12.34,487.66\n"
        )
        #expect(told.rows.map(\.amount) == [-1_234])
        #expect(told.opening == 50_000 && told.closing == 48_766)
        let moved = try CSVReaderTests.read(
            head + "2024-03-01,a,1.00,500.00\n2024-03-05,Total,-12.34,487.66\n"
                + "2024-03-06,b,-7.66,480.00\n"
        )
        #expect(moved.rows.map(\.amount) == [100, -1_234, -766] && moved.closing == 48_000)
    }

    @Test func balticCodeMarksALineOfABalance() throws {
        let text =
            "Kuupäev;Saaja/Maksja;Selgitus;Summa;Valuuta;Deebet/Kreedit;Tehingu tüüp\n"
            + "01.03.2024;;algsaldo;500,00;EUR;K;AS\n05.03.2024;Pood;Leib;12,34;EUR;D;K\n"
            + "31.03.2024;;Käive;12,34;EUR;D;K2\n31.03.2024;;lõppsaldo;487,66;EUR;K;LS\n"
        let statement = try CSVReaderTests.read(text)
        #expect(statement.rows.map(\.amount) == [-1_234], "\(statement.faults)")
        #expect(statement.opening == 50_000 && statement.closing == 48_766)
    }

    @Test func balancesThatDoNotTieAreLeftOutWithANote() throws {
        let text =
            "Date,Description,Amount\n2024-03-01,Opening balance,500.00\n2024-03-05,Shop,-12.34\n"
            + "2024-03-31,Closing balance,400.00\n"
        let statement = try CSVReaderTests.read(text)
        #expect(statement.rows.map(\.amount) == [-1_234] && statement.opening == nil)
        #expect(statement.notes.contains { $0.detail.contains("487.66") })
    }
}
