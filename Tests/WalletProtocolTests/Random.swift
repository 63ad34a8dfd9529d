import Testing
import WalletProtocol

/// Seeds of this run: fixed ones that always run, and a fresh one that a failure names.
let seeds: [UInt64] = [1, 2, 0xDEAD_BEEF, .random(in: 0...UInt64.max)]

extension RandomNumberGenerator {
    mutating func text(_ length: ClosedRange<Int>) -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "Z", "0", " ", "\"", "\\", "/", "é", "ß", "漢", "😀", "~", "\u{20D7}", "\u{2764}",
        ]
        var text = "x"
        for _ in 0..<Int.random(in: length, using: &self) {
            text.unicodeScalars.append(alphabet.randomElement(using: &self) ?? "a")
        }
        // Lines are trimmed as they are read.
        while text.last == " " { text.removeLast() }
        return text
    }

    mutating func money() -> Money {
        let currency = Currency.all.randomElement(using: &self) ?? .eur
        return Money(minorUnits: Int64.random(in: 1...Int64.max, using: &self), currency)
    }

    mutating func sample() -> Sample {
        let days = Int.random(in: -719_162...2_932_896, using: &self)
        return Sample(
            name: text(0...15),
            amount: money(),
            day: Bool.random(using: &self) ? Day(daysSince1970: days) : nil,
            id: Bool.random(using: &self) ? ID(high: next(), low: next()) : nil,
            count: Int.random(in: 0...100, using: &self),
            tags: (0..<Int.random(in: 0...3, using: &self)).map { _ in text(0...30) },
            kind: Bool.random(using: &self) ? .small : .large,
            note: [.unchanged, .cleared, .set("n\n\t")].randomElement(using: &self) ?? .cleared,
            nested: Bool.random(using: &self)
                ? Nested(latitude: .random(in: -90...90, using: &self), flag: true) : nil
        )
    }
}
