import IBANs
import Testing
import WalletProtocol

@testable import GroupsService

/// Whatever somebody calls themselves or a group, a code says one payment, whole.
@Suite struct CreditTransferTests {
    private let registry: IBANRegistry
    private let longest = "MT84MALT011000012345MTLCAST001S"

    init() throws { registry = try IBANRegistry.shared() }

    private func iban(_ text: String) throws -> IBAN { try #require(registry.iban(text)) }

    /// What a banking app makes of it: the elements, however many there are.
    private func elements(_ payload: String) throws -> [String] {
        #expect(payload.utf8.count <= 331)
        #expect(!payload.utf8.contains(0x0D))
        return payload.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func anExampleIsAsThePaperHasIt() throws {
        let transfer = try CreditTransfer(
            to: "Red Cross of Belgium",
            try iban("BE72000000001616"),
            cents: 100,
            text: "Urgency fund"
        )
        let expected = """
            BCD
            002
            1
            SCT

            Red Cross of Belgium
            BE72000000001616
            EUR1.00


            Urgency fund
            """
        #expect(transfer.payload == expected)
        let silent = try CreditTransfer(
            to: "Ada",
            try iban("BE72000000001616"),
            cents: 1,
            text: " \n"
        )
        #expect(silent.payload.hasSuffix("\nAda\nBE72000000001616\nEUR0.01"))
    }

    /// Words of anything: controls and line ends, marks, emoji, letters of one to four bytes.
    private static func words(_ random: inout SystemRandomNumberGenerator) -> String {
        let awkward: [UInt32] = [
            0x00, 0x0A, 0x0D, 0x0B, 0x0C, 0x1B, 0x20, 0x7F, 0x85, 0xA0, 0x0301, 0x200D, 0x200F,
            0x2028, 0x2029, 0x202E, 0x2066, 0x3000, 0xFE0F, 0xFEFF, 0x1F468, 0x1F1EE, 0x1F3FD,
        ]
        let ranges: [ClosedRange<UInt32>] = [
            0x41...0x7A, 0xC0...0x24F, 0x300...0x36F, 0x900...0x97F, 0x4E00...0x9FFF,
            0x1F600...0x1F64F, 0...0x10FFFF,
        ]
        let kind = Int.random(in: 0..<ranges.count * 2, using: &random)
        var words = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...300, using: &random) {
            let isAwkward = Int.random(in: 0..<4, using: &random) == 0
            let range = ranges[kind < ranges.count ? kind : .random(in: 0..<ranges.count)]
            let value = isAwkward ? awkward.randomElement(using: &random) : .random(in: range)
            if let scalar = value.flatMap(Unicode.Scalar.init) { words.append(scalar) }
        }
        return String(words)
    }

    /// The words without what no element has in it, single spaces between them.
    private func spaced(_ words: String) -> [Unicode.Scalar] {
        let turning: Set<UInt32> = [
            0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068,
            0x2069,
        ]
        return Array(words.unicodeScalars.filter { !turning.contains($0.value) })
    }

    @Test func anyWordsMakeElevenElementsAtMost() throws {
        var random = SystemRandomNumberGenerator()
        for round in 0..<500 {
            let (name, text) = (Self.words(&random), Self.words(&random))
            let cents = Int64.random(in: 1...99_999_999_999, using: &random)
            let number = try iban(round % 2 == 0 ? longest : "NO9386011117947")
            let said: CreditTransfer
            do {
                said = try CreditTransfer(to: name, number, cents: cents, text: text)
            } catch {
                // Nothing of the name can be seen.
                #expect(error == .namelessPayee)
                let isSeen = spaced(name).contains { scalar in
                    !scalar.properties.isWhitespace
                        && scalar.properties.generalCategory != .control
                }
                #expect(!isSeen, "\(name.unicodeScalars.map(\.value))")
                continue
            }
            let lines = try elements(said.payload)
            #expect(lines.count == (said.text.isEmpty ? 8 : 11))
            #expect(Array(lines[..<5]) == ["BCD", "002", "1", "SCT", ""])
            #expect(lines[5] == said.name && lines[6] == number.text)
            let units = String(cents % 100)
            #expect(lines[7] == "EUR\(cents / 100).\(units.utf8.count == 1 ? "0" : "")\(units)")
            if !said.text.isEmpty { #expect(Array(lines[8...]) == ["", "", said.text]) }
            #expect((1...70).contains(said.name.unicodeScalars.count))
            #expect(said.text.unicodeScalars.count <= 140)
            for line in [said.name, said.text] {
                #expect(
                    line.unicodeScalars.allSatisfy { scalar in
                        scalar == " " || !scalar.properties.isWhitespace
                    }
                )
            }
            // Nothing is made up, and what fits is all there.
            #expect(isBeginning(said.name, of: name) && isBeginning(said.text, of: text))
        }
    }

    private func isBeginning(_ line: String, of words: String) -> Bool {
        func letters(_ scalars: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
            scalars.filter {
                !$0.properties.isWhitespace && $0.properties.generalCategory != .control
            }
        }
        return letters(spaced(words)).starts(with: letters(line.unicodeScalars))
    }

    @Test func charactersAreWholeWhereTheyCanBe() throws {
        let family = "👨‍👩‍👧‍👦"
        let said = try CreditTransfer(
            to: String(repeating: family, count: 30),
            try iban(longest),
            cents: 1,
            text: String(repeating: family, count: 30)
        )
        #expect(said.name == String(repeating: family, count: 10))
        #expect(said.text.isEmpty || said.text.allSatisfy { String($0) == family })
        // One that is longer than a name is cut all the same.
        let tall = "a" + String(repeating: "\u{301}", count: 500)
        let cut = try CreditTransfer(to: tall, try iban(longest), cents: 1, text: tall)
        #expect(cut.name.unicodeScalars.count == 35)
        #expect(cut.text.isEmpty && cut.payload.utf8.count <= 331)
    }

    @Test func nobodyPutsAnotherPaymentIntoTheirName() throws {
        let name = "Ada\nDE89370400440532013000\r\nEUR999.00\u{2028}\u{85}x"
        let said = try CreditTransfer(to: name, try iban(longest), cents: 150, text: name)
        let lines = try elements(said.payload)
        #expect(lines[5] == "Ada DE89370400440532013000 EUR999.00 x")
        #expect(lines[6] == longest && lines[7] == "EUR1.50" && lines.count == 11)
    }

    @Test func amountsAreOfACentToTheMost() throws {
        let number = try iban(longest)
        for cents in [Int64.min, -1, 0, 100_000_000_000, .max] {
            #expect(throws: CreditTransferError.amount(cents: cents)) {
                try CreditTransfer(to: "Ada", number, cents: cents, text: "")
            }
        }
        let most = try CreditTransfer(to: "Ada", number, cents: 99_999_999_999, text: "")
        #expect(most.payload.hasSuffix("\nEUR999999999.99"))
        for name in ["", " ", "\n", "\u{202E}\u{2066}"] {
            #expect(throws: CreditTransferError.namelessPayee) {
                try CreditTransfer(to: name, number, cents: 1, text: "x")
            }
        }
    }
}
