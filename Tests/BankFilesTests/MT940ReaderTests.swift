import Testing
import WalletProtocol

@testable import BankFiles

/// MT940 in its dialects, and what is refused.
@Suite struct MT940ReaderTests {
    static func file(_ rows: String, opening: String = "C240101EUR0,", closing: String) -> String {
        """
        :20:X
        :25:NL91ABNA0417164300
        :28C:1/1
        :60F:\(opening)
        \(rows)
        :62F:\(closing)
        -
        """
    }

    static func read(_ text: String) throws -> [BankStatement] {
        try readStatements(Array(text.utf8), format: .mt940, assuming: .usd)
    }

    static func row(_ line: String, _ more: String = "") throws -> StatementRow? {
        let text = file(":61:\(line)\n\(more)", closing: "C240131EUR0,")
        return try read(text).first?.rows.first
    }

    @Test(arguments: [
        ("2401050105C1,5NTRFNONREF", "2024-01-05", 150), ("240105D1,NTRFX", "2024-01-05", -100),
        // The entry's year is the one nearest to the value's.
        ("2312310102D1,00NTRFX", "2024-01-02", -100), ("2401021231C1,00NTRFX", "2023-12-31", 100),
        // Reversals: of a credit money goes out, of a debit it comes in.
        ("240105RC1,00NTRFX", "2024-01-05", -100), ("240105RD1,00NTRFX", "2024-01-05", 100),
        // The third letter of the currency.
        ("240105CR1,00NTRFX", "2024-01-05", 100), ("240105RCR1,00NTRFX", "2024-01-05", -100),
        ("240105DN1,00NTRFX", "2024-01-05", -100),
        // Bank months have thirty days, and a time zone of their own.
        ("2302300301D1,00NTRFX", "2023-03-01", -100), ("230230D1,00NTRFX", "2023-02-28", -100),
        ("20240105D1,00NTRFX", "2024-01-05", -100), ("850105D1,00NTRFX", "1985-01-05", -100),
        ("240105D000000000001,50N426NONREF", "2024-01-05", -150),
        ("240105D1.50N426NONREF", "2024-01-05", -150), ("240105D,50N426NONREF", "2024-01-05", -50),
        ("240105DF2402,00S   X", "2024-01-05", -240_200), ("240105 D 1,00", "2024-01-05", -100),
    ])
    func aLineIsOneRow(_ line: String, _ day: String, _ amount: Int64) throws {
        let row = try Self.row(line)
        #expect(row?.day == Day(day))
        #expect(row?.amount == amount)
    }

    @Test(arguments: [
        "D1,00NTRFX", "241305D1,00NTRFX", "240105X1,00NTRFX", "240105DNTRFX", "240105D1,234NTRFX",
        "240105D99999999999999999999,00NTRFX", "", "2402310231D1,00NTRFX",
    ])
    func whatIsNoRowIsAFaultWithItsLine(_ line: String) throws {
        let statement = try Self.read(Self.file(":61:\(line)", closing: "C240131EUR5,")).first
        #expect(statement?.rows.isEmpty == true)
        #expect(statement?.faults.map(\.line) == [5])
        #expect(statement?.refusal == nil)
        #expect(statement?.opening == nil && statement?.closing == 500)
    }

    @Test func aRowThatIsOnlyExpectedIsLeftOut() throws {
        let rows = ":61:240105EC5,00NTRFX\n:61:240105C1,00NTRFX"
        let statement = try Self.read(Self.file(rows, closing: "C240131EUR1,")).first
        #expect(statement?.rows.count == 1)
        #expect(statement?.notes.map(\.line) == [5])
        #expect(statement?.refusal == nil)
    }

    @Test func theGermanSubfieldsAreUnderstood() throws {
        let more = """
            :86:166?00GUTSCHRIFT?100399?20EREF+E2E-4711?21SVWZ+Rechnung 17 vom 3.?22 Januar
            ?30BYLADEMM?31DE02120300000000202051?32Anna Konstantinopolitanisch?33e-Meyer
            """
        let row = try Self.row("240105C1,00NTRFNONREF//B17", more)
        #expect(row?.name == "Anna Konstantinopolitanische-Meyer")
        #expect(row?.description == "Rechnung 17 vom 3. Januar")
        #expect(row?.counterparty == "DE02120300000000202051")
        #expect(row?.endToEnd == "E2E-4711")
        #expect(row?.reference == "B17")
    }

    @Test(arguments: [
        (
            ":86:/TRTP/SEPA OVERBOEKING/IBAN/NL02ABNA0123456789/BIC/ABNANL2A/NAME/J. JANSEN\n"
                + "/REMI/Huur januari/EREF/NOTPROVIDED",
            "J. JANSEN", "Huur januari", "NL02ABNA0123456789"
        ),
        (
            ":86:/EREF/EV12341REP1231456T1234//CNTP/NL32INGB0000012345/INGBNL2A/ING\n"
                + " BANK N.V. INZAKE WEB///REMI/USTD//EV10001REP1000000T1000/",
            "ING BANK N.V. INZAKE WEB", "EV10001REP1000000T1000", "NL32INGB0000012345"
        ),
        (
            ":86:/EREF/01-01-2013/BENM//NAME/CONTRA ACCOUN\nT HOLDER/REMI/Some words/ISDT/2013",
            "CONTRA ACCOUNT HOLDER", "Some words", nil
        ),
        (
            ":86:000>100987654321\n>20ALGEMENE TUSSENREKENING KOS>21TEN>310390123456",
            "ALGEMENE TUSSENREKENING KOSTEN", nil, "0390123456"
        ),
        (
            ":NS:01Zweck eins\n02Zweck zwei\n15Empfänger\n17Buchungstext",
            "Empfänger", "Zweck eins Zweck zwei", nil
        ),
        (":86:/TRTP/NAME/J. JANSEN/REMI/Huur", "J. JANSEN", "Huur", nil),
        (":86:/TRTP/IBAN/NAME/J. JANSEN/REMI/Huur", "J. JANSEN", "Huur", nil),
        (":86:999PN5477SCHECK", "PN5477SCHECK", nil, nil),
    ])
    func otherTextsAreUnderstood(
        _ more: String,
        _ name: String,
        _ description: String?,
        _ counterparty: String?
    ) throws {
        let row = try Self.row("240105C1,00NTRFNONREF", more)
        #expect(row?.name == name)
        #expect(row?.description == description)
        #expect(row?.counterparty == counterparty)
    }

    @Test func envelopesControlCharactersAndOddLineEndsAreNoMatter() throws {
        let plain = Self.file(
            ":61:240105C1,00NTRFX\n:86:words\nmore words",
            closing: "C240131EUR1,"
        )
        let enveloped =
            "{1:F01BANKNL2AXXXX0000000000}{2:O940BANKNL2AXXXXN}{3:}{4:\n"
            + plain.dropLast() + "-}{5:}\n"
        let expected = try Self.read(plain).first?.rows.map(\.amount)
        for text in [
            enveloped, plain.replacing("\n", with: "\r\n"), plain.replacing("\n", with: "\r"),
            "\u{1}\n" + plain + "\u{3}", "BANKNL2A\n940\nBANKNL2A\n" + plain, "\n\n" + plain,
            plain.replacing("\n", with: "@@"), enveloped + enveloped.replacing("C1,", with: "C0,"),
            plain.replacing("\n:61", with: "\n\n:61"), plain.replacing("\n-", with: "\n-XXX"),
        ] {
            let statements = try readStatements(Array(text.utf8), format: nil, assuming: .eur)
            #expect(statements.first?.refusal == nil || text.contains("C0,"), "\(text)")
            #expect(statements.first?.rows.first?.amount == expected?.first, "\(text)")
            #expect(statements.first?.accountNumber == "NL91ABNA0417164300")
        }
    }

    @Test func pagesAndDaysMakeOneStatementInEitherOrder() throws {
        func part(_ from: String, _ row: String, _ to: String, final: Bool = true) -> String {
            ":20:X\n:25:1\n:28C:1\n:60\(final ? "F" : "M"):C240101EUR\(from),\n"
                + ":61:240101C\(row),NTRFX\n:62\(final ? "F" : "M"):C240101EUR\(to),\n-\n"
        }
        let days = [part("0", "1", "1"), part("1", "2", "3", final: false), part("3", "3", "6")]
        for text in [days.joined(), days.reversed().joined()] {
            let statements = try Self.read(text)
            #expect(statements.count == 1)
            #expect(statements[0].refusal == nil)
            #expect(statements[0].rows.map(\.amount) == [100, 200, 300])
            #expect(statements[0].opening == 0)
            #expect(statements[0].closing == 600)
        }
        // One between is missing: the line is that of the balance that does not follow.
        let gap = try Self.read(days[0] + days[2])
        #expect(gap.first?.balanceFault?.line == 11 && gap.first?.refusal == nil)
        // Pages without a `:20:` of their own.
        let text = """
            :20:X
            :25:1
            :60F:C240101EUR0,
            :61:240101C1,NTRFX
            :62M:C240101EUR1,
            :60M:C240101EUR1,
            :61:240101C2,NTRFX
            :62F:C240101EUR3,
            """
        let paged = try Self.read(text)
        #expect(paged.count == 1 && paged[0].refusal == nil && paged[0].closing == 300)
    }

    @Test(arguments: [
        // No account, no opening, no closing, one that is none, another currency, a currency of the
        // past, an account inside, a row behind.
        (":20:X\n:60F:C240101EUR0,\n:62F:C240101EUR0,", 1),
        (":20:X\n:25:1\n:62F:C240101EUR0,", 1), (":20:X\n:25:1\n:60F:C240101EUR0,", 1),
        (":20:X\n:25:1\n:60F:X240101EUR0,\n:62F:C240101EUR1,", 3),
        (":20:X\n:25:1\n:60F:C240101EUR0,\n:62F:C240101USD0,", 4),
        (":20:X\n:25:1\n:60F:C240101DEM0,\n:62F:C240101DEM0,", 3),
        (":20:X\n:25:1\n:60F:C240101EUR0,\n:25:2\n:62F:C240101EUR0,", 4),
        (":20:X\n:25:1\n:60F:C240101EUR0,\n:62F:C240101EUR0,\n:61:240101C1,NTRFX", 5),
    ])
    func whatIsNotWholeIsRefusedWithItsLine(_ text: String, _ line: Int) throws {
        let statements = try Self.read(text)
        #expect(statements.first?.refusal?.line == line)
        #expect(statements.first?.refusal?.detail.isEmpty == false)
    }

    @Test func balancesThatDoNotTieAreTold() throws {
        let statement = try Self.read(":20:X\n:25:1\n:60F:C240101EUR0,\n:62F:C240101EUR1,").first
        #expect(statement?.refusal == nil && statement?.balanceFault?.line == 4)
        #expect(statement?.opening == 0 && statement?.closing == 100)
    }

    @Test func whatIsNoMessageIsRefused() {
        for text in ["", "\n", "hello", "1\n2\n3\n", ":99:x"] {
            #expect(throws: UnreadableStatement.self) { try Self.read(text) }
        }
    }
}
