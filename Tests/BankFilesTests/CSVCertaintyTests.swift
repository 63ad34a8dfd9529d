import Testing
import WalletProtocol

@testable import BankFiles

/// Currencies, statuses, sides and days that are asked about or noted, and never guessed.
@Suite struct CSVCertaintyTests {
    private func read(
        _ text: String,
        _ code: String = "EUR",
        asOf today: String? = nil
    ) throws -> BankStatement {
        let currency = try #require(Currency(code))
        let statements = try readStatements(
            Array(text.utf8),
            format: .csv,
            asOf: today.flatMap { Day($0) },
            assuming: currency
        )
        return try #require(statements.first)
    }

    // MARK: Currencies

    @Test(arguments: [
        ("Date,Description,Amount ($)", "EUR", "USD"),
        ("Date,Description,Amount (£)", "EUR", "GBP"), ("Date,Description,Amount €", "USD", "EUR"),
        ("Datum,Text,Betrag (€)", "USD", "EUR"), ("Datum,Text,Betrag in Euro", "USD", "EUR"),
        ("Data,Opis,Kwota (zł)", "EUR", "PLN"), ("Datum,Popis,Částka (Kč)", "EUR", "CZK"),
        ("Dato,Tekst,Beløb (kr.)", "EUR", "SEK"), ("Date,Libellé,Montant en euros", "USD", "EUR"),
        ("日付,内容,金額（円）", "EUR", "JPY"), ("Дата,Описание,Сумма (руб.)", "EUR", "RUB"),
        ("Date,Description,US$ Amount", "EUR", "USD"),
        ("Date,Description,EUR Amount", "USD", "EUR"),
        ("Tarih,Açıklama,Tutar (TL)", "EUR", "TRY"), ("Date,Description,Amount $", "CAD", "CAD"),
    ])
    func signInTheHeaderNamesTheCurrency(
        _ header: String,
        _ account: String,
        _ named: String
    ) throws {
        let statement = try read(header + "\n2024-03-05,Shop,-12.34\n", account)
        #expect(statement.currency?.code == named)
    }

    @Test func sidesMayNameTheCurrency() throws {
        let text = "Date,Description,Withdrawals ($),Deposits ($)\n2024-03-05,Shop,12.34,\n"
        #expect(try read(text).currency?.code == "USD")
        #expect(try read(text, "CAD").rows.map(\.amount) == [-1_234])
    }

    @Test(arguments: ["Whg", "Monn.", "devizaneme", "Ccy", "Coin", "Xyz", "Commodity"])
    func columnOfCodesIsOneOfCurrencies(_ name: String) throws {
        let foreign = try read("Datum;Text;Betrag;\(name)\n05.03.2024;Shop;-12,34;CHF\n")
        #expect(foreign.currency?.code == "CHF")
        let head = "Datum;Text;Betrag;\(name)\n05.03.2024;Shop;-12,34;CHF\n"
        let mixed = try read(head + "06.03.2024;Pub;-1,00;EUR\n")
        #expect(mixed.rows.map(\.amount) == [-100] && mixed.faults.map(\.line) == [2])
        let sign = try read("Datum;Text;Betrag;\(name)\n05.03.2024;Shop;-12,34;$\n")
        #expect(sign.rows.isEmpty && sign.faults.map(\.line) == [2])
        let own = try read("Datum;Text;Betrag;\(name)\n05.03.2024;Shop;-12,34;€\n")
        #expect(own.rows.map(\.amount) == [-1_234])
    }

    @Test func currencyIsTheOneRightOfTheAmount() throws {
        let text = "Datum;Text;Original;Whg1;Betrag;Whg2\n5.3.2024;a;-10,00;USD;-9,00;EUR\n"
        let statement = try read(text)
        #expect(statement.rows.map(\.amount) == [-900] && statement.currency?.code == "EUR")
        let country = try read("Datum;Text;Betrag;Land\n05.03.2024;Shop;-12,34;FR\n")
        #expect(country.rows.map(\.amount) == [-1_234])
    }

    @Test(arguments: [
        (
            "Дата операции;Сумма операции;Валюта операции;Сумма платежа;Валюта платежа;Описание\n"
                + "14.03.2024;-10,00;USD;-912,34;RUB;x\n", "RUB", Int64(-91_234)
        ),
        (
            "Date,Description,Amount,Currency,Amount in EUR\n2024-03-15,Shop,-100.00,USD,-92.00\n",
            "EUR", -9_200
        ),
        (
            "Date,Description,Transaction Amount,Transaction Currency,Billing Amount,"
                + "Billing Currency\n2024-03-15,Shop,-100.00,USD,-92.00,EUR\n", "EUR", -9_200
        ),
        (
            "Datum;Text;Betrag;Währung;Abgerechneter Betrag;Abgerechnete Währung\n"
                + "15.3.2024;x;-100,00;USD;-92,00;EUR\n", "EUR", -9_200
        ),
        (
            "Buchungstag;Begünstigter / Auftraggeber;Verwendungszweck;Betrag;Soll;Haben;Währung\n"
                + "05.03.2024;REWE;x;;-12,34;;EUR\n", "EUR", -1_234
        ),
        (
            "Account Type,Account Number,Transaction Date,Cheque Number,Description 1,"
                + "Description 2,CAD$,USD$\nChequing,1,3/15/2024,,SHOP,,-12.34,\n", "CAD", -1_234
        ),
    ])
    func accountsOwnAmountIsRead(_ text: String, _ currency: String, _ amount: Int64) throws {
        let statement = try read(text, currency)
        #expect(statement.rows.map(\.amount) == [amount], "\(statement.faults)")
        #expect(statement.currency == nil || statement.currency?.code == currency)
    }

    // MARK: Statuses

    @Test(arguments: [
        "Denied", "Refused", "Reversed", "Void", "Voided", "Returned", "Blocked", "Held", "On hold",
        "In Progress", "Removed", "Unclaimed", "Scheduled", "Draft", "Storniert", "Fehlgeschlagen",
        "Zurückgewiesen", "Reserviert", "Rejeté", "In elaborazione", "Rifiutata", "Autorizzato",
        "Cancelado", "Denegado", "Agendado", "Afgewezen", "Venter", "Afvist", "Afventer", "Väntar",
        "Reserverad", "Preliminär", "Odottaa", "Zablokowano", "Zpracovává se", "Čeká", "Függőben",
        "Неуспешно", "Beklemede", "İptal", "Transaction pending", "Not completed", "交易关闭",
        "취소", "ממתין", "قيد الانتظار", "ยกเลิก", "Очікує", "In așteptare", "Laukiama", "Gaida",
        "Ootel", "Na čekanju", "V obdelavi", "Εκκρεμεί", "Čakajúca", "Чакаща",
    ])
    func whatWasNeverBookedIsLeftOut(_ status: String) throws {
        let text = "Date,Description,Amount,Status\n2024-03-05,Shop,-12.34,\(status)\n"
        let statement = try read(text + "2024-03-06,Shop,-1.00,Completed\n")
        #expect(statement.rows.map(\.amount) == [-100])
        #expect(statement.notes.map(\.line) == [2])
    }

    @Test func unknownStatusIsNoted() throws {
        let head = "Date,Description,Amount,Status\n2024-03-05,a,-1.00,Frobbed\n"
        let statement = try read(head + "2024-03-06,b,-2.00,Booked\n2024-03-07,c,-3.00,Frobbed\n")
        #expect(statement.rows.count == 3 && statement.notes.map(\.line) == [2])
        #expect(statement.notes.first?.detail.contains("Frobbed") == true)
    }

    @Test func columnOfStatusesIsKnownByItsWords() throws {
        let head = "Date,Description,Amount,Qwert\n2024-03-05,a,-1.00,Pending\n"
        #expect(try read(head + "2024-03-06,b,-2.00,Posted\n").rows.map(\.amount) == [-200])
    }

    // MARK: Signs

    @Test(arguments: [
        (
            "Transaction Date,Clearing Date,Description,Merchant,Category,Type,Amount (USD),"
                + "Purchased By\n03/15/2024,03/16/2024,TARGET,Target,Shopping,Purchase,12.34,A B\n"
                + "03/20/2024,03/20/2024,ACH DEPOSIT,Ach Deposit,Payment,Payment,-100.00,A B\n",
            "USD"
        ),
        ("date,title,amount\n2024-03-05,Padaria,12.34\n2024-03-14,Pagamento,-100.00\n", "BRL"),
        (
            "Item #,Card #,Transaction Date,Posting Date,Transaction Amount,Description\n"
                + "1,'5191',20240305,20240306,12.34,TIM\n"
                + "2,'5191',20240314,20240314,-100.00,TRSF FROM\n", "CAD"
        ),
        (
            "Datum,Beschreibung,Karteninhaber,Konto #,Betrag\n"
                + "05/03/2024,REWE,A B,-12345,\"12,34\"\n"
                + "14/03/2024,ZAHLUNG ERHALTEN. BESTEN DANK.,A B,-12345,\"-100,00\"\n", "EUR"
        ),
        (
            "date,name,amount,status,category,parent category,excluded,tags,type,account,"
                + "account mask,note,recurring\n"
                + "2024-03-15,Target,12.34,posted,Shopping,,false,,regular,Checking,1234,,\n"
                + "2024-03-16,Pay,-100.00,posted,Income,,false,,regular,Checking,1234,,\n", "USD"
        ),
        (
            "Trans. Date,Post Date,Description,Amount,Category\n"
                + "03/15/2024,03/16/2024,SHOP,12.34,Merchandise\n"
                + "03/20/2024,03/20/2024,INTERNET PAYMENT,-100.00,Payments and Credits\n", "USD"
        ),
        (
            "Datum;Text;Betrag;Art\n15.3.2024;a;12,34;Kauf\n16.3.2024;b;-100,00;Zahlung\n", "EUR"
        ),
    ])
    func cardsCountTheOtherWayRound(_ text: String, _ currency: String) throws {
        let statement = try read(text, currency)
        #expect(statement.rows.map(\.amount) == [-1_234, 10_000], "\(statement.faults)")
        #expect(statement.layout?.mapping?.invert == true)
    }

    @Test func amountsWithoutAMinusAreAskedAbout() throws {
        let text = "Date,Description,Amount\n2024-03-05,Shop,12.34\n2024-03-06,Pub,1.00\n"
        let statement = try read(text)
        #expect(statement.notes.contains { $0.detail.contains("invert") })
        let card = "Date,Card No,Description,Amount\n2024-03-05,1,Shop,12.34\n"
        let rows = card + "2024-03-06,1,Pub,1.00\n2024-03-07,1,Xyz,-50.00\n"
        #expect(try read(rows).notes.contains { $0.detail.contains("invert") })
    }

    @Test(arguments: [
        ("Expense", "Income"), ("Despesa", "Receita"), ("Uitgave", "Inkomst"),
        ("Purchase", "Payment"), ("Charge", "Refund"), ("Sent", "Received"), ("支出", "收入"),
        ("Spending", "Income"), ("Dépense", "Revenu"), ("Wydatek", "Przychód"),
        ("Расход", "Доход"), ("Витрата", "Дохід"), ("Výdaj", "Příjem"), ("Kiadás", "Bevétel"),
        ("Gider", "Gelir"), ("Έξοδο", "Έσοδο"), ("Utgift", "Inkomst"), ("Udgift", "Indtægt"),
        ("Meno", "Tulo"), ("출금", "입금"), ("出金", "入金"), ("הוצאה", "הכנסה"), ("مصروف", "دخل"),
        ("รายจ่าย", "รายรับ"), ("Cheltuială", "Venit"), ("Rashod", "Prihod"), ("Kulu", "Tulu"),
        ("Išlaidos", "Pajamos"), ("Izdevumi", "Ienākumi"), ("Payment", "Deposit"),
    ])
    func wordsSayWhichWay(_ out: String, _ into: String) throws {
        let text = "Date,Category,Amount,Type,Note\n2024-03-15,Food,12.34,\(out),x\n"
        let statement = try read(text + "2024-03-16,Salary,100.00,\(into),y\n")
        #expect(statement.rows.map(\.amount) == [-1_234, 10_000], "\(statement.faults)")
    }

    @Test func minusAmongExpensesIsARefundWithANote() throws {
        let text =
            "Date,Name,Amount,Type\n2024-03-15,a,12.34,Expense\n2024-03-16,b,-5.00,Expense\n"
            + "2024-03-17,c,100.00,Income\n"
        let statement = try read(text)
        #expect(statement.rows.map(\.amount) == [-1_234, 500, 10_000])
        #expect(statement.notes.contains { $0.detail.contains("signs") })
        let told = try #require(statement.layout?.mapping)
        let again = try readCSV(Array(text.utf8), mapping: told, assuming: .eur).first
        #expect(again?.rows == statement.rows)
    }

    // MARK: Days

    @Test(arguments: ["-", "/", "."])
    func yearMayStandInFrontWithTwoDigits(_ mark: String) throws {
        let text = "Date,Description,Amount\n24-03-15,Shop,-12.34\n24-03-31,Shop,-1.00\n"
        let statement = try read(
            text.replacing("-0", with: "\(mark)0")
                .replacing("-1", with: "\(mark)1").replacing("-3", with: "\(mark)3")
                .replacing("\(mark)12.34", with: "-12.34").replacing("\(mark)1.00", with: "-1.00")
        )
        #expect(statement.rows.map(\.day) == [Day("2024-03-15"), Day("2024-03-31")])
        let usual = try read("Date,Description,Amount\n15/03/24,a,-1.00\n20/03/24,b,-1.00\n")
        #expect(usual.rows.map(\.day) == [Day("2024-03-15"), Day("2024-03-20")])
        #expect(usual.notes.isEmpty)
        let years = "Date,Description,Amount\n23-12-31,a,-1.00\n24-01-02,b,-1.00\n"
        #expect(
            try read(years, asOf: "2026-01-01").rows.map(\.day)
                == [Day("2023-12-31"), Day("2024-01-02")]
        )
    }

    @Test func yearInFrontOfASingleRowIsNoted() throws {
        let text = "Date,Description,Amount\n24-03-15,Shop,-12.34\n"
        let statement = try read(text, asOf: "2026-01-01")
        #expect(statement.rows.map(\.day) == [Day("2024-03-15")])
        #expect(statement.notes.map(\.line) == [2])
    }

    @Test func dayInTheFutureIsNotedInEveryFormat() throws {
        let today = try #require(Day("2024-03-10"))
        let mt940 =
            ":20:A\n:25:1\n:60F:C240229EUR90,00\n:61:3103050305D20,00NMSCNONREF\n"
            + ":62F:C240331EUR70,00\n-\n"
        for text in ["Date,Name,Amount\n2031-03-05,x,-20.00\n", mt940] {
            let statements = try readStatements(
                Array(text.utf8),
                format: nil,
                asOf: today,
                assuming: .eur
            )
            #expect(statements.first?.notes.contains { $0.detail.contains("2031-03-05") } == true)
        }
        let near = try read("Date,Name,Amount\n2024-03-12,x,-20.00\n", asOf: "2024-03-10")
        #expect(near.notes.isEmpty)
    }
}
