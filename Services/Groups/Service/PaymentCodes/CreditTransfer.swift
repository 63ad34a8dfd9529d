import IBANs
import WalletProtocol

/// Why a payment cannot be told in a code.
enum CreditTransferError: Error, Hashable, Sendable {
    /// Nothing of the payee's name can be shown.
    case namelessPayee
    /// Less than a cent, or more than a payment may be.
    case amount(cents: Int64)
}

/// A SEPA credit transfer as banking apps read it from a QR code.
///
/// Shape: a line an element, in this order: service tag `BCD`, version, character set, `SCT`, BIC,
/// name, IBAN, amount, purpose, structured reference, text. The last that says something ends it.
/// Units: euro cents; lengths in characters (Unicode scalars), and in bytes for the whole.
/// Source: EPC069-12, version 002: AT-21 is the name, AT-20 the IBAN, AT-04 the amount, AT-05 the
/// text.
struct CreditTransfer: Sendable, Hashable {
    let name: String
    let iban: IBAN
    let cents: Int64
    let text: String

    /// The most that a code holds, so that it is version 13 at most.
    static let bytesMax = 331
    static let nameLengthMax = ReceivingAccounts.nameLengthMax
    static let textLengthMax = 140

    /// A transfer whose words are cut to what a code has room for: the name goes first, for the
    /// bank compares it; the text gets what is left.
    /// - Throws: `.namelessPayee`, `.amount`.
    init(to name: String, _ iban: IBAN, cents: Int64, text: String) throws(CreditTransferError) {
        guard (1...PaymentCodes.centsMax).contains(cents) else { throw .amount(cents: cents) }
        self.iban = iban
        self.cents = cents
        let frame = Self.lines(name: "", iban, cents, text: "").utf8.count
        let room = Self.bytesMax - frame
        // A name there has to be: of one whose first character is too long a part will do.
        let whole = Self.line(of: name)
        let cut = Self.cut(whole, lengthMax: Self.nameLengthMax, bytesMax: room)
        self.name =
            cut.isEmpty ? String(whole.unicodeScalars.prefix(Self.nameLengthMax / 2)) : cut
        guard !self.name.isEmpty else { throw .namelessPayee }
        self.text = Self.cut(
            Self.line(of: text),
            lengthMax: Self.textLengthMax,
            bytesMax: room - self.name.utf8.count
        )
    }

    /// What the code says.
    var payload: String {
        let lines = Self.lines(name: name, iban, cents, text: text)
        return text.isEmpty ? String(lines.dropLast(3)) : lines
    }

    private static func lines(name: String, _ iban: IBAN, _ cents: Int64, text: String) -> String {
        let amount = "EUR\(Money(minorUnits: cents, .eur).amount)"
        return ["BCD", "002", "1", "SCT", "", name, iban.text, amount, "", "", text]
            .joined(separator: "\n")
    }

    /// The words on one line, without what no element may have in it.
    private static func line(of words: String) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in words.unicodeScalars where !turnsRound(scalar) {
            clean.append(isSpace(scalar) ? " " : scalar)
        }
        return String(clean).split(separator: " ").joined(separator: " ")
    }

    /// The longest beginning that fits, of whole characters as they are seen.
    private static func cut(_ line: String, lengthMax: Int, bytesMax: Int) -> String {
        var (kept, length, bytes) = ("", 0, 0)
        for character in line {
            length += character.unicodeScalars.count
            bytes += character.utf8.count
            guard length <= lengthMax, bytes <= bytesMax else { break }
            kept.append(character)
        }
        while kept.last == " " { kept.removeLast() }
        return kept
    }

    /// What ends a line, or what a terminal would obey, is a space.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Signs that have what follows read in the other direction: a payer would see another text.
    private static func turnsRound(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
