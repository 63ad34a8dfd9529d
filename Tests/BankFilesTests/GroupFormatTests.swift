import TestKit
import Testing
import WalletProtocol

@testable import BankFiles

/// Files of the apps whose headers are known by their words.
@Suite struct GroupFormatTests {
    private static let euro = AssumedCurrency(.eur, isNamed: false)

    static func read(
        _ text: String,
        _ format: GroupImportFormat? = nil,
        assuming currency: AssumedCurrency? = euro
    ) throws -> GroupExport {
        try readGroupExport(Array(text.utf8), format: format, assuming: currency)
    }

    // MARK: Rows that move nothing

    @Test(arguments: [
        "Date,Description,Category,Cost,Currency,Ada,Bob\n"
            + "2024-03-05,Settle all balances,Payment,0.00,EUR,0.00,0.00\n",
        "Date,Description,Category,Cost,Currency,Ada,Bob\n2024-03-05,x,y,50.00,EUR,0.00,0.00\n",
        "Title,Amount,Currency,Date,Paid by,Paid for Ada,Paid for Bob\nx,0,EUR,2024-03-05,Ada,,\n",
        "Date,Description,Category,Currency,Cost,Is Reimbursement,Split mode,Ada,Bob\n"
            + "2024-03-05,x,y,EUR,0.00,No,Evenly,0,0\n",
        "Date,Title,Paid by Ada,Paid by Bob,Paid for Ada,Paid for Bob,Currency\n"
            + "20240305,x,0.00,0.00,0.00,0.00,EUR\n",
        "what,amount,date,payer_name,payer_weight,owers\nx,0,2024-03-05,Ada,1,Ada\n",
        "what,amount,date,payer_name,payer_weight,owers,deleted\nx,9,2024-03-05,Ada,1,Ada,1\n",
        splitPro + "You,x,y,9.00,EQUAL,2024-03-05,EUR,0,0,0\n",
    ])
    func rowThatMovesNothingIsANote(text: String) throws {
        let export = try Self.read(text)
        #expect(export.rows.isEmpty && export.faults.isEmpty && export.ties)
        #expect(export.notes.count { $0.detail.hasSuffix("the row is left out") } == 1)
    }

    // MARK: Spliit

    private static let spliit =
        "\u{feff}\"Date\",\"Description\",\"Category\",\"Currency\",\"Cost\",\"Original cost\","
        + "\"Original currency\",\"Conversion rate\",\"Is Reimbursement\",\"Split mode\","

    @Test func spliitsPayerIsKnownByTheSign() throws {
        let export = try Self.read(
            Self.spliit + """
                "Ada","Bob","Cleo"
                "2025-01-06","Dinner","Food","EUR","10.00",,,,"No","Evenly",-3.33,3.33,-3.33
                "2025-01-07","Hotel","Stay","EUR","90.00","100","USD","0.9","No","Evenly",-45,0,-45
                "2025-01-08","Back","","EUR","-6.00",,,,"No","Evenly",2,-2,2
                "2025-01-09","Paid","Payment","EUR","5.00",,,,"Yes","Evenly",0,-5,0
                """
        )
        #expect(export.format == .spliit && export.people == ["Ada", "Bob", "Cleo"])
        let (dinner, hotel, back) = (export.rows[0], export.rows[1], export.rows[2])
        #expect(dinner.paid == [.init(person: 1, amount: 1_000)])
        #expect(dinner.shares.map(\.amount).reduce(0, +) == 1_000)
        #expect(hotel.paid == [.init(person: 1, amount: 9_000)] && hotel.description == "100 USD")
        #expect(back.paid == [.init(person: 1, amount: -600)])
        #expect(back.shares.map(\.amount) == [-200, -200, -200])
        // Ada or Cleo paid: the file does not tell.
        #expect(export.faults.map(\.line) == [5])
        #expect(export.faults[0].detail.contains("who paid"))
        let two = try Self.read(
            Self.spliit + "Ada,Bob\n2025-01-09,Paid,,EUR,5.00,,,,Yes,Evenly,0,-5\n"
        )
        #expect(two.rows[0].kind == .payment && two.balances == [.eur: [500, -500]])
    }

    @Test func signOfACurrencyIsReadIfItCanBeOnlyOne() throws {
        func file(_ sign: String) -> String {
            Self.spliit + "Ada,Bob\n2025-01-06,x,,\(sign),4.00,,,,No,Evenly,2,-2\n"
        }
        #expect(try Self.read(file("€"), assuming: nil).rows[0].amount.currency == .eur)
        let dollar = try Self.read(file("$"))
        #expect(dollar.rows.isEmpty && dollar.faults[0].detail.contains("USD"))
        let usd = AssumedCurrency(.usd, isNamed: false)
        let assumed = try Self.read(file("$"), assuming: usd)
        #expect(assumed.rows[0].amount.currency == .usd && assumed.notes.count == 1)
        #expect(try Self.read(file("Coins")).faults.count == 1)
        let named = try Self.read(file("Coins"), assuming: AssumedCurrency(.jpy, isNamed: true))
        #expect(named.rows.first?.amount.currency == .jpy && named.notes.isEmpty)
    }

    // MARK: Sesterce

    @Test func sesterceStatesBothSides() throws {
        let export = try Self.read(
            """
            Date,Title,Paid by Ada,Paid by Bob,Paid for Ada,Paid for Bob,Currency,Category
            20230722,Hotel,300.00,58.00,169.00,189.00,EUR,Hosting
            2023-07-23,Deposit back,-10.00,0.00,-5.00,-5.00,EUR,
            2023-07-24,Paid,0.00,7.00,7.00,0.00,USD,Money transfer
            2023-07-25,Odd,1.00,0.00,5.00,5.00,EUR,
            """
        )
        #expect(export.format == .sesterce && export.faults.map(\.line) == [5])
        #expect(export.rows.map(\.amount.minorUnits) == [35_800, -1_000, 700])
        #expect(export.rows.map(\.kind) == [.expense, .expense, .payment])
        #expect(export.balances == [.eur: [12_600, -12_600], .usd: [-700, 700]])
    }

    // MARK: Cospend

    @Test func cospendsBillsAreSplitByWeights() throws {
        let text = """
            name,weight,active,color
            "Ada",1,1,"#112233"
            "Doe, Bob",2,1,"#445566"
            "Cleo",1.5,0,"#778899"

            what,amount,date,timestamp,payer_name,payer_weight,payer_active,owers,repeat,\
            repeatfreq,repeatallactive,repeatuntil,\
            categoryid,paymentmode,paymentmodeid,comment,deleted
            Dinner,45,2024-01-15,1705276800,Ada,1,1,"Ada,Doe, Bob,Cleo",n,1,0,,7,n,0,so+good%21,0
            Paid,20,2024-01-16,1705363200,"Doe, Bob",2,1,"Ada",n,1,0,,-11,n,0,"",0
            "Gone",20,2024-01-16,1705363200,"Ada",1,1,"Ada",n,1,0,,-1,n,0,"",1
            "Who",20,2024-01-16,1705363200,"Dora",1,1,"Ada",n,1,0,,-1,n,0,"",0

            categoryname,categoryid,icon,color
            "Food",7,"x","#ffaa00"

            currencyname,exchange_rate
            "CHF",1
            "EUR",0.95
            """
        let export = try Self.read(text)
        #expect(export.format == .cospend && export.people == ["Ada", "Doe, Bob", "Cleo"])
        #expect(export.rows.map(\.kind) == [.expense, .payment])
        #expect(export.rows[0].shares.map(\.amount) == [1_000, 2_000, 1_500])
        #expect(export.rows[0].category == "Food" && export.rows[0].description == "so good!")
        let chf = try #require(Currency("CHF"))
        #expect(export.balances == [chf: [1_500, 0, -1_500]])
        #expect(export.faults.map(\.line) == [10] && export.notes.map(\.line) == [9])
        let without = text.replacing(
            "currencyname,exchange_rate\n\"CHF\",1\n\"EUR\",0.95",
            with: ""
        )
        let assumed = try Self.read(without)
        #expect(assumed.rows[0].amount.currency == .eur)
        #expect(assumed.notes.contains { $0.detail.contains("the file names no currency") })
        #expect(try Self.read(without, assuming: nil).rows.isEmpty)
    }

    @Test func membersOfMoneyBusterAreKnownByItsPlaceholders() throws {
        let head = "what,amount,date,timestamp,payer_name,payer_weight,payer_active,owers,repeat\n"
        let export = try Self.read(
            head + """
                deleteMeIfYouWant,1,1970-01-01,666,Ada,1,1,Ada,n
                deleteMeIfYouWant,1,1970-01-01,666,Bob,3,1,Bob,n
                Bread,4,2024-01-15,1705276800,Ada,1,1,"Ada,Bob",n
                Tea,4,2024-01-15,1705276800,Ada,1,1,"Ada,Cleo",n
                """
        )
        #expect(export.people == ["Ada", "Bob", "Cleo"] && export.rows.count == 1)
        #expect(export.balances == [.eur: [300, -300, 0]])
        #expect(export.faults[0].detail.contains("weight of «Cleo»"))
    }

    // MARK: SplitPro

    private static let splitPro =
        "Paid By,Name,Category,Amount,Split Type,Expense Date,Currency,You Lent,You Owe,"
        + "Settlement\n"

    @Test func splitProIsReadAsFarAsItTells() throws {
        let export = try Self.read(
            Self.splitPro + """
                You,Dinner,Food,60.00,EQUAL,2026-07-01 18:30:00,EUR,20.00,0,0
                Nat,Taxi,Transport,30.00,EXACT,2026-07-02 22:15:00,EUR,0,30.00,0
                You,Settle up,General,10.00,SETTLEMENT,2026-07-03 09:00:00,EUR,0,0,10.00
                Nat,Deposit back,General,-8.00,EQUAL,2026-07-04 09:00:00,EUR,0,4.00,0
                Nat,Odd,General,8.00,EQUAL,2026-07-04 09:00:00,EUR,4.00,0,0
                """
        )
        #expect(export.format == .splitpro && export.people == ["You", "Nat"])
        #expect(export.exporter == 0 && export.faults.map(\.line) == [6])
        #expect(export.rows.map(\.amount.minorUnits) == [2_000, 3_000, 1_000, -400])
        #expect(export.rows.map(\.kind) == [.expense, .expense, .payment, .expense])
        #expect(export.rows[0].description == "Part of 60.00 EUR" && export.notes.count == 1)
        #expect(export.balances == [.eur: [400, -400]])
        #expect(throws: UnreadableStatement.self) {
            try Self.read(
                Self.splitPro + "Nat,x,y,1.00,EQUAL,2026-07-01,EUR,0,1.00,0\n"
                    + "Bob,x,y,1.00,EQUAL,2026-07-01,EUR,0,1.00,0\n"
            )
        }
    }

    // MARK: Tricount

    @Test(arguments: [
        "Titel;Betrag;Währung;Transaktionstyp;Kategorie;Bezahlt von;Bezahlt von Ada;"
            + "Bezahlt von Bob;Anteil von Ada;Anteil von Bob;Datum & Uhrzeit\n"
            + "Brot;10,00;EUR;Ausgabe;Essen;Ada;10,00;;-2,50;-7,50;14.07.2023 10:00\n"
            + "Pfand;4,00;EUR;Einnahme;;Ada;4,00;;2,00;2,00;15.07.2023 10:00\n"
            + "Zurück;3,00;EUR;Geldtransfer;;Bob;;3,00;-3,00;;16.07.2023 10:00\n",
        "Titel;Bedrag;Valuta;Transactietype;Categorie;Betaald door Ada;Betaald door Bob;"
            + "Deel van Ada;Deel van Bob;Datum & tijd\n"
            + "Brood;10,00;EUR;Uitgave;Eten;10,00;;2,50;7,50;14-07-2023 10:00\n"
            + "Statiegeld;4,00;EUR;Inkomsten;;4,00;;2,00;2,00;15-07-2023 10:00\n"
            + "Terug;3,00;EUR;Overschrijving;;;3,00;3,00;;16-07-2023 10:00\n",
    ])
    func tricountIsReadInGermanAndDutch(text: String) throws {
        let export = try Self.read(text)
        #expect(export.format == .tricount && export.people == ["Ada", "Bob"])
        #expect(export.faults.isEmpty && export.notes.isEmpty)
        #expect(export.rows.map(\.kind) == [.expense, .expense, .payment])
        #expect(export.rows.map(\.amount.minorUnits) == [1_000, -400, 300])
        #expect(export.balances == [.eur: [250, -250]])
    }

    @Test func unknownTypeOfTricountIsNoted() throws {
        let head = "Titel,Betrag,Währung,Datum,Typ,Bezahlt von,Für Ada,Für Bob\n"
        let row = "x,10.00,EUR,2023-01-01,Sonstiges,Ada,4.00,6.00\n"
        let export = try Self.read(head + row + row)
        #expect(export.rows.count == 2 && export.notes.map(\.line) == [2])
        #expect(export.notes[0].detail.contains("«Sonstiges»"))
    }

    // MARK: Refusals

    @Test(arguments: [
        ("{\"friends\":{},\"groups\":[{\"groupBalances\":[]}]}", "SplitPro"),
        ("{\"id\":\"x\",\"participants\":[],\"expenses\":[]}", "Spliit's JSON"),
        ("Who paid,Amount,Currency,For whom,Split amounts,Purpose\n", "Settle Up"),
        ("name,weight,active,color\nAda,1,1,x\n", "Cospend without bills"),
        ("Tytuł,Kwota\nChleb,1\ntricount Trip - 2024\n", "Tricount"), ("PK\u{3}\u{4}", "XLSX"),
        ("<OFX><SIGNONMSGSRSV1>", "a bank's file"),
    ])
    func refusalNamesTheFile(text: String, name: String) {
        #expect {
            try Self.read(text)
        } throws: { error in
            guard case UnreadableStatement.unknownFormat(let detail) = error else { return false }
            return detail.contains(name) && detail.contains("what is read is")
        }
        let file = Self.splitPro + "You,x,y,1.00,EQUAL,2026-07-01,EUR,1.00,0,0\n"
        #expect(
            throws: UnreadableStatement.unknownFormat("this is a file of SplitPro, not of Spliit")
        ) {
            try Self.read(file, .spliit)
        }
    }
}
