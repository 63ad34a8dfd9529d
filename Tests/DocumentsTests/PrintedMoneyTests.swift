import Testing

@testable import Documents

/// Sums in the head of a document are written as those in its tables.
@Suite struct PrintedMoneyTests {
    @Test(arguments: ["ar", "ar-EG", "fa", "he"], ["EUR", "ILS", "JPY"])
    func aMinusStandsLeftOfItsNumber(_ language: String, _ currency: String) throws {
        let digits = currency == "JPY" ? 0 : 2
        let decimal = digits == 0 ? "-1234" : "-1234.50"
        let text = PrintedText.money(decimal, currency, digits: digits, language: language)
        let scalars = Array(text.unicodeScalars)
        let start = try #require(scalars.firstIndex(of: "\u{2066}"))
        let end = try #require(scalars.firstIndex(of: "\u{2069}"))
        // All of the number is one piece that runs from the left, its minus first.
        let minus = scalars[start + 1]
        #expect(minus == "-" || minus == "\u{2212}", "\(scalars)")
        let digitPlaces = scalars.indices.filter { scalars[$0].properties.numericType != nil }
        #expect(digitPlaces.allSatisfy { start < $0 && $0 < end })
        #expect(digitPlaces.count == 4 + digits)
    }

    @Test func languagesFromTheLeftHaveTheirOwnForm() {
        let text = PrintedText.money("-12.34", "EUR", digits: 2, language: "en")
        #expect(text == "-€12.34")
    }
}
