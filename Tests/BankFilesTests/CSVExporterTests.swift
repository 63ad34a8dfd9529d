import Testing
import WalletProtocol

@testable import BankFiles

/// What known exporters write: their header, and rows of our own making.
@Suite struct CSVExporterTests {
    struct Sample: CustomTestStringConvertible, Sendable {
        let name: String
        let currency: String
        let text: String
        let amounts: [Int64]
        let names: [String]
        var account: String?
        var testDescription: String { name }
    }

    static let samples = [
        Sample(
            name: "PayPal, English",
            currency: "EUR",
            text: """
                "Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net",\
                "From Email Address","Transaction ID","Balance"
                "13/01/2024","10:00:00","CET","Ada","Payment","Completed","EUR","-5.00","-0.35",\
                "-5.35","a@b.example","X1","94.65"
                "14/01/2024","10:00:00","CET","Bob","Payment","Completed","EUR","9.00","0.00",\
                "9.00","b@b.example","X2","103.65"
                """,
            amounts: [-535, 900],
            names: ["Ada", "Bob"]
        ),
        Sample(
            name: "PayPal, Spanish",
            currency: "EUR",
            text: "\"Fecha\"\t\"Hora\"\t\"Nombre\"\t\"Tipo\"\t\"Estado\"\t\"Divisa\"\t\"Bruto\""
                + "\t\"Tarifa\"\t\"Neto\"\t\"Importe de envío\"\n\"13/1/2024\"\t\"1:00\"\t\"Ada\""
                + "\t\"Pago\"\t\"Completado\"\t\"EUR\"\t\"-5,00\"\t\"-0,35\"\t\"-5,35\""
                + "\t\"0,00\"\n",
            amounts: [-535],
            names: ["Ada"]
        ),
        Sample(
            name: "Revolut",
            currency: "EUR",
            text: """
                Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,\
                Balance
                ATM,Current,2024-01-01 10:00:00,2024-01-02 10:00:00,Cash,-100.00,1.50,EUR,\
                COMPLETED,898.50
                CARD_PAYMENT,Current,2024-01-03 10:00:00,,Pub,-5.00,0.00,EUR,COMPLETED,893.50
                CARD_PAYMENT,Current,2024-01-03 10:00:00,,Shop,-5.00,0.00,EUR,REVERTED,
                """,
            amounts: [-10_150, -500],
            names: ["Cash", "Pub"]
        ),
        Sample(
            name: "Wise",
            currency: "EUR",
            text: """
                "TransferWise ID",Date,Amount,Currency,Description,"Payment Reference",\
                "Running Balance","Payer Name","Payee Name",Merchant,"Total fees"
                T-1,13-01-2024,-100.50,EUR,"Sent money",ref,899.50,,Ada,,0.50
                T-2,14-01-2024,20.00,EUR,"Received money",ref,919.50,Bob,,,0.00
                C-3,15-01-2024,-5.00,EUR,"Card",,914.50,,,Pub,0.00
                """,
            amounts: [-10_050, 2_000, -500],
            names: ["Ada", "Bob", "Pub"]
        ),
        Sample(
            name: "N26, 2023",
            currency: "EUR",
            text: """
                "Booking Date","Value Date","Partner Name","Partner Iban",Type,\
                "Payment Reference","Account Name","Amount (EUR)","Original Amount",\
                "Original Currency","Exchange Rate"
                2024-01-02,2024-01-02,Ada,DE89370400440532013000,"Credit Transfer",Rent,\
                "Main Account",12.5,,,
                2024-01-03,2024-01-03,Shop,,"Card",,"Main Account",-3.0,-3.2,USD,0.93
                """,
            amounts: [1_250, -300],
            names: ["Ada", "Shop"]
        ),
        Sample(
            name: "DKB, 2023",
            currency: "EUR",
            text: """
                "Girokonto";"DE02120300000000202051"
                ""
                "Buchungsdatum";"Wertstellung";"Status";"Zahlungspflichtige*r";\
                "Zahlungsempfänger*in";"Verwendungszweck";"Umsatztyp";"IBAN";"Betrag (€)";\
                "Gläubiger-ID"
                "02.01.24";"02.01.24";"Gebucht";"Arbeit GmbH";"Ich";"Lohn";"Eingang";\
                "DE89370400440532013000";"1.234,00";""
                "03.01.24";"03.01.24";"Gebucht";"Ich";"Laden";"Brot";"Ausgang";"";"-2,50";""
                """,
            amounts: [123_400, -250],
            names: ["Arbeit GmbH", "Laden"]
        ),
        Sample(
            name: "ING, Germany",
            currency: "EUR",
            text: """
                IBAN;DE02 5001 0517 0000 0000 00

                Buchung;Wertstellungsdatum;Auftraggeber/Empfänger;Buchungstext;\
                Verwendungszweck;Saldo;Währung;Betrag;Währung
                03.01.2024;03.01.2024;Laden;Lastschrift;Brot;997,50;EUR;-2,50;EUR
                02.01.2024;02.01.2024;Arbeit;Gehalt;Lohn;1.000,00;EUR;900,00;EUR
                """,
            amounts: [-250, 90_000],
            names: ["Laden", "Arbeit"]
        ),
        Sample(
            name: "ING, Netherlands",
            currency: "EUR",
            text: """
                "Datum","Naam / Omschrijving","Rekening","Tegenrekening","Code","Af Bij",\
                "Bedrag (EUR)","Mutatiesoort","Mededelingen"
                "20240102","Winkel","NL20INGB0001234567","NL91ABNA0417164300","GT","Af","2,50",\
                "Online bankieren","Brood"
                "20240103","Werk","NL20INGB0001234567","","OV","Bij","1000,00","Overschrijving",""
                """,
            amounts: [-250, 100_000],
            names: ["Winkel", "Werk"],
            account: "NL20INGB0001234567"
        ),
        Sample(
            name: "Rabobank",
            currency: "EUR",
            text: """
                "IBAN/BBAN","Munt","BIC","Volgnr","Datum","Rentedatum","Bedrag","Saldo na trn",\
                "Tegenrekening IBAN/BBAN","Naam tegenpartij","Naam uiteindelijke partij",\
                "Omschrijving-1"
                "NL71RABO0123456789","EUR","RABONL2U","1","2024-01-02","2024-01-02","-2,50",\
                "+97,50","NL91ABNA0417164300","Winkel","","Brood"
                "NL71RABO0123456789","EUR","RABONL2U","2","2024-01-03","2024-01-03","+10,00",\
                "+107,50","","Werk","","Loon"
                """,
            amounts: [-250, 1_000],
            names: ["Winkel", "Werk"],
            account: "NL71RABO0123456789"
        ),
        Sample(
            name: "bunq",
            currency: "EUR",
            text: """
                "Date","Interest Date","Amount","Account","Counterparty","Name","Description"
                "2024-01-02","2024-01-02","-2.50","NL02BUNQ0123456789","NL91ABNA0417164300",\
                "Winkel","Brood"
                "2024-01-03","2024-01-03","10.00","NL02BUNQ0123456789","","Werk","Loon"
                """,
            amounts: [-250, 1_000],
            names: ["Winkel", "Werk"],
            account: "NL02BUNQ0123456789"
        ),
        Sample(
            name: "Mint",
            currency: "USD",
            text: """
                "Date","Description","Original Description","Amount","Transaction Type",\
                "Category","Account Name","Labels","Notes"
                "3/07/2024","Shop","SHOP 1","7.99","debit","Food","Card","",""
                "3/08/2024","Pay","PAY 1","9.00","credit","Income","Card","",""
                """,
            amounts: [-799, 900],
            names: ["Shop", "Pay"],
            account: "Card"
        ),
        Sample(
            name: "YNAB",
            currency: "USD",
            text: """
                "Account","Flag","Date","Payee","Category Group/Category","Category Group",\
                "Category","Memo","Outflow","Inflow","Cleared"
                "Checking","","01/13/2024","Shop","Food: Out","Food","Out","m",$5.00,$0.00,"Cleared"
                "Checking","","01/14/2024","Pay","","","","",$0.00,$9.00,"Cleared"
                """,
            amounts: [-500, 900],
            names: ["Shop", "Pay"],
            account: "Checking"
        ),
        Sample(
            name: "American Express",
            currency: "USD",
            text: """
                Date,Description,Card Member,Account #,Amount
                01/13/2024,SHOP,A B,-11000,18.89
                01/14/2024,AUTOPAY PAYMENT - THANK YOU,A B,-11000,-100.00
                """,
            amounts: [-1_889, 10_000],
            names: ["SHOP", "AUTOPAY PAYMENT - THANK YOU"]
        ),
        Sample(
            name: "Monzo",
            currency: "GBP",
            text: """
                Transaction ID,Date,Time,Type,Name,Emoji,Category,Amount,Currency,Local amount,\
                Local currency,Notes and #tags,Address,Receipt,Description
                tx_1,02/01/2024,10:00:00,Card payment,Pub,,Eating out,-5.00,GBP,-5.00,GBP,,,,PUB 1
                tx_2,03/01/2024,10:00:00,Faster payment,Ada,,Income,9.00,GBP,9.00,GBP,rent,,,
                """,
            amounts: [-500, 900],
            names: ["Pub", "Ada"]
        ),
        Sample(
            name: "Monzo, 2018",
            currency: "GBP",
            text: """
                id,created,amount,currency,local_amount,local_currency,category,emoji,description,\
                address,notes,receipt
                tx_1,2018-01-02 10:00:00 +0000,-5.00,GBP,-5.00,GBP,eating_out,,PUB 1,,,
                tx_2,2018-01-03 10:00:00 +0000,9.00,GBP,9.00,GBP,general,,ADA,,,
                """,
            amounts: [-500, 900],
            names: ["PUB 1", "ADA"]
        ),
        Sample(
            name: "Venmo",
            currency: "USD",
            text: """
                Account Statement - (@ada) ,,,,,,,,,
                Account Activity,,,,,,,,,
                ,ID,Datetime,Type,Status,Note,From,To,Amount (total),Amount (tip)
                ,1,2024-01-02T10:00:00,Payment,Complete,Pizza,Ada,Bob,- $5.00,
                ,2,2024-01-03T10:00:00,Payment,Complete,Rent,Cid,Ada,+ $9.00,
                """,
            amounts: [-500, 900],
            names: ["Bob", "Cid"]
        ),
        Sample(
            name: "Chase, card",
            currency: "USD",
            text: """
                Transaction Date,Post Date,Description,Category,Type,Amount,Memo
                01/02/2024,01/03/2024,SHOP,Food,Sale,-5.00,
                01/04/2024,01/04/2024,PAYMENT,,Payment,9.00,
                """,
            amounts: [-500, 900],
            names: ["SHOP", "PAYMENT"]
        ),
        Sample(
            name: "Chase, account",
            currency: "USD",
            text: """
                Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #
                DEBIT,01/03/2024,SHOP,-5.00,DEBIT_CARD,995.00,,
                CREDIT,01/02/2024,PAY,100.00,ACH_CREDIT,1000.00,,
                """,
            amounts: [-500, 10_000],
            names: ["SHOP", "PAY"]
        ),
        Sample(
            name: "Fidelity",
            currency: "USD",
            text: """
                Run Date,Action,Symbol,Description,Type,Quantity,Price ($),Commission ($),\
                Fees ($),Accrued Interest ($),Amount ($),Settlement Date
                01/02/2024,DIVIDEND RECEIVED,SPAXX,FUND,Cash,0.000,,,,,1.23,
                01/03/2024,DEBIT CARD PURCHASE SHOP,,No Description,Cash,0.000,,,,,-5.00,
                """,
            amounts: [123, -500],
            names: ["DIVIDEND RECEIVED", "DEBIT CARD PURCHASE SHOP"]
        ),
        Sample(
            name: "Stripe",
            currency: "EUR",
            text: """
                id,Type,Source,Amount,Fee,Net,Currency,Created (UTC),Available On (UTC),Description
                txn_1,charge,ch_1,10.00,0.55,9.45,eur,2024-01-02 10:00,2024-01-09 00:00,Order 1
                txn_2,refund,re_1,-3.00,0.00,-3.00,eur,2024-01-03 10:00,2024-01-09 00:00,Refund 1
                """,
            amounts: [945, -300],
            names: ["Order 1", "Refund 1"]
        ),
        Sample(
            name: "Bank of America",
            currency: "USD",
            text: """
                Description,,Summary Amt.
                Beginning balance as of 01/01/2024,,"1,000.00"

                Date,Description,Amount,Running Bal.
                01/01/2024,Beginning balance as of 01/01/2024,,"1,000.00"
                01/02/2024,"SHOP","-5.00","995.00"
                """,
            amounts: [-500],
            names: ["SHOP"]
        ),
        Sample(
            name: "Swedbank, Swedish",
            currency: "SEK",
            text: """
                Bokföringsdag;Belopp;Avsändare;Mottagare;Namn;Rubrik;Saldo;Valuta
                2024-01-02;-50,00;;;;Butik;950,00;SEK
                2024-01-03;100,00;;;;Lön;1 050,00;SEK
                """,
            amounts: [-5_000, 10_000],
            names: ["Butik", "Lön"]
        ),
        Sample(
            name: "Czech",
            currency: "CZK",
            text: """
                Datum provedení;Datum zaúčtování;Číslo protiúčtu;Název protiúčtu;Částka;Měna;Zpráva
                02.01.2024;02.01.2024;123456789/0100;Obchod;-50,00;CZK;Chléb
                03.01.2024;03.01.2024;;Práce;1 000,00;CZK;Mzda
                """,
            amounts: [-5_000, 100_000],
            names: ["Obchod", "Práce"]
        ),
        Sample(
            name: "Hungarian",
            currency: "HUF",
            text: """
                Könyvelés dátuma;Partner neve;Összeg;Pénznem;Közlemény
                2024.01.02.;Bolt;-500,00;HUF;Kenyér
                2024.01.03.;Munka;100000,00;HUF;Bér
                """,
            amounts: [-50_000, 10_000_000],
            names: ["Bolt", "Munka"]
        ),
        Sample(
            name: "Polish",
            currency: "PLN",
            text: """
                Data księgowania;Data operacji;Nadawca/Odbiorca;Tytuł;Kwota;Waluta
                2024-01-02;2024-01-01;Sklep;Chleb;-5,00;PLN
                2024-01-03;2024-01-03;Praca;Pensja;1 000,00;PLN
                """,
            amounts: [-500, 100_000],
            names: ["Sklep", "Praca"]
        ),
        Sample(
            name: "Portuguese",
            currency: "EUR",
            text: """
                Data do lançamento;Data valor;Descrição;Valor;Saldo
                02-01-2024;02-01-2024;Loja;-5,00;95,00
                03-01-2024;03-01-2024;Trabalho;10,00;105,00
                """,
            amounts: [-500, 1_000],
            names: ["Loja", "Trabalho"]
        ),
        Sample(
            name: "Russian",
            currency: "RUB",
            text: """
                Дата операции;Сумма операции;Валюта операции;Описание
                02.01.2024;-5,00;RUB;Магазин
                03.01.2024;10,00;RUR;Работа
                """,
            amounts: [-500, 1_000],
            names: ["Магазин", "Работа"]
        ),
        Sample(
            name: "Hebrew",
            currency: "ILS",
            text: "תאריך,תיאור,חובה,זכות,יתרה\n02/01/2024,חנות,5.00,,95.00\n"
                + "13/01/2024,עבודה,,10.00,105.00\n",
            amounts: [-500, 1_000],
            names: ["חנות", "עבודה"]
        ),
        Sample(
            name: "Knab",
            currency: "EUR",
            text: """
                KNAB EXPORT;;;;;;;;
                Rekeningnummer;Transactiedatum;Valutacode;CreditDebet;Bedrag;\
                Tegenrekeningnummer;Tegenrekeninghouder;Valutadatum;Omschrijving
                NL02KNAB0123456789;02-01-2024;EUR;D;2,50;NL91ABNA0417164300;Winkel;02-01-2024;Brood
                NL02KNAB0123456789;13-01-2024;EUR;C;10,00;;Werk;13-01-2024;Loon
                """,
            amounts: [-250, 1_000],
            names: ["Winkel", "Werk"],
            account: "NL02KNAB0123456789"
        ),
        Sample(
            name: "KBC",
            currency: "EUR",
            text: """
                Rekeningnummer;Rubrieknaam;Naam;Munt;Afschriftnummer;Datum;Omschrijving;Valuta;\
                Bedrag;Saldo;credit;debet;rekeningnummer tegenpartij;Naam tegenpartij
                BE68539007547034;;Ik;EUR;1;02/01/2024;Winkel;02/01/2024;-2,50;97,50;;2,50;;Winkel
                BE68539007547034;;Ik;EUR;1;13/01/2024;Loon;13/01/2024;10,00;107,50;10,00;;;Werk
                """,
            amounts: [-250, 1_000],
            names: ["Winkel", "Werk"],
            account: "BE68539007547034"
        ),
    ]

    @Test(arguments: samples)
    func anExportersFileIsRead(_ sample: Sample) throws {
        let currency = try #require(Currency(sample.currency))
        for format: StatementFormat? in [.csv, nil] {
            let statements = try readStatements(
                Array(sample.text.utf8),
                format: format,
                assuming: currency
            )
            let statement = try #require(statements.first)
            #expect(statements.count == 1)
            #expect(statement.rows.map(\.amount) == sample.amounts, "\(statement.faults)")
            #expect(statement.rows.map(\.name) == sample.names)
            if let account = sample.account { #expect(statement.accountNumber == account) }
        }
    }

    /// What is told of a file reads it again, and says the same.
    @Test(arguments: samples)
    func whatIsToldReadsItAgain(_ sample: Sample) throws {
        let currency = try #require(Currency(sample.currency))
        let bytes = Array(sample.text.utf8)
        let found = try #require(try readCSV(bytes, assuming: currency).first)
        let told = try #require(found.layout?.mapping)
        let again = try readCSV(bytes, mapping: told, assuming: currency).first
        #expect(again?.rows.map(\.amount) == sample.amounts)
    }

    /// A line of the table that is not understood would be left out in silence.
    @Test func everyLineOfTheTableIsAnExporter() {
        let shipped = CSVNames.shipped.exporters
        #expect(shipped.count >= 30)
        #expect(Set(shipped.map(\.name)).count == shipped.count)
        for exporter in shipped {
            let isKnown = exporter.roles.values.allSatisfy { !$0.isEmpty }
            #expect(
                isKnown && (exporter.isExact || exporter.signature.count >= 4),
                "\(exporter.name)"
            )
        }
    }
}
