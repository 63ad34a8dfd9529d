import WalletProtocol

/// What the IBANs of one country look like.
package struct IBANFormat: Hashable, Sendable {
    /// Which letters a position takes.
    enum Letters: UInt8, Sendable {
        /// `n`: digits.
        case digits
        /// `a`: capitals.
        case capitals
        /// `c`: both.
        case both

        func contains(_ byte: UInt8) -> Bool {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            return switch self {
            case .digits: isDigit
            case .capitals: isCapital
            case .both: isDigit || isCapital
            }
        }
    }

    /// The two letters of ISO 3166.
    package let country: String
    /// What each position of the BBAN takes: all that follows the check digits.
    let structure: [Letters]
    /// Where the bank code stands in the BBAN.
    package let bankCode: Range<Int>
    /// Where the account number stands in it.
    package let accountNumber: Range<Int>

    /// How long a whole IBAN is.
    package var length: Int { structure.count + 4 }

    /// Countries whose BBAN has check digits of the country's own, inside it or at its end.
    static let checkedAtHome: Set<String> = [
        "AL", "AX", "BA", "BE", "BI", "BL", "BR", "CZ", "DJ", "DK", "EE", "ES", "FI", "FO", "FR",
        "GF", "GL", "GP", "HR", "HU", "IS", "IT", "MC", "ME", "MF", "MK", "MQ", "MR", "NC", "NL",
        "NO", "PF", "PL", "PM", "PT", "RE", "RS", "SE", "SI", "SK", "SM", "TF", "TL", "TN", "TR",
        "WF", "XK", "YT",
    ]

    /// Whether IBANs can be made: the bank's part and then a number up to the end, and no check
    /// digits of the country's own, which would each need their own rule.
    var canBeMade: Bool {
        !Self.checkedAtHome.contains(country) && bankCode.lowerBound == 0
            && accountNumber.upperBound == structure.count
            && structure[accountNumber].allSatisfy { $0 != .capitals }
    }

    /// What stands before the account number: bank code, and a branch where there is one.
    var bankPart: ArraySlice<Letters> { structure[..<accountNumber.lowerBound] }

    /// Whether these bytes are a BBAN of the country.
    func matches(_ bban: ArraySlice<UInt8>) -> Bool {
        bban.count == structure.count && Self.matches(bban, structure[...])
    }

    /// Whether these bytes are what stands before the account number.
    func matches(bankPart bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == bankPart.count && Self.matches(bytes, bankPart)
    }

    private static func matches(
        _ bytes: ArraySlice<UInt8>,
        _ letters: ArraySlice<Letters>
    ) -> Bool {
        zip(bytes, letters).allSatisfy { $1.contains($0) }
    }
}

// Reading the registry's own words.
extension IBANFormat {
    /// A row of the registry; nil where it contradicts itself.
    init?(_ country: String, _ row: JSONTree) {
        guard country.utf8.count == 2, country.utf8.allSatisfy(Letters.capitals.contains),
            case .string(let specification)? = row["bban_spec"],
            case .integer(let length)? = row["bban_length"],
            case .integer(let whole)? = row["iban_length"],
            let structure = Self.structure(specification), structure.count == Int(length),
            whole == length + 4, whole <= IBAN.lengthMax,
            let bankCode = Self.range(row["positions"]?["bank_code"], within: structure.count),
            let account = Self.range(row["positions"]?["account_code"], within: structure.count)
        else { return nil }
        self.country = country
        self.structure = structure
        self.bankCode = bankCode
        accountNumber = account
    }

    /// `8!n10!n` is eight digits and then ten.
    private static func structure(_ specification: String) -> [Letters]? {
        var structure: [Letters] = []
        var count = 0
        for byte in specification.utf8 {
            let letters: Letters
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                count = count * 10 + Int(byte - UInt8(ascii: "0"))
                guard count <= IBAN.lengthMax else { return nil }
                continue
            case UInt8(ascii: "!"): continue
            case UInt8(ascii: "n"): letters = .digits
            case UInt8(ascii: "a"): letters = .capitals
            case UInt8(ascii: "c"): letters = .both
            default: return nil
            }
            guard count > 0 else { return nil }
            structure += Array(repeating: letters, count: count)
            count = 0
        }
        return count == 0 && !structure.isEmpty ? structure : nil
    }

    private static func range(_ tree: JSONTree?, within count: Int) -> Range<Int>? {
        guard case .array(let bounds)? = tree, bounds.count == 2,
            case .integer(let first) = bounds[0], case .integer(let end) = bounds[1],
            first >= 0, first < end, end <= Int64(count)
        else { return nil }
        return Int(first)..<Int(end)
    }
}
