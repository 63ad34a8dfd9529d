/// An international bank account number that is valid: structure and check digits (ISO 13616).
package struct IBAN: Hashable, Sendable {
    /// As it is stored and compared: in capitals, without spaces.
    package let text: String

    /// Only the registry tells what is one.
    init(checked text: String) {
        self.text = text
    }

    /// The two letters of its country.
    var country: String { String(text.prefix(2)) }

    /// As it is printed: groups of four.
    var grouped: String {
        var grouped = ""
        for (index, letter) in text.enumerated() {
            if index > 0 && index % 4 == 0 { grouped.append(" ") }
            grouped.append(letter)
        }
        return grouped
    }

    /// As it is shown to others: country, check digits and the last four.
    var masked: String { "\(text.prefix(4)) •••• \(text.suffix(4))" }

    /// The longest there can be (ISO 13616).
    package static let lengthMax = 34

    /// The number modulo 97 with the first four behind the rest and letters as 10 to 35
    /// (ISO 7064); 1 for an IBAN, nil where there is something else than capitals and digits.
    package static func remainder(of text: [UInt8]) -> Int? {
        var remainder = 0
        for byte in text.dropFirst(4) + text.prefix(4) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                remainder = (remainder * 10 + Int(byte - UInt8(ascii: "0"))) % 97
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                remainder = (remainder * 100 + Int(byte - UInt8(ascii: "A")) + 10) % 97
            default: return nil
            }
        }
        return remainder
    }
}

extension IBAN: CustomStringConvertible {
    /// The text.
    package var description: String { text }
}
