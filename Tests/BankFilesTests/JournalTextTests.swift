import BankFiles
import Testing
import WalletProtocol

/// What a journal's syntax would take for its own is written so that it does not.
@Suite struct JournalTextTests {
    @Test(arguments: [
        ("Cash  at   home", "Cash at home"), ("a\tb\nc\r\u{85}d\u{2028}e", "a b c d e"),
        ("Bank: savings", "Bank- savings"), ("x ; y", "x , y"), ("[virtual]", "(virtual)"),
        ("  padded\u{a0}\u{3000}", "padded"), ("", "Unnamed"), ("\u{0}\u{7}", "Unnamed"),
        ("a | b \"c\"", "a / b 'c'"), ("Café 咖啡", "Café 咖啡"), ("::", "--"),
    ])
    func namesAreSafe(_ name: String, _ expected: String) {
        #expect(JournalText.part(name) == expected)
    }

    @Test func currenciesAreDeclaredOnceWithTheirDecimals() throws {
        let (yen, dinar) = (try #require(Currency("JPY")), try #require(Currency("KWD")))
        var text = JournalText()
        let entry = JournalEntryText(
            day: try #require(Day("2024-03-05")),
            code: "x",
            payee: "(shop); a|b",
            note: "two\nlines",
            tags: [("tag", "a: b, [2024-01-01]")],
            postings: [
                JournalPosting(
                    ["Assets", "A"],
                    -1_500,
                    yen,
                    cost: Total(minorUnits: 3_001, dinar)
                ),
                JournalPosting(["Assets", "B"], 3_001, dinar),
            ]
        )
        let first = String(decoding: text.append([entry]), as: UTF8.self)
        #expect(
            first == """
                commodity JPY

                commodity KWD
                    format 1000.000 KWD

                2024-03-05 * (x) (shop), a/b | two lines
                    ; tag: a- b (2024-01-01)
                    Assets:A  -1500 JPY @@ 3.001 KWD
                    Assets:B  3.001 KWD


                """
        )
        let second = String(decoding: text.append([entry]), as: UTF8.self)
        #expect(!second.contains("commodity"))
    }
}
