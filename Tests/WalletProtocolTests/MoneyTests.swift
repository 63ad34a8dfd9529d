import Foundation
import TestKit
import Testing
import WalletProtocol

@Suite struct MoneyTests {
    /// One currency for each exponent that ISO 4217 has, and the digits that it wants.
    @Test(arguments: [("JPY", 0), ("EUR", 2), ("KWD", 3), ("CLF", 4)])
    func takesExactlyTheGrammarOfEachExponent(code: String, exponent: Int) throws {
        let currency = try #require(Currency(code))
        #expect(currency.exponent == exponent)
        let fraction = { (digits: Int) in
            digits == 0 ? "" : "." + String(repeating: "5", count: digits)
        }
        for digits in 0...6 {
            let text = "12" + fraction(digits)
            let isRight = digits == exponent
            #expect(((try? Money(text, currency)) != nil) == isRight, "\(text) \(code)")
        }
        let good = fraction(exponent)
        let zeros = exponent == 0 ? "" : "." + String(repeating: "0", count: exponent)
        for text in ["0" + zeros, "7" + good, "-7" + good, "100" + good] {
            #expect(try Money(text, currency).amount == text)
        }
        let wrong = [
            "", "-", ".", "-" + good, "00" + good, "01" + good, "-01" + good, "+1" + good,
            "1" + good + " ", " 1" + good, "1e2", "1,5", "-0" + zeros, "--1" + good,
            "1" + good + ".",
            "٣" + good, "0x1", "1." + good, "NaN", "1_0" + good, "1\u{0}" + good,
        ]
        for text in wrong {
            #expect(throws: MoneyError.malformed, "«\(text)» \(code)") {
                try Money(text, currency)
            }
        }
    }

    @Test func overflowIsAnErrorNeverAWrap() throws {
        #expect(try Money("92233720368547758.07", .eur).minorUnits == Int64.max)
        #expect(throws: MoneyError.overflow) { try Money("92233720368547758.08", .eur) }
        #expect(throws: MoneyError.overflow) { try Money("99999999999999999999999999", .jpy) }
        let most = Money(minorUnits: .max, .eur)
        let least = Money(minorUnits: .min, .eur)
        let one = Money(minorUnits: 1, .eur)
        #expect(throws: MoneyError.overflow) { try most.adding(one) }
        #expect(throws: MoneyError.overflow) { try least.subtracting(one) }
        #expect(throws: MoneyError.overflow) { try most.multiplied(by: 2) }
        #expect(throws: MoneyError.overflow) { try least.negated() }
        #expect(throws: MoneyError.overflow) { try least.magnitude() }
        #expect(throws: MoneyError.overflow) { try Money.sum([most, one], in: .eur) }
        #expect(throws: MoneyError.currencyMismatch) { try one.adding(.zero(.usd)) }
        #expect(throws: MoneyError.currencyMismatch) { try Money.sum([one], in: .usd) }
        #expect(least.amount == "-92233720368547758.08")
    }

    @Test(arguments: seeds)
    func everyAmountReadsBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            let units =
                Int64.random(in: -Int64.max...Int64.max, using: &random) >> (random.next() % 63)
            let currency = try #require(Currency.all.randomElement(using: &random))
            let money = Money(minorUnits: units, currency)
            #expect(try Money(money.amount, currency) == money, "seed \(seed)")
            #expect(try JSON.read(Money.self, from: JSON.write(money)) == money, "seed \(seed)")
        }
    }

    @Test func saysWhichPartIsWrong() {
        #expect(
            faults(Money.self, #"{"amount":"1.00","currency":"XXX"}"#) == [
                "/currency unknown-currency"
            ]
        )
        #expect(faults(Money.self, #"{"amount":1.00,"currency":"EUR"}"#) == ["/amount wrong-type"])
        #expect(
            faults(Money.self, #"{"amount":"1.0","currency":"eur"}"#) == [
                "/currency unknown-currency"
            ]
        )
        #expect(
            faults(Money.self, #"{"amount":"99999999999999999999.00","currency":"EUR"}"#) == [
                "/amount amount-too-large"
            ]
        )
        #expect(
            faults(Money.self, #"{"amount":"-0.00","currency":"EUR"}"#) == [
                "/amount invalid-amount"
            ]
        )
        #expect(
            faults(Money.self, #"{"amount":1,"currency":2,"x":3}"#) == [
                "/amount wrong-type", "/currency wrong-type", "/x unknown-field",
            ]
        )
        #expect(faults(Money.self, #""1.00""#) == [" wrong-type"])
    }

    @Test func decimalsKeepTheirValueAndGiveMoney() {
        #expect(ExactDecimal("1.50")?.text == "1.5")
        #expect(ExactDecimal("-0.5")?.money(in: .eur) == Money(minorUnits: -50, .eur))
        #expect(ExactDecimal("1.005")?.money(in: .eur) == nil)
        #expect(ExactDecimal("7")?.money(in: .kwd) == Money(minorUnits: 7_000, .kwd))
        #expect(ExactDecimal("9223372036854775807")?.money(in: .eur) == nil)
        for text in ["", ".5", "5.", "1e5", "-0", "01", "1.1234567890123", "+1", "1.2.3"] {
            #expect(ExactDecimal(text) == nil, "\(text)")
        }
    }

    /// Held against the standard itself, read by another XML reader's rules: line by line.
    @Test func currenciesAreThoseOfTheStandard() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Shared/WalletProtocol/Standards/iso4217.xml")
        let text = try String(contentsOf: file, encoding: .utf8)
        var rows: [String: CurrencyRow] = [:]
        for entry in text.components(separatedBy: "<CcyNtry>").dropFirst() {
            guard let code = entry.firstMatch(of: /<Ccy>([A-Z]{3})<\/Ccy>/)?.1,
                let numeric = entry.firstMatch(of: /<CcyNbr>([0-9]{3})<\/CcyNbr>/)?.1,
                let units = entry.firstMatch(of: /<CcyMnrUnts>([^<]*)<\/CcyMnrUnts>/)?.1,
                let name = entry.firstMatch(of: /<CcyNm[^>]*>([^<]*)<\/CcyNm>/)?.1
            else { continue }
            rows[String(code)] = CurrencyRow(
                numeric: Int(numeric) ?? -1,
                exponent: Int(units),
                name: String(name)
            )
        }
        #expect(rows.count == CurrencyEntry.all.count)
        #expect(rows.count > 150)
        for entry in CurrencyEntry.all {
            let row = try #require(rows[entry.code], "\(entry.code)")
            #expect(
                row
                    == CurrencyRow(
                        numeric: entry.numeric,
                        exponent: entry.exponent,
                        name: entry.name
                    )
            )
            #expect(Currency(entry.code)?.exponent == entry.exponent, "\(entry.code)")
        }
        #expect(Currency.all == Currency.all.sorted())
        for code in ["", "EU", "EURO", "eur", "XAU", "XXX", "ZZZ", "É€R", "E\u{0}R"] {
            #expect(Currency(code) == nil, "\(code)")
        }
    }

    private struct CurrencyRow: Equatable {
        let numeric: Int
        let exponent: Int?
        let name: String
    }
}
