import ServiceKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Formats with balances, the older file committed after the newer one.
@Suite struct AccountOpeningFormatTests {
    /// A month with one row, in whole units.
    private struct Month {
        let number: Int
        let opening: Int
        let spent: Int
        let lastDay: Int

        var closing: Int { opening - spent }
        var first: String { "2024-0\(number)-01" }
        var last: String { "2024-0\(number)-\(lastDay)" }

        var ofx: String {
            """
            OFXHEADER:100

            <OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>77\
            <ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>OTHER\
            <DTPOSTED>20240\(number)05<TRNAMT>-\(spent).00<FITID>\(number)<NAME>Shop</STMTTRN>\
            </BANKTRANLIST><LEDGERBAL><BALAMT>\(closing).00<DTASOF>20240\(number)\(lastDay)\
            </LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
            """
        }

        /// With a running balance, which needs two rows to prove it.
        var csv: String {
            """
            Date,Payee,Amount,Balance
            2024-0\(number)-05,Shop,-\(spent - 1).00,\(closing + 1).00
            2024-0\(number)-06,Kiosk,-1.00,\(closing).00

            """
        }

        var camt: String {
            let balance = { (code: String, amount: Int, day: String) in
                """
                <Bal><Tp><CdOrPrtry><Cd>\(code)</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">\(amount).00\
                </Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>\(day)</Dt></Dt></Bal>
                """
            }
            return """
                <?xml version="1.0" encoding="UTF-8"?>
                <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>
                <GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id>
                <Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id><Ccy>EUR</Ccy></Acct>
                \(balance("OPBD", opening, first))\(balance("CLBD", closing, last))
                <Ntry><Amt Ccy="EUR">\(spent).00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>
                <BookgDt><Dt>\(last)</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>
                """
        }
    }

    private static let february = Month(number: 2, opening: 100, spent: 10, lastDay: 29)
    private static let march = Month(number: 3, opening: 90, spent: 20, lastDay: 31)

    @Test(arguments: ["OFX", "CSV", "camt"])
    func everyFormatWithBalancesDecidesTheOpening(_ format: String) async throws {
        let files = [Self.march, Self.february].map { month in
            switch format {
            case "OFX": month.ofx
            case "CSV": month.csv
            default: month.camt
            }
        }
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            // Both previews are there before either is committed.
            var previews: [ID<StatementImport>] = []
            for file in files {
                previews.append(try await books.preview(Array(file.utf8), into: account, of: ada))
            }
            for id in previews {
                #expect(try await books.commit(id) == "committed")
                #expect(try await books.balance(account) == 7_000)
                #expect(try await books.differences(id) == [])
            }
            #expect(try await books.withdraw(previews[1]) == "withdrawn")
            #expect(try await books.balance(account) == 7_000)
            #expect(try await books.withdraw(previews[0]) == "withdrawn")
            #expect(try await books.balance(account) == 0)
            try await books.check()
        }
    }
}
