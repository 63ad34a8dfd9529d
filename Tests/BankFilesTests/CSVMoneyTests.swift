import Testing
import WalletProtocol

@testable import BankFiles

/// Files whose amounts could be taken for others.
@Suite struct CSVMoneyTests {
    private func read(
        _ text: String,
        _ mapping: CSVMapping? = nil,
        order: DateOrder? = nil,
        _ currency: Currency = .eur
    ) throws -> BankStatement {
        let statements = try readStatements(
            Array(text.utf8),
            format: .csv,
            mapping: mapping,
            order: order,
            assuming: currency
        )
        #expect(statements.count == 1)
        return try #require(statements.first)
    }

    /// Where the fields are parted by commas it is a guess, and told as one.
    @Test(arguments: [
        ("Date,Description,Amount\n2024-04-03,x,-29.000\n2024-04-03,y,10.000\n", true),
        ("Date;Name;Amount;Rate\n2024-04-03;x;-29.000;0.848252\n2024-04-03;y;10.000;1\n", false),
    ])
    func aFractionOfThreeDigitsIsNoThousand(_ text: String, _ isGuess: Bool) throws {
        let statement = try read(text, nil, .chf)
        #expect(statement.rows.map(\.amount) == [-2_900, 1_000])
        #expect(statement.notes.map(\.line) == (isGuess ? [2] : []))
        #expect(statement.notes.allSatisfy { $0.detail.contains("a fraction") })
    }

    @Test func threeDigitsAreThousandsWhereTheCurrencyHasNoFraction() throws {
        let statement = try read("Date,Name,Amount\n2024-04-03,x,29.000\n", nil, .jpy)
        #expect(statement.rows.map(\.amount) == [29_000])
        #expect(statement.notes.first?.detail.contains("thousands") == true)
    }

    @Test(arguments: ["Date;Name;Amount\n1.2.2024;x;", "\"Date\",\"Name\",\"Amount\"\n1.2.2024,x,"])
    func threeDigitsAreAFractionWhereTheCurrencyHasSoMany(_ head: String) throws {
        let statement = try read(head + "\"-72,379 KWD\"\n", nil, .kwd)
        #expect(statement.rows.map(\.amount) == [-72_379])
        #expect(statement.notes.isEmpty)
    }

    @Test func aLastDigitThatIsAlwaysNoneIsAFractions() throws {
        let text = "Date;Name;Amount\n2024-04-03;x;29.990\n2024-04-03;y;1.250\n2024-04-04;z;3.110\n"
        let statement = try read(text)
        #expect(statement.rows.map(\.amount) == [2_999, 125, 311])
        #expect(statement.notes.first?.detail.contains("a fraction") == true)
    }

    /// Whoever parts fields by commas writes fractions with points.
    @Test func wholeThousandsInAFileOfCommasAreNoFractions() throws {
        let text = "Date,Name,Amount\n4/3/2024,x,\"-1,250\"\n4/13/2024,y,\"2,480\"\n"
        let statement = try read(text + "4/14/2024,z,\"-1,340\"\n", nil, .usd)
        #expect(statement.rows.map(\.amount) == [-125_000, 248_000, -134_000])
        #expect(statement.notes.first?.detail.contains("thousands") == true)
        let whole = "Date;Name;Amount\n2024-04-03;x;1.250\n2024-04-13;y;2.480\n2024-04-14;z;1.340\n"
        #expect(try read(whole, nil, .jpy).rows.map(\.amount) == [1_250, 2_480, 1_340])
    }

    @Test func aColumnOfDaysIsNoneOfCurrencies() throws {
        let head = "Datum;Name;Betrag;Valuta\n2024-01-01;a;1,00;2.1.2024\n2024-01-03;b;2,00;offen\n"
        #expect(try read(head).rows.map(\.amount) == [100, 200])
        #expect(try read(head + "2024-01-04;c;3,00;OFFEN\n").faults.isEmpty)
    }

    @Test func aDashAmongCurrenciesIsTheAccountsOwn() throws {
        let head = "Date,Name,Amount,Currency\n2024-01-01,a,1.00,EUR\n2024-01-02,b,2.00,-\n"
        #expect(try read(head + "2024-01-03,c,3.00,\n").rows.map(\.amount) == [100, 200, 300])
        let words = "Date,Name,Amount,Currency\n2024-01-01,a,1.00,Franc\n2024-01-02,b,2.00,Franc\n"
        #expect(try read(words, nil, .chf).rows.map(\.amount) == [100, 200])
    }

    @Test func whatNothingDecidesIsTold() throws {
        let statement = try read("Date;Name;Amount\n2024-04-03;x;-1.234\n")
        #expect(statement.rows.map(\.amount) == [-123_400])
        #expect(statement.notes.map(\.line) == [2])
        #expect(statement.notes.first?.detail.contains("decimal") == true)
    }

    @Test func theNetIsTheAmountAndPostageIsNot() throws {
        let text = """
            "Date","Nom","Devise","Brut","Frais","Net","Montant des frais de livraison"
            "15/01/2020","OVH","EUR","-59,30","-0,30","-59,60","0,00"
            """
        #expect(try read(text).rows.map(\.amount) == [-5_960])
        let gross = "Datum;Name;Brutto;Versandbetrag\n1.2.2024;x;-5,00;1,00\n"
        #expect(try read(gross).rows.map(\.amount) == [-500])
    }

    @Test func anotherCurrencyIsAFaultInWhateverRowItStands() throws {
        let head = "Completed Date,Description,Amount,Currency\n"
        let coins = try read(head + "2024-01-02,Bought,0.50,BTC\n2024-01-03,x,1.00,HRK\n")
        #expect(coins.rows.isEmpty && coins.faults.map(\.line) == [2, 3])
        let mixed = try read(head + "2024-01-02,Bought,0.50,BTC\n2024-01-03,x,1.00,EUR\n")
        #expect(mixed.rows.map(\.amount) == [100] && mixed.faults.map(\.line) == [2])
        let signs = try read("Date,Name,Amount\n2024-01-02,x,$1000.00\n2024-01-02,y,€2.00\n")
        #expect(signs.rows.map(\.amount) == [200] && signs.faults.map(\.line) == [2])
        let dollars = try read("Date,Name,Amount\n2024-01-02,x,$1000.00\n", nil, .usd)
        #expect(dollars.rows.map(\.amount) == [100_000])
    }

    @Test(arguments: ["DOGE", "n/a", "USDC", "XXX"])
    func whatIsNoMoneyMakesNoForeignRowTheAccounts(_ coin: String) throws {
        let head = "Completed Date,Description,Amount,Currency\n"
        let dollars = "2024-01-02,a,7.00,USD\n2024-01-02,Bought,0.50,\(coin)\n"
        let own = "2024-01-03,x,1.00,EUR\n"
        let mixed = try read(head + dollars + own)
        #expect(mixed.rows.map(\.amount) == [100] && mixed.faults.map(\.line) == [2, 3])
        // Where it is all that there is, it is no column of codes: words, or days.
        let alone = try read(head + "2024-01-02,Bought,0.50,\(coin)\n")
        #expect(alone.rows.isEmpty == (coin != "n/a"))
    }

    /// Where nobody said that it is a fee, its row is read without it.
    @Test func aFeeThatCannotBeReadLeavesItsRowOutWhereFeesAreTold() throws {
        let head = "Date,Name,Amount,Fee\n2024-01-01,a,-100.00,1.50\n"
        let told = CSVMapping(
            date: .second("Date"),
            amount: .second("Amount"),
            name: .second("Name"),
            fee: .second("Fee")
        )
        let refused = try read(head + "2024-01-02,b,-8.00,x\n", told)
        #expect(refused.rows.map(\.name) == ["a"] && refused.faults.map(\.line) == [3])
        let kept = try read(head + "2024-01-02,b,-8.00,x\n")
        #expect(kept.rows.map(\.amount) == [-10_000, -800] && kept.faults.isEmpty)
        #expect(kept.notes.map(\.line).contains(3))
    }

    @Test(arguments: ["-", "\u{2013}", "--", "n/a", "N/A", ""])
    func aDashIsNoFee(_ dash: String) throws {
        let text = "Date,Name,Amount,Fee\n2024-01-01,a,-100.00,1.50\n2024-01-02,b,-8.00,\(dash)\n"
        let told = CSVMapping(
            date: .second("Date"),
            amount: .second("Amount"),
            name: .second("Name"),
            fee: .second("Fee")
        )
        let statement = try read(text, told)
        #expect(statement.rows.map(\.amount) == [-10_150, -800] && statement.faults.isEmpty)
    }

    @Test func aColumnOfSidesDecidesWhereNoAmountHasASign() throws {
        let head = "\"Date\",\"Description\",\"Amount\",\"Transaction Type\"\n"
        let rows = "3/27/2017,Shop,7.99,debit\n3/28/2017,Pay,9.00,credit\n"
        #expect(try read(head + rows, nil, .usd).rows.map(\.amount) == [-799, 900])
        let signed = "3/27/2017,Shop,-7.99,debit\n3/28/2017,Back,-9.00,credit\n"
        #expect(try read(head + signed, nil, .usd).rows.map(\.amount) == [-799, -900])
        // Of one word among sides nobody knows which way it goes.
        let words = try read(head + rows + "3/29/2017,x,9.00,interest\n", nil, .usd)
        #expect(words.rows.map(\.amount) == [-799, 900] && words.faults.map(\.line) == [4])
        let kinds = head + "3/27/2017,Shop,7.99,debit\n3/28/2017,x,9.00,fee\n3/29/2017,x,9.00,tip\n"
        #expect(try read(kinds, nil, .usd).rows.count == 3)
        // Another column says it of every row; this one only of most.
        let halves = "\"Date\",\"Description\",\"Amount\",\"Kind\",\"Way\"\n"
        let both = halves + "3/27/2017,a,7.99,debit,out\n3/28/2017,b,9.00,credit,in\n"
        let sided = try read(
            both + "3/29/2017,c,9.00,sale,in\n3/30/2017,d,1.00,fee,out\n",
            nil,
            .usd
        )
        #expect(sided.rows.map(\.amount) == [-799, 900, 900, -100] && sided.faults.isEmpty)
        // And what stands behind the first thousand rows counts, too.
        let late = head + String(repeating: "3/27/2017,Pay,7.99,credit\n", count: 1_200)
        let turned = try read(late + "3/29/2017,Shop,9.00,debit\n", nil, .usd)
        #expect(turned.rows.last?.amount == -900 && turned.rows.first?.amount == 799)
    }

    @Test func aCardIsAskedAboutAndTurnedRound() throws {
        let text =
            "Date,Description,Amount\n13/12/2019,Shop,18.89\n14/12/2019,Pub,5.00\n"
            + "15/12/2019,PAYMENT RECEIVED - THANK YOU,-100.00\n"
        let asked = try read(text)
        #expect(asked.rows.map(\.amount) == [1_889, 500, -10_000])
        #expect(asked.notes.map(\.line) == [4])
        #expect(asked.notes.first?.detail.contains("invert") == true)
        let mapping = CSVMapping(
            date: .second("Date"),
            amount: .second("Amount"),
            name: .second("Description"),
            invert: true
        )
        let turned = try read(text, mapping)
        #expect(turned.rows.map(\.amount) == [-1_889, -500, 10_000])
        #expect(turned.notes.isEmpty && turned.layout?.mapping?.invert == true)
    }

    @Test func feesAreTakenOffWhereTheBalancesProveIt() throws {
        let head = "Date,Name,Amount,Fee,Balance\n"
        let beside = head + "2024-01-01,a,-100.00,1.50,898.50\n2024-01-02,b,-8.00,0.50,890.00\n"
        let statement = try read(beside)
        #expect(statement.rows.map(\.amount) == [-10_150, -850])
        #expect(statement.opening == 100_000 && statement.closing == 89_000)
        let told = try #require(statement.layout?.mapping)
        #expect(told.fee == .second("Fee"))
        #expect(try read(beside, told).rows == statement.rows)
        let inside = head + "2024-01-01,a,-100.00,1.50,900.00\n2024-01-02,b,-8.00,0.50,892.00\n"
        let whole = try read(inside)
        #expect(whole.rows.map(\.amount) == [-10_000, -800])
        #expect(whole.layout?.mapping?.fee == nil && whole.notes.isEmpty)
        let unproved = try read("Date,Name,Amount,Fee\n2024-01-01,a,-100.00,1.50\n")
        #expect(unproved.rows.map(\.amount) == [-10_000])
        #expect(unproved.notes.first?.detail.contains("fee") == true)
    }

    @Test func accountsOfOneFileAreApart() throws {
        let text =
            "Account,Date,Payee,Memo,Outflow,Inflow\nChecking,2024-01-02,Shop,m,$5.00,$0.00\n"
            + "Visa,2024-01-03,Pub,m,$7.00,$0.00\nChecking,2024-01-04,Bar,m,$1.00,$0.00\n"
        let statements = try readStatements(Array(text.utf8), format: .csv, assuming: .usd)
        #expect(statements.map(\.accountNumber) == ["Checking", "Visa"])
        #expect(statements.map { $0.rows.map(\.amount) } == [[-500, -100], [-700]])
    }

    @Test func thePartnerGoesByTheWayOfTheMoney() throws {
        let text =
            "Datum;Zahlungspflichtige*r;Zahlungsempfänger*in;Betrag;IBAN\n"
            + "1.2.2024;Arbeit GmbH;Ich;5,00;DE89370400440532013000\n2.2.2024;Ich;Laden;-6,00;\n"
        let statement = try read(text)
        #expect(statement.rows.map(\.name) == ["Arbeit GmbH", "Laden"])
        #expect(statement.rows.first?.counterparty == "DE89370400440532013000")
        let told = try #require(statement.layout?.mapping)
        #expect(try read(text, told).rows == statement.rows)
    }

    @Test func wordsWithoutAKnownNameAreTheName() throws {
        let text = "Date,Xyz,Amount,Qrs\n2024-01-01,A long text here,-1.00,7\n2024-01-02,b,2.00,8\n"
        #expect(try read(text).rows.map(\.name) == ["A long text here", "b"])
        let both = "Datum;Betrag;Verwendungszweck;Text\n1.2.2024;1,00;;Spar\n2.2.2024;2,00;a;b\n"
        #expect(try read(both).rows.map(\.name) == ["Spar", "a; b"])
    }

    @Test func numbersGoByTheDelimiterThatWasShown() throws {
        let text =
            "18.09.2017;SHOP, A, B;18.09.2017;-33,87\n19.09.2017;PUB, C, D;19.09.2017;-1,50\n"
        let shown = try read(text)
        #expect(shown.rows.isEmpty && shown.layout?.columns.count == 4)
        let mapping = CSVMapping(date: .first(1), amount: .first(4), name: .first(2))
        let statement = try read(text, mapping)
        #expect(statement.rows.map(\.amount) == [-3_387, -150])
        #expect(statement.rows.first?.name == "SHOP, A, B")
    }

    @Test func oneRowWithoutAHeaderWantsAMapping() throws {
        let text = "18.09.2017;SHOP;-33,87\n"
        let shown = try read(text)
        #expect(shown.rows.isEmpty && shown.layout?.columns == ["18.09.2017", "SHOP", "-33,87"])
        let mapping = CSVMapping(date: .first(1), amount: .first(3), name: .first(2))
        #expect(try read(text, mapping).rows.map(\.amount) == [-3_387])
    }

    @Test func anUndecidedOrderIsToldOnce() throws {
        let text = "Date,Name,Amount\n03/04/2024,x,-1.00\n"
        let guessed = try read(text)
        #expect(guessed.rows.first?.day == Day("2024-04-03"))
        #expect(guessed.notes.map(\.line) == [2])
        #expect(guessed.layout?.order == .dayFirst && guessed.layout?.isOrderDecided == false)
        let remembered = try read(text, nil, order: .monthFirst)
        #expect(remembered.rows.first?.day == Day("2024-03-04"))
        #expect(remembered.notes.isEmpty && remembered.layout?.order == .monthFirst)
        let decided = try read(text + "13/04/2024,y,1.00\n", nil, order: .monthFirst)
        #expect(decided.rows.first?.day == Day("2024-04-03"))
        #expect(decided.layout?.isOrderDecided == true)
    }

    @Test(arguments: [
        ("10.00 CR", 1_000), ("5.00 DR", -500), ("5.00DR", -500), ("-10.1234", -1_012),
        ("10.1250", 1_012), ("10.1350", 1_014), ("-10.0000", -1_000), ("- €5.00", -500),
    ])
    func amountsMayHaveWordsAndMoreDigits(_ text: String, _ units: Int64) throws {
        let statement = try read("date;amount;name\n2024-01-01;\(text);x\n;-1.00;y")
        #expect(statement.rows.map(\.amount) == [units], "\(statement.faults)")
        let isRounded = text.contains("1234") || text.contains("50")
        #expect(statement.notes.isEmpty != isRounded)
    }

    @Test func dinarsMayHaveTheirSign() throws {
        let jod = try #require(Currency("JOD"))
        let text = "date;amount;name\n2024-01-01;د.ا.\u{200F}4.750;x"
        #expect(try read(text, nil, jod).rows.map(\.amount) == [4_750])
        #expect(try read(text).rows.isEmpty)
    }

    @Test(arguments: ["45292", "45292.5", "2024:01:01", "2024-01-01 10:00:00"])
    func daysMayBeASpreadsheets(_ text: String) {
        #expect(StatementDates.csv(text, order: .dayFirst) == Day("2024-01-01"))
    }

    /// «Płatność» and «Оплата» in the sets of before Unicode.
    @Test func oldCharacterSetsAreFoundOrTold() throws {
        let polish: [UInt8] =
            Array("Data operacji;Kwota;Tytu".utf8) + [0xB3] + Array("\n2024-01-01;-1,00;P".utf8)
            + [0xB3] + Array("atno".utf8) + [0x9C, 0xE6] + Array("\n".utf8)
        let found = try #require(try readCSV(polish, assuming: .eur).first)
        #expect(found.rows.map(\.name) == ["Płatność"])
        #expect(found.layout?.mapping?.charset == .windows1250)
        let russian: [UInt8] =
            [0xC4, 0xE0, 0xF2, 0xE0, 0x3B, 0xD1, 0xF3, 0xEC, 0xEC, 0xE0]
            + Array(";Name\n2024-01-01;1,00;".utf8) + [0xCE, 0xEF, 0xEB, 0xE0, 0xF2, 0xE0, 0x0A]
        let cyrillic = try #require(try readCSV(russian, assuming: .eur).first)
        #expect(cyrillic.rows.map(\.name) == ["Оплата"])
        let mapping = CSVMapping(
            date: .first(1),
            amount: .first(2),
            name: .first(3),
            charset: .cp852,
            headerRows: 1
        )
        let bytes = Array("a;b;c\n2024-01-01;1,00;".utf8) + [0x88, 0x0A]
        let told = try #require(try readCSV(bytes, mapping: mapping, assuming: .eur).first)
        #expect(told.rows.map(\.name) == ["ł"])
    }
}
