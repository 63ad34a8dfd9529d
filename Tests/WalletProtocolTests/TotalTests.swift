import TestKit
import Testing

@testable import WalletProtocol

@Suite struct TotalTests {
    @Test func readsAndWritesTheGrammarOfMoneyWithMoreDigits() throws {
        let text = #"{"amount":"-1701411834604692317316873037158841057.27","currency":"EUR"}"#
        let total = try JSON.read(Total.self, from: Array(text.utf8))
        #expect(total.minorUnits == -Int128.max)
        #expect(JSON.text(total) == text)
        #expect(Total(minorUnits: .min, .jpy).amount == "-170141183460469231731687303715884105728")
        #expect(Total(minorUnits: -5, .kwd).amount == "-0.005")
        #expect(throws: MoneyError.overflow) {
            try Total("1701411834604692317316873037158841057.28", .eur)
        }
        for wrong in ["1.5", "-0.00", "01.00", "1e2", ""] {
            #expect(throws: MoneyError.malformed) { try Total(wrong, .eur) }
        }
    }

    @Test(arguments: seeds)
    func everyAmountIsWrittenAsMoneyIs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let money = random.money()
            #expect(JSON.write(Total(money)) == JSON.write(money), "seed \(seed)")
            let units = Int128.random(in: .min...(.max), using: &random) >> (random.next() % 127)
            let total = Total(minorUnits: units == .min ? 0 : units, money.currency)
            #expect(try JSON.read(Total.self, from: JSON.write(total)) == total, "seed \(seed)")
        }
    }

    @Test func overflowIsAnErrorNeverAWrap() throws {
        let most = Total(minorUnits: .max, .eur)
        let least = Total(minorUnits: .min, .eur)
        let one = Total(minorUnits: 1, .eur)
        #expect(throws: MoneyError.overflow) { try most.adding(one) }
        #expect(throws: MoneyError.overflow) { try least.subtracting(one) }
        #expect(throws: MoneyError.overflow) { try least.negated() }
        #expect(throws: MoneyError.overflow) { try Total.sum([most, one], in: .eur) }
        #expect(throws: MoneyError.currencyMismatch) { try one.adding(.zero(.usd)) }
        #expect(throws: MoneyError.overflow) { try one.divided(by: 0) }
        #expect(try least.divided(by: 1) == least && most.divided(by: 1) == most)
    }

    @Test func partsAreRoundedHalfToEven() throws {
        let parts = try [(5, 2), (7, 2), (-5, 2), (-7, 2), (1, 3), (-2, 3), (0, 9)].map {
            try Total(minorUnits: $0, .jpy).divided(by: $1).minorUnits
        }
        #expect(parts == [2, 4, -2, -4, 0, -1, 0])
    }
}

/// No amount comes in beyond `Money.sentMax`.
@Suite struct SentTests {
    @Test(arguments: [("JPY", ""), ("EUR", ".00"), ("KWD", ".000"), ("CLF", ".0000")])
    func theBoundIsInMajorUnits(code: String, zeros: String) throws {
        let currency = try #require(Currency(code))
        for sign in ["", "-"] {
            let most = try Money(sign + "10000000000000" + zeros, currency)
            #expect(!most.isBeyondSent)
            let units = most.minorUnits + most.minorUnits.signum()
            #expect(Money(minorUnits: units, currency).isBeyondSent)
        }
        #expect(Money(minorUnits: .min, currency).isBeyondSent)
    }

    @Test func isTheFaultOfItsAmount() throws {
        let long = #"{"amount":"10000000000000.01","currency":"EUR"}"#
        let longer = #"{"amount":"123456789012345678901234567890.00","currency":"EUR"}"#
        for amount in [long, longer] {
            #expect(
                faults(NewTransaction.self, #"{"amount":\#(amount)}"#) == [
                    "/amount/amount amount-too-large"
                ]
            )
        }
        // Whoever reads what is stored is not held to it.
        let stored = try JSON.read(
            NewTransaction.self,
            from: Array(#"{"amount":\#(long)}"#.utf8),
            ignoringUnknownFields: true
        )
        #expect(stored.amount.isBeyondSent)
    }

    @Test func theSchemaSaysSo() throws {
        let expression = try Regex(Money.sentPattern)
        for text in [
            "0", "-1.5", "9999999999999.9999", "10000000000000", "-10000000000000.0000",
        ] { #expect(text.wholeMatch(of: expression) != nil, "\(text)") }
        for text in ["10000000000001", "10000000000000.01", "20000000000000", "01", "1."] {
            #expect(text.wholeMatch(of: expression) == nil, "\(text)")
        }
    }

    /// A field that is forgotten is found here: every reference to `Money` in what a call takes,
    /// however deep, stands beside the bound.
    @Test func everyAmountThatComesInIsBounded() throws {
        let pattern = Money.sentPattern
        var count = 0
        for endpoint in Catalogue.all where endpoint.request == .json {
            var components = SchemaComponents()
            var open = [(path: endpoint.name, tree: endpoint.body(&components))]
            var seen: Set<String> = []
            while let (path, tree) = open.popLast() {
                switch tree {
                case .array(let items): open += items.map { (path: path, tree: $0) }
                case .object(let members):
                    // What may be null, too: the bound is beside the choice, and so of each.
                    if case .array(let choices) = tree["anyOf"], let bound = tree["properties"] {
                        open += choices.map { (path, $0.setting("properties", bound)) }
                        continue
                    }
                    if case .string(let reference) = tree["$ref"] {
                        let name = reference.split(separator: "/").last.map(String.init) ?? ""
                        if name == "Money" {
                            count += 1
                            let written = tree["properties"]?["amount"]?["pattern"]
                            #expect(written == .string(pattern), "\(path)")
                        } else if seen.insert(name).inserted, let schema = components.schemas[name]
                        {
                            open.append((path: "\(path): \(name)", tree: schema))
                        }
                        continue
                    }
                    open += members.map { (path: "\(path).\($0.name)", tree: $0.value) }
                default: break
                }
            }
        }
        #expect(count >= 12)
    }
}
