import TestKit
import Testing
import WalletProtocol

@Suite struct ObjectTests {
    @Test func readsInAnyOrderAndWritesInItsOwn() throws {
        let text =
            #"{"nested":{"flag":true,"lat":1.5},"amount":{"currency":"JPY","amount":"12"},"#
            + #""name":"a\u00e9\ud83d\ude00","note":null,"tags":["x"]}"#
        let sample = try reading(Sample.self, text).get()
        #expect(sample.name == "aé😀")
        #expect(sample.amount == Money(minorUnits: 12, .jpy))
        #expect(sample.note == .cleared)
        #expect(sample.count == 7)
        #expect(
            JSON.text(sample)
                == #"{"name":"aé😀","amount":{"amount":"12","currency":"JPY"},"count":7,"#
                + #""tags":["x"],"kind":"small","note":null,"nested":{"lat":1.5,"flag":true}}"#
        )
    }

    @Test func namesEveryBadFieldAtOnce() {
        let text =
            #"{"name":"","amount":{"amount":"1.5","currency":"EUR"},"day":"2026-02-30","#
            + #""id":"x","count":101,"tags":["a",1,"c\u0000"],"kind":"huge","note":5,"#
            + #""nested":{"lat":91,"extra":1},"a/b":1}"#
        #expect(
            faults(Sample.self, text) == [
                "/name too-short", "/amount/amount invalid-amount", "/day invalid-day",
                "/id invalid-id", "/count out-of-range", "/tags/1 wrong-type",
                "/tags/2 invalid-character", "/kind unknown-value", "/note wrong-type",
                "/nested/lat out-of-range", "/nested/flag required", "/nested/extra unknown-field",
                "/a~1b unknown-field",
            ]
        )
        #expect(faults(Sample.self, "{}") == ["/name required", "/amount required"])
        #expect(faults(Sample.self, "[]") == [" wrong-type"])
    }
}

@Suite struct ObjectPropertyTests {
    @Test(arguments: seeds)
    func whatIsWrittenReadsBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let sample = random.sample()
            let bytes = JSON.write(sample)
            #expect(try JSON.read(Sample.self, from: bytes) == sample, "seed \(seed)")
            #expect(try JSON.write(JSON.read(Sample.self, from: bytes)) == bytes, "seed \(seed)")
            let tree = try #require(JSONTree(written: sample))
            #expect(try JSON.read(Sample.self, from: JSON.write(tree)) == sample, "seed \(seed)")
        }
    }

    /// Every subset of bad fields is named whole, whatever stands beside it.
    @Test(arguments: 0..<64)
    func everySetOfBadFieldsIsNamedWhole(set: Int) {
        let fields = [
            ("name", "\"n\"", "7"), ("amount", #"{"amount":"1.00","currency":"EUR"}"#, "\"1\""),
            ("day", "\"2026-01-01\"", "\"x\""), ("count", "1", "true"), ("tags", "[]", "{}"),
            ("kind", "\"small\"", "\"s\""),
        ]
        var members: [String] = []
        var expected: [String] = []
        for (index, (name, good, bad)) in fields.enumerated() {
            let isBad = set >> index & 1 == 1
            members.append("\"\(name)\":\(isBad ? bad : good)")
            if isBad { expected.append("/" + name) }
        }
        let text = "{" + members.reversed().joined(separator: ",") + "}"
        #expect(faults(Sample.self, text).map { String($0.prefix { $0 != " " }) } == expected)
    }

    @Test func textRulesCountCharactersAndRefuseControls() {
        let name = { (text: String) -> [String] in
            let body = #"{"name":\#(JSON.text(text)),"amount":{"amount":"1.00","currency":"EUR"}}"#
            return faults(Sample.self, body)
        }
        #expect(name(String(repeating: "é", count: 20)) == [])
        #expect(name(String(repeating: "é", count: 21)) == ["/name too-long"])
        #expect(name("  \u{3000}") == ["/name blank"])
        for control in ["\u{7}", "\n", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}"] {
            #expect(name("a" + control + "b") == ["/name invalid-character"])
        }
        #expect(name("a\u{7}") == ["/name invalid-character"])
        let note = #"{"name":"n","amount":{"amount":"1.00","currency":"EUR"},"note":"a\n\tb"}"#
        #expect(faults(Sample.self, note) == [])
        let bell = #"{"name":"n","amount":{"amount":"1.00","currency":"EUR"},"note":"\u0007"}"#
        #expect(faults(Sample.self, bell) == ["/note invalid-character"])
    }

    @Test(arguments: [
        (" Café ", "Café"), ("\u{3000}\u{A0}\t\u{2003}x\n\u{2028}", "x"), ("a  b", "a  b"),
        ("Cafe\u{301}", "Caf\u{E9}"), ("\u{FEFF}x\u{200B} \u{200B}", "x"), (" plain ", "plain"),
        ("❤\u{FE0F} ", "❤\u{FE0F}"),
    ])
    func linesAreTrimmedAndComposed(_ sent: String, _ kept: String) throws {
        let body = #"{"name":\#(JSON.text(sent)),"amount":{"amount":"1.00","currency":"EUR"}}"#
        let sample = try reading(Sample.self, body).get()
        #expect(Array(sample.name.utf8) == Array(kept.utf8))
        let patch = try reading(AccountChange.self, #"{"name":\#(JSON.text(sent))}"#).get()
        #expect(Array(patch.name.applied(to: "").utf8) == Array(kept.utf8))
    }

    @Test func lengthsAreCountedComposedAndTrimmed() {
        let name = { (text: String) -> [String] in
            let body = #"{"name":\#(JSON.text(text)),"amount":{"amount":"1.00","currency":"EUR"}}"#
            return faults(Sample.self, body)
        }
        #expect(name(" " + String(repeating: "e\u{301}", count: 20) + "  ") == [])
        #expect(name(String(repeating: "e\u{301}", count: 21)) == ["/name too-long"])
        // NFC has two scalars for it.
        #expect(name(String(repeating: "\u{958}", count: 20)) == [])
        #expect(name(String(repeating: "e\u{301}\u{302}", count: 100_000)) == ["/name too-long"])
        for unseen in [
            "\u{200B}", "\u{200B} \u{2060}", "\u{AD}", "\u{3164}", "\u{2800}", "\u{FE0F}",
        ] {
            #expect(name(unseen) == ["/name blank"], "\(unseen.unicodeScalars.map(\.value))")
        }
    }

    @Test(arguments: ["123456", "123 456", "\u{A0}12\u{2009}34 56\n", "\t123456\r\n"])
    func whiteSpaceInACodeDoesNotCount(_ code: String) throws {
        let answer = try reading(ChallengeAnswer.self, #"{"code":\#(JSON.text(code))}"#).get()
        #expect(answer.code == "123456")
        #expect(faults(ChallengeAnswer.self, #"{"code":"1 2 3"}"#) == ["/code too-short"])
    }

    @Test func textRulesRefuseWhatTurnsText() {
        let body = { (text: String) -> String in
            #"{"name":\#(JSON.text(text)),"amount":{"amount":"1.00","currency":"EUR"},"#
                + #""note":\#(JSON.text(text))}"#
        }
        for scalar in Array(0x202A...0x202E) + Array(0x2066...0x206F) {
            let text = "a" + String(Unicode.Scalar(UInt32(scalar)).map(Character.init) ?? "?")
            #expect(
                faults(Sample.self, body(text))
                    == ["/name invalid-character", "/note invalid-character"]
            )
            // What is stored already is read.
            let stored = try? JSON.value(
                Sample.self,
                of: Array(body(text).utf8),
                ignoringUnknownFields: true
            )
            #expect(stored?.name == text)
        }
        // A mixed text needs its marks.
        #expect(faults(Sample.self, body("שלום\u{200F}! \u{200E}a\u{61C}")) == [])
    }

    @Test func patchesTellLeftOutFromCleared() throws {
        let change = { (text: String) in try reading(AccountChange.self, text).get() }
        #expect(try change("{}").icon == .unchanged)
        #expect(try change(#"{"icon":null}"#).icon == .cleared)
        #expect(try change(#"{"icon":"cash"}"#).icon == .set("cash"))
        #expect(try change(#"{"icon":"cash"}"#).icon.applied(to: nil) == "cash")
        #expect(try change(#"{"icon":null}"#).icon.applied(to: "old") == nil)
        #expect(try change("{}").name.applied(to: "old") == "old")
        #expect(faults(AccountChange.self, #"{"name":null}"#) == ["/name not-clearable"])
        #expect(faults(AccountChange.self, #"{"icon":""}"#) == ["/icon too-short"])
        #expect(JSON.text(AccountChange()) == "{}")
        #expect(JSON.text(AccountChange(icon: .cleared)) == #"{"icon":null}"#)
    }

    @Test func aPointerToAnyNameIsATextThatCanBeReadAgain() throws {
        let text = #"{"lat":1,"flag":true,"a\u0000\u0301/b":1}"#
        guard case .failure(let error) = reading(Nested.self, text) else {
            Issue.record("it was read")
            return
        }
        #expect(error.errors.map(\.pointer) == ["/a\u{FFFD}\u{301}~1b"])
        for fault in error.errors {
            #expect(try JSON.read(FieldError.self, from: JSON.write(fault)) == fault)
        }
    }

    @Test func tellsAtMostTwoHundredBadFields() {
        let members = (0..<500).map { "\"u\($0)\":1" }.joined(separator: ",")
        #expect(faults(Nested.self, "{\(members)}").count == JSONReading.errorsMax)
    }

    @Test func dictionariesAreWrittenSorted() throws {
        let rates = [
            "USD": ExactDecimal(coefficient: 11, scale: 1),
            "JPY": .init(coefficient: 160, scale: 0),
        ]
        #expect(JSON.text(rates) == #"{"JPY":"160","USD":"1.1"}"#)
        #expect(try JSON.read(from: JSON.write(rates)) == rates)
        #expect(faults([String: Int].self, #"{"a":1,"b/c":"x"}"#) == ["/b~1c wrong-type"])
    }
}
