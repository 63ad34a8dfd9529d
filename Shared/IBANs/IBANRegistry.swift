import WalletProtocol

/// Why there is no such IBAN, or no such registry.
package enum IBANError: Error, Hashable, Sendable {
    /// The registry's file is not one, or the row of this country is wrong.
    case registry(String)
    /// The registry has no such country.
    case unknownCountry(String)
    /// The country has check digits of its own, or letters in its account numbers.
    case unsupportedCountry(String)
    /// The bank code (and branch) of this country has so many digits or capitals.
    case bankCode(String, length: Int)
    /// The country's account numbers have so many digits, and this one has more.
    case accountNumber(UInt64, digits: Int)
}

/// The structure of every country's IBANs, and what can be told and made by it.
///
/// Source: SWIFT, IBAN registry; ISO 13616.
package struct IBANRegistry: Sendable {
    private let formats: [String: IBANFormat]

    /// Reads the registry: an object with a row a country.
    package init(json: [UInt8]) throws(IBANError) {
        guard let tree = try? JSON.read(JSONTree.self, from: json),
            case .object(let rows) = tree, !rows.isEmpty
        else { throw .registry("") }
        var formats: [String: IBANFormat] = [:]
        for row in rows {
            guard let format = IBANFormat(row.name, row.value) else { throw .registry(row.name) }
            formats[row.name] = format
        }
        self.formats = formats
    }

    /// The countries, by their two letters.
    var countries: [String] { formats.keys.sorted() }

    /// What the IBANs of a country look like.
    package func format(of country: String) -> IBANFormat? { formats[country] }

    /// The IBAN that somebody wrote, with spaces and in any case; nil where it is none.
    package func iban(_ text: String) -> IBAN? {
        var bytes: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: " ") {
            guard bytes.count < IBAN.lengthMax else { return nil }
            // ASCII alone: `uppercased()` makes capitals of what is no letter of an IBAN.
            bytes.append((0x61...0x7A).contains(byte) ? byte - 0x20 : byte)
        }
        guard bytes.count > 4,
            let format = formats[String(decoding: bytes[..<2], as: UTF8.self)],
            bytes.count == format.length, format.matches(bytes[4...]),
            let check = checkDigits(bytes[2..<4]), (2...98).contains(check),
            IBAN.remainder(of: bytes) == 1
        else { return nil }
        return IBAN(checked: String(decoding: bytes, as: UTF8.self))
    }

    /// Whether the text is an IBAN; spaces and case do not matter.
    func isValid(_ text: String) -> Bool { iban(text) != nil }

    /// The IBAN of an account, its number filled up with zeros.
    ///
    /// `bankCode` is all that stands before the number: where a country has branches, theirs too.
    /// - Throws: `.unknownCountry`, `.unsupportedCountry`, `.bankCode`, `.accountNumber`.
    package func make(
        country: String,
        bankCode: String,
        accountNumber: UInt64
    ) throws(IBANError) -> IBAN {
        let format = try usableFormat(country: country, bankCode: bankCode)
        let digits = String(accountNumber)
        let room = format.accountNumber.count
        guard digits.utf8.count <= room else {
            throw .accountNumber(accountNumber, digits: room)
        }
        let number = String(repeating: "0", count: room - digits.utf8.count) + digits
        guard let remainder = IBAN.remainder(of: Array("\(country)00\(bankCode)\(number)".utf8))
        else { throw .bankCode(bankCode, length: format.bankPart.count) }
        let check = 98 - remainder
        return IBAN(checked: "\(country)\(check < 10 ? "0" : "")\(check)\(bankCode)\(number)")
    }

    /// The format of a country where accounts of this bank can be numbered.
    @discardableResult
    package func usableFormat(country: String, bankCode: String) throws(IBANError) -> IBANFormat {
        guard let format = formats[country] else { throw .unknownCountry(country) }
        guard format.canBeMade else { throw .unsupportedCountry(country) }
        guard format.matches(bankPart: Array(bankCode.utf8)[...]) else {
            throw .bankCode(bankCode, length: format.bankPart.count)
        }
        return format
    }

    private func checkDigits(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.allSatisfy(IBANFormat.Letters.digits.contains) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
