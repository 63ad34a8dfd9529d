import Testing
import WalletProtocol

@testable import BankFiles

/// Decimals, texts of XML: what goes in is what comes out.
@Suite struct StatementFormatTests {
    @Test func decimalsHaveTheirDigits() {
        #expect(decimalText(0, exponent: 2) == "0.00")
        #expect(decimalText(-5, exponent: 2) == "-0.05")
        #expect(decimalText(123_456, exponent: 3) == "123.456")
        #expect(decimalText(-7, exponent: 0) == "-7")
        #expect(decimalText(Int128(Int64.max) * 4, exponent: 2) == "368934881474191032.28")
        for _ in 0..<1_000 {
            let units = Int64.random(in: .min ... .max)
            let currency = Currency.eur
            let expected = Money(minorUnits: units, currency).amount
            #expect(decimalText(Int128(units), exponent: currency.exponent) == expected)
        }
    }

    @Test func textsOfXMLHoldNothingThatNoneMayHold() {
        var out: [UInt8] = []
        XMLText.append("a<b>&\u{1}\u{fffe}\r\n\t\u{7f}é", to: &out)
        let written = String(decoding: out, as: UTF8.self)
        #expect(written == "a&lt;b&gt;&amp;\u{fffd}\u{fffd}&#13;\n\t\u{7f}é")
        #expect(XMLText.pieces(of: "abcde", 2) == ["ab", "cd", "e"])
        #expect(XMLText.pieces(of: "", 2).isEmpty)
        #expect(XMLText.prefix("é🧾x", 2) == "é🧾")
    }
}
