import Foundation
import TestKit
import Testing
import WalletProtocol

@Suite struct JSONGrammarTests {
    private func reason(_ bytes: [UInt8]) -> MalformedJSON.Reason? {
        do throws(MalformedJSON) {
            _ = try JSONDocument(bytes)
            return nil
        } catch {
            return error.reason
        }
    }

    private func reason(_ text: String) -> MalformedJSON.Reason? { reason(Array(text.utf8)) }

    @Test(arguments: [
        "", " ", "{", "[", "\"", "{\"a\"", "{\"a\":", "{\"a\":1", "[1", "[1,", "t", "nul", "-",
        "1.", "1e", "1e+", "\"\\", "\"\\u12", "{\"a\":1,",
    ])
    func endsTooEarly(text: String) { #expect(reason(text) == .unexpectedEnd) }

    @Test func refusesWhatTheGrammarDoesNotHave() {
        for text in [
            "{a:1}", "{'a':1}", "[1,]", "{\"a\":1,}", "[,1]", "+1", ".5", "True", "nulL",
            "{\"a\" 1}", "[1 2]", "{1:2}", "/**/1", "\u{FEFF}1", "NaN", "Infinity", "}", "]",
        ] {
            #expect(reason(text) == .unexpectedByte, "\(text)")
        }
        for text in ["01", "-01", "1.x", "1ex", "00"] {
            #expect(reason(text) == .badNumber, "\(text)")
        }
        for text in ["1 2", "{} {}", "null,", "\"a\"b", "1}"] {
            #expect(reason(text) == .trailingGarbage, "\(text)")
        }
        for text in [#""\x41""#, #""\u12g4""#, #""\'""#] { #expect(reason(text) == .badEscape) }
        #expect(reason("\"a\u{1}b\"") == .controlCharacter)
        #expect(reason("\"a\nb\"") == .controlCharacter)
        #expect(reason([0x22, 0x00, 0x22]) == .controlCharacter)
    }

    @Test func refusesHalvesOfSurrogatePairs() {
        for text in [#""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud800x""#, #""\ud83d\n""#]
        {
            #expect(reason(text) == .unpairedSurrogate, "\(text)")
        }
        #expect(reason(#""\ud83d\ude00""#) == nil)
    }

    /// RFC 3629: overlong forms, surrogates, beyond U+10FFFF, cut and lone bytes.
    @Test(arguments: [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE], [0xC3], [0xE2, 0x82],
        [0xF0, 0x9F, 0x98], [0xC3, 0x28], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28],
    ])
    func refusesBadUTF8(bytes: [UInt8]) {
        #expect(reason([0x22] + bytes + [0x22]) == .badUTF8)
    }

    @Test func takesEveryScalarThatUTF8Has() {
        for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 97) {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else {
                continue
            }
            let text = String(Character(scalar))
            let read = try? JSON.read(String.self, from: JSON.write(text))
            #expect(
                read.map { Array($0.utf8) } == Array(text.utf8),
                "U+\(String(value, radix: 16))"
            )
        }
    }

    @Test func refusesDoubledNamesHoweverTheyAreWritten() {
        #expect(reason(#"{"a":1,"a":2}"#) == .doubledKey)
        #expect(reason(#"{"a":1,"\u0061":2}"#) == .doubledKey)
        #expect(reason(#"{"x":{"b":1,"c":2,"b":3}}"#) == .doubledKey)
        #expect(reason(#"{"":1,"":2}"#) == .doubledKey)
        #expect(reason(#"{"a":{"a":1}}"#) == nil)
        for count in [15, 16, 17, 18, 40] {
            let names = (0..<count).map { "\"n\($0)\":0" }
            #expect(reason("{" + names.joined(separator: ",") + "}") == nil)
            for twice in [0, count / 2, count - 1] {
                let doubled = names + ["\"n\(twice)\":1"]
                #expect(reason("{" + doubled.joined(separator: ",") + "}") == .doubledKey)
            }
        }
    }

    @Test func refusesMoreThanThirtyTwoLevels() {
        let nested = { (depth: Int) in
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(reason(nested(32)) == nil)
        #expect(reason(nested(33)) == .tooDeep)
        #expect(reason(String(repeating: "[", count: 60_000)) == .tooDeep)
        #expect(reason(String(repeating: "{\"a\":", count: 20_000)) == .tooDeep)
    }

    @Test func tellsTheTwoClassesOfFailureApart() {
        guard case .failure(let malformed) = reading(Sample.self, "{\"name\":5,"),
            case .failure(let invalid) = reading(Sample.self, "{\"name\":5}")
        else {
            Issue.record("neither is a sample")
            return
        }
        #expect(malformed.code == .malformedJSON && malformed.code.status == 400)
        #expect(invalid.code == .invalidBody && invalid.code.status == 422)
    }

    @Test func numbersOutOfRangeAreBadFields() {
        #expect(faults(Int.self, "9223372036854775808") == [" out-of-range"])
        #expect(faults(Int.self, "1.0") == [" not-whole"])
        #expect(faults(Int.self, "1e3") == [" not-whole"])
        #expect(faults(Int.self, "\"1\"") == [" wrong-type"])
        #expect(faults(Int32.self, "2147483648") == [" out-of-range"])
        #expect(faults(Double.self, "1e999") == [" out-of-range"])
        #expect(faults(String.self, "5") == [" wrong-type"])
        #expect(faults(String.self, #""a\u0000b""#) == [" invalid-character"])
        #expect((try? reading(Int.self, "-9223372036854775808").get()) == Int.min)
    }

    /// Agrees with Foundation on what JSON is, but for what is stricter here.
    @Test(arguments: seeds)
    func agreesWithAnotherReaderOnMutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<4_000 {
            var bytes = JSON.write(random.sample())
            for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&bytes, &random) }
            // A number that no Double holds is JSON here and a bad field, there no JSON at all.
            guard reason(bytes) == nil, (try? JSON.read(JSONTree.self, from: bytes)) != nil
            else { continue }
            accepted += 1
            let other = try? JSONSerialization.jsonObject(
                with: Data(bytes),
                options: .fragmentsAllowed
            )
            #expect(other != nil, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(accepted > 0, "seed \(seed)")
    }

    @Test(arguments: seeds)
    func mutationsNeverCrashAndNeverPassUnnoticed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<4_000 {
            var bytes = JSON.write(random.sample())
            for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&bytes, &random) }
            do throws(APIError) {
                let sample = try JSON.read(Sample.self, from: bytes)
                // What was taken is a value like any other: it reads back as itself.
                let again = try JSON.read(Sample.self, from: JSON.write(sample))
                #expect(again == sample, "seed \(seed)")
            } catch {
                #expect(error.code == .malformedJSON || error.code == .invalidBody)
                #expect(error.code != .invalidBody || !error.errors.isEmpty, "seed \(seed)")
            }
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch random.next() % 5 {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: at)
        case 2:
            bytes.insert(Array("{}[]\",:\\0-.eu ".utf8).randomElement(using: &random) ?? 0, at: at)
        case 3: bytes.removeSubrange(at...)
        default:
            let end = min(bytes.count, at + Int.random(in: 1...20, using: &random))
            bytes.insert(contentsOf: Array(bytes[at..<end]), at: at)
        }
    }
}
