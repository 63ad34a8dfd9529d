import Archives
import Testing
import WalletProtocol

@testable import BankFiles

/// Headers of many banks and languages, and tables without one.
@Suite struct CSVHeaderNameTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let currency: String
        let name: String
        var amount: Int64 = -1_234
        var testDescription: String { String(text.prefix(60)) }
    }

    static let samples = [
        Sample(
            text: "dateOp;dateVal;label;category;supplierFound;amount;accountNum\n"
                + "2024-03-05;2024-03-05;CARTE X;Food;x;-12,34;123\n",
            currency: "EUR",
            name: "x"
        ),
        Sample(
            text: "Date;Libellé;Débit euros;Crédit euros\n05/03/2024;Boutique;-12,34;\n",
            currency: "EUR",
            name: "Boutique"
        ),
        Sample(
            text: "Time,BSB / Account Number,Transaction Type,Payee,Description,Category,"
                + "Subtotal (AUD),Currency,Subtotal (Transaction Currency),Round Up (AUD),"
                + "Total (AUD),Payment Method,Settled Date\n"
                + "2024-03-05T10:00:00+11:00,1,Purchase,Shop,x,,-12.00,USD,-8.00,-0.34,-12.34,,"
                + "2024-03-05T12:00:00+11:00\n",
            currency: "AUD",
            name: "Shop"
        ),
        Sample(
            text: "Date,Description,Billing amount,Billing currency,Balance,Balance currency\n"
                + "2024-03-05,Shop,-12.34,EUR,10.00,EUR\n",
            currency: "EUR",
            name: "Shop"
        ),
        Sample(
            text: "交易时间,交易对方,商品说明,收/支,金额,交易状态\n"
                + "2024-03-05 10:00:00,商店,面包,支出,12.34,交易成功\n"
                + "2024-03-06 10:00:00,朋友,转账,收入,5.00,交易成功\n",
            currency: "CNY",
            name: "商店"
        ),
        Sample(
            text: "取引日,入出金(円),取引後残高(円),入出金内容\n20240305,-1234,8766,ショップ\n",
            currency: "JPY",
            name: "ショップ"
        ),
        Sample(
            text: "年月日,お引出し,お預入れ,お取り扱い内容,残高\n2024/3/5,1234,,ショップ,8766\n",
            currency: "JPY",
            name: "ショップ"
        ),
        Sample(
            text: "거래일시,구분,거래금액,거래 후 잔액,내용\n2024.03.05 10:00,출금,-1234,8766,가게\n",
            currency: "KRW",
            name: "가게"
        ),
        Sample(
            text: "Tarih;Açıklama;Tutar;Bakiye\n05.03.2024;Market;-12,34;87,66\n",
            currency: "TRY",
            name: "Market"
        ),
        Sample(
            text: "Kirjauspäivä;Määrä;Nimi;Otsikko;Saldo;Valuutta\n"
                + "2024/03/05;-12,34;Kauppa;Leipä;87,66;EUR\n",
            currency: "EUR",
            name: "Kauppa"
        ),
        Sample(
            text: "Kuupäev;Saaja/Maksja;Selgitus;Summa;Valuuta;Deebet/Kreedit\n"
                + "05.03.2024;Pood;Leib;12,34;EUR;D\n",
            currency: "EUR",
            name: "Pood"
        ),
        Sample(
            text:
                "Data,Gavėjas,Paaiškinimai,Suma,Valiuta,D/K\n2024-03-05,Parduotuvė,x,12.34,EUR,D\n",
            currency: "EUR",
            name: "Parduotuvė"
        ),
        Sample(
            text: "Ημερομηνία;Περιγραφή;Χρέωση;Πίστωση;Υπόλοιπο\n05/03/2024;Μαγαζί;12,34;;87,66\n",
            currency: "EUR",
            name: "Μαγαζί"
        ),
        Sample(
            text: "วันที่,รายการ,ถอน,ฝาก,ยอดคงเหลือ\n05/03/2024,ร้านค้า,12.34,,87.66\n",
            currency: "THB",
            name: "ร้านค้า"
        ),
        Sample(
            text: "תאריך,תיאור,בחובה,בזכות,יתרה\n05/03/2024,חנות,12.34,,87.66\n",
            currency: "ILS",
            name: "חנות"
        ),
        Sample(
            text: "التاريخ,الوصف,المبلغ\n٠٥/٠٣/٢٠٢٤,متجر,-١٢٫٣٤\n",
            currency: "EGP",
            name: "متجر"
        ),
        Sample(
            text:
                "Datums;Saņēmējs;Maksājuma mērķis;Summa;Valūta\n05.03.2024;Veikals;x;-12,34;EUR\n",
            currency: "EUR",
            name: "Veikals"
        ),
        Sample(
            text: "Дата;Опис операції;Сума;Валюта\n05.03.2024;Крамниця;-12,34;UAH\n",
            currency: "UAH",
            name: "Крамниця"
        ),
        Sample(
            text: "Data tranzacției;Descriere;Debit;Credit\n05.03.2024;Magazin;12,34;\n",
            currency: "RON",
            name: "Magazin"
        ),
        Sample(
            text: "Datum;Opis plaćanja;Isplata;Uplata;Stanje\n05.03.2024;Dućan;12,34;;87,66\n",
            currency: "EUR",
            name: "Dućan"
        ),
        Sample(
            text: "Date|Description|Amount\n2024-03-05|Shop|-12.34\n",
            currency: "EUR",
            name: "Shop"
        ),
        Sample(
            text: "日期;摘要;金额\n2024年3月5日;商店;-12.34\n",
            currency: "CNY",
            name: "商店"
        ),
    ]

    @Test(arguments: samples)
    func headerOfAnyLanguageIsRead(_ sample: Sample) throws {
        let currency = try #require(Currency(sample.currency))
        for format: StatementFormat? in [.csv, nil] {
            let statement = try #require(
                try readStatements(
                    Array(sample.text.utf8),
                    format: format,
                    assuming: currency
                ).first
            )
            let row = try #require(statement.rows.first, "\(statement.faults)")
            let scale: Int64 = currency.exponent == 0 ? -1_234 : sample.amount
            #expect(row.amount == scale)
            #expect(row.name == sample.name)
            #expect(row.day == Day("2024-03-05"))
        }
    }

    // MARK: Names

    @Test(arguments: [
        ("Buchungstag;Begünstigter / Auftraggeber;Verwendungszweck;Betrag", "Laden"),
        ("Buchungstag;Sender / Empfänger;Verwendungszweck;Betrag", "Laden"),
        ("Buchungstag;Empfaenger 1;Verwendungszweck;Betrag", "Laden"),
        ("Buchungstag;Partnername;Verwendungszweck;Betrag", "Laden"),
        ("Datum;Naam tegenpartij bevat;Mededeling;Bedrag", "Laden"),
        ("Datum;Umsatztext;Xyz;Betrag", "Laden"),
    ])
    func payeeIsTheName(_ header: String, _ name: String) throws {
        let statement = try CSVReaderTests.read(header + "\n05.03.2024;Laden;Zweck;-12,34\n")
        #expect(statement.rows.map(\.name) == [name])
    }

    @Test func columnsThatAreAlikeInEveryRowTellNothing() throws {
        let product =
            "Date,Description,Description 1,Amount\n2024-03-05,Visa,Shop,-1.00\n"
            + "2024-03-06,Visa,Pub,-2.00\n"
        #expect(try CSVReaderTests.read(product).rows.map(\.name) == ["Shop", "Pub"])
        let twice =
            "Date,Description,Description,Amount\n2024-03-05,Visa,Shop,-1.00\n"
            + "2024-03-06,Visa,Pub,-2.00\n"
        #expect(try CSVReaderTests.read(twice).rows.map(\.name) == ["Shop", "Pub"])
        let own =
            "Kontonummer;Text;Datum;Währung;Soll;Haben\n1234567;a;5.3.2024;EUR;1,00;\n"
            + "1234567;b;6.3.2024;EUR;;2,00\n"
        let statement = try CSVReaderTests.read(own)
        #expect(statement.rows.allSatisfy { $0.counterparty == nil })
        #expect(statement.accountNumber == "1234567")
    }

    @Test func numberIsTheCounterpartyAndNotTheName() throws {
        let text =
            "Datum;Tegenpartij;Naam van de tegenpartij;Mededeling;Bedrag\n"
            + "05/03/2024;BE68539007547034;Winkel;Brood;-1,00\n"
            + "06/03/2024;NL91ABNA0417164300;Werk;Loon;2,00\n"
        let rows = try CSVReaderTests.read(text).rows
        #expect(rows.map(\.name) == ["Winkel", "Werk"])
        #expect(rows.first?.counterparty == "BE68539007547034")
    }

    @Test func detailsAreTheDescription() throws {
        let text =
            "Booking date;Value date;Transaction Type;Beneficiary / Originator;Payment Details;"
            + "IBAN;Debit;Credit;Currency\n"
            + "2024-03-05;2024-03-05;SEPA Direct Debit;Shop;Bread;DE89370400440532013000;-1,00;"
            + ";EUR\n"
        let row = try #require(try CSVReaderTests.read(text).rows.first)
        #expect(row.name == "Shop" && row.description == "Bread" && row.amount == -100)
        let notes = "date,desc,notes,amount\n2024-03-05,Shop,,-1.00\n"
        #expect(try CSVReaderTests.read(notes).rows.map(\.name) == ["Shop"])
        let swiss =
            "Datum;Bewegungstyp;Avisierungstext;Gutschrift in CHF;Lastschrift in CHF\n"
            + "2024-03-05;Kauf;LADEN;;-1.00\n"
        #expect(try CSVReaderTests.read(swiss, .chf).rows.map(\.name) == ["LADEN"])
    }

    // MARK: Tables without a header

    @Test(arguments: [
        ("03/05/2024,-12.34,*,,SHOP ONE\n03/14/2024,100.00,*,,PAYROLL\n", 1, 2, 5),
        (
            "05.03.2024;Laden;Brot;05.03.2024;-12,34;EUR\n"
                + "14.03.2024;Werk;Lohn;14.03.2024;5,00;EUR\n", 1, 5, 2
        ),
    ])
    func tableWithoutAHeaderGetsAProposal(
        _ text: String,
        _ date: Int,
        _ amount: Int,
        _ name: Int
    ) throws {
        let shown = try CSVReaderTests.read(text)
        #expect(shown.rows.isEmpty && shown.layout?.mapping == nil)
        let proposal = try #require(shown.layout?.proposal)
        #expect(proposal.date == .first(date) && proposal.amount == .first(amount))
        #expect(proposal.name == .first(name) && proposal.headerRows == 0)
        let read = try readCSV(Array(text.utf8), mapping: proposal, assuming: .eur).first
        #expect(read?.rows.count == 2 && read?.faults.isEmpty == true)
    }

    @Test func runningBalancesProveTheProposedAmount() throws {
        let text = "2024-03-05,100.00,-12.34,Shop\n2024-03-06,101.00,1.00,Pub\n"
        let proposal = try #require(try CSVReaderTests.read(text).layout?.proposal)
        #expect(proposal.amount == .first(3) && proposal.balance == .first(2))
        let sides = "2024-03-05,Shop,12.34,\n2024-03-06,Pay,,1.00\n"
        let split = try #require(try CSVReaderTests.read(sides).layout?.proposal)
        #expect(split.debit == .first(3) && split.credit == .first(4))
        let strange = "Qqq;Www;Eee\n05.03.2024;Laden;-12,34\n06.03.2024;Werk;1,00\n"
        let named = try #require(try CSVReaderTests.read(strange).layout?.proposal)
        #expect(named.headerRows == 1 && named.amount == .first(3))
    }

    // MARK: Archives

    private func zipped(_ files: [(String, String)]) throws -> [UInt8] {
        let writer = try ZipWriter()
        for (name, text) in files {
            try writer.begin(name)
            try writer.write(Array(text.utf8))
        }
        try writer.finish()
        return writer.take()
    }

    @Test func monthsOfOneLayoutAreOneStatement() throws {
        let head = "Date,Name,Amount,Balance\n"
        let zip = try zipped([
            ("2024-02.csv", head + "2024-02-05,b,-2.00,97.00\n"),
            ("2024-01.csv", head + "2024-01-05,a,-1.00,99.00\n"),
        ])
        let statements = try readStatements(zip, format: nil, assuming: .eur)
        #expect(statements.count == 1)
        #expect(statements.first?.rows.map(\.amount) == [-100, -200])
        #expect(statements.first?.opening == 10_000 && statements.first?.closing == 9_700)
        let overlapping = try zipped([
            ("a.csv", "Date,Name,Amount\n2024-01-05,a,-1.00\n2024-01-06,b,-2.00\n"),
            ("b.csv", "Date,Name,Amount\n2024-01-06,b,-2.00\n2024-01-07,c,-3.00\n"),
        ])
        let whole = try readStatements(overlapping, format: nil, assuming: .eur)
        #expect(whole.first?.rows.map(\.amount) == [-100, -200, -300])
        #expect(whole.first?.notes.contains { $0.detail.contains("read once") } == true)
    }

    @Test func filesOfOtherLayoutsAreChosenByTheirNames() throws {
        let zip = try zipped([
            ("giro.csv", "Date,Name,Amount\n2024-01-05,a,-1.00\n"),
            ("visa.csv", "Date,Description,Amount\n2024-01-05,a,-2.00\n"),
        ])
        let all = try readStatements(zip, format: nil, assuming: .eur)
        do throws(UnreadableStatement) {
            _ = try chosenStatement(of: all, number: nil, currency: .eur)
            Issue.record("one was chosen")
        } catch {
            #expect(error == .several(["giro.csv", "visa.csv"]))
        }
        for number in ["visa.csv", "#2"] {
            let chosen = try chosenStatement(of: all, number: number, currency: .eur)
            #expect(chosen.rows.map(\.amount) == [-200])
        }
    }

    // MARK: Other formats

    @Test func headerOfOFXMayBeAnyLinesOfKeys() throws {
        let text =
            "DATA:OFXSGML\nENCODING:UTF-8\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR"
            + "<BANKACCTFROM><ACCTID>1234567<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>"
            + "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20240305<TRNAMT>-12.34<FITID>1<NAME>Shop</STMTTRN>"
            + "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
        let statements = try readStatements(Array(text.utf8), format: nil, assuming: .eur)
        #expect(statements.first?.rows.map(\.amount) == [-1_234])
        #expect(FileKind.format(of: Array("a,b\n<OFX>,c\n".utf8)) == .csv)
    }

    @Test func balancesOfLaterDaysEndAMessage() throws {
        let text =
            ":20:A\n:25:DE02120300000000202051\n:28C:1/1\n:60F:C240229EUR90,00\n"
            + ":61:2403050305D20,00NMSCNONREF\n:86:text\n:65F:C240402EUR70,00\n"
        let statement = try #require(
            try readStatements(Array(text.utf8), format: nil, assuming: .eur).first
        )
        #expect(statement.refusal == nil && statement.closing == 7_000)
        #expect(!statement.notes.isEmpty)
    }

    @Test(arguments: [
        ("<html><body><table><tr><td>1</td></tr></table></body></html>", "a table as HTML"),
        (
            "<?xml version=\"1.0\"?>\n<?mso-application progid=\"Excel.Sheet\"?>\n<Workbook/>",
            "Excel 2003"
        ),
    ])
    func tablesOfOtherKindsAreNamed(_ text: String, _ words: String) {
        #expect(FileKind.likeness(of: Array(text.utf8)).contains(words))
    }
}
