import Testing
import Text

/// Numbers and days as people of a language write them.
@Suite struct AmountTextTests {
    @Test(arguments: [
        ("en", 2, "-1234567.50", "-1,234,567.50"), ("it", 2, "-1234567.50", "-1.234.567,50"),
        ("de-CH", 2, "1234.00", "1’234.00"), ("en", 0, "1500", "1,500"),
        ("en", 3, "0.005", "0.005"), ("xx-nonsense", 2, "12.30", "12.30"),
        // More than a double holds.
        ("en", 2, "368934881474191032.28", "368,934,881,474,191,032.28"),
    ])
    func numbersAreThoseOfTheLanguage(
        _ language: String,
        _ digits: Int,
        _ decimal: String,
        _ written: String
    ) {
        #expect(AmountText(language: language, digits: digits).text(decimal) == written)
    }

    @Test(arguments: [
        ("en", "2024-05-02", "May 2, 2024"), ("it", "2024-05-02", "2 mag 2024"),
        ("en", "1969-12-31", "Dec 31, 1969"), ("en", "9999-12-31", "Dec 31, 9999"),
    ])
    func daysAreThoseOfTheLanguage(_ language: String, _ iso: String, _ written: String) {
        #expect(DayText(language: language).text(iso) == written)
    }

    @Test func whatIsNoDayHasNoText() {
        #expect(DayText(language: "en").text("yesterday") == nil)
        #expect(AmountText(language: "en", digits: 2).count(4_763) == "4,763")
    }
}
