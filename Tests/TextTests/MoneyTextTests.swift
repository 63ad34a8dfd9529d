import Testing
import Text

@Suite struct MoneyTextTests {
    @Test(arguments: [
        ("12.50", "EUR", 2, "en", "€12.50"), ("12.50", "EUR", 2, "it", "12,50\u{A0}€"),
        ("-1234567.89", "USD", 2, "en", "-$1,234,567.89"), ("4000", "JPY", 0, "en", "¥4,000"),
        ("1.005", "KWD", 3, "en", "KWD\u{A0}1.005"),
        // More digits than a floating-point number holds.
        ("92233720368547758.07", "EUR", 2, "it", "92.233.720.368.547.758,07\u{A0}€"),
    ])
    func amountsAreWrittenExactlyAsTheLanguageDoes(
        decimal: String,
        currency: String,
        digits: Int,
        language: String,
        text: String
    ) {
        let written = MoneyText.format(
            decimal: decimal,
            currency: currency,
            digits: digits,
            language: language
        )
        #expect(written == text)
    }

    @Test(arguments: [("", "EUR"), ("a", "EUR"), ("1", "EURO"), ("1", "")])
    func whatIsNoAmountHasNoText(decimal: String, currency: String) {
        let written = MoneyText.format(
            decimal: decimal,
            currency: currency,
            digits: 2,
            language: "en"
        )
        #expect(written == nil)
    }
}
