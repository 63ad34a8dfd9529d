/// A currency of ISO 4217 that money can be in: its code and its exponent in four bytes.
public struct Currency: Hashable, Comparable, Sendable {
    /// Three ASCII letters in the upper 24 bits, the exponent in the lower 8.
    let bits: UInt32

    private init(bits: UInt32) {
        self.bits = bits
    }

    /// The currency with this code in capitals; nil for what ISO 4217 does not know as money.
    public init?(_ code: some StringProtocol) {
        var letters: UInt32 = 0
        var count = 0
        for byte in code.utf8 {
            guard count < 3 else { return nil }
            letters = letters << 8 | UInt32(byte)
            count += 1
        }
        guard count == 3 else { return nil }
        self.init(letters: letters)
    }

    init?(letters: UInt32) {
        let table = Currency.table
        var low = 0
        var high = table.count
        while low < high {
            let middle = (low + high) / 2
            if table[middle].bits >> 8 < letters { low = middle + 1 } else { high = middle }
        }
        guard low < table.count, table[low].bits >> 8 == letters else { return nil }
        self = table[low]
    }

    /// Digits after the decimal point, 0 to 4.
    public var exponent: Int { Int(bits & 0xFF) }

    /// Minor units in one major unit: 10 to the exponent.
    public var minorUnitsPerUnit: Int64 { powersOfTen[exponent] }

    /// The three letters.
    public var code: String {
        String(decoding: [letter(24), letter(16), letter(8)], as: UTF8.self)
    }

    /// The row of ISO 4217.
    public var entry: CurrencyEntry {
        let code = code
        // Cannot fire: every currency is one of the table, which is made of the same rows.
        guard let entry = CurrencyEntry.all.first(where: { $0.code == code }) else {
            preconditionFailure("a currency outside its own table")
        }
        return entry
    }

    func letter(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: bits >> shift) }

    /// By code.
    public static func < (left: Currency, right: Currency) -> Bool { left.bits < right.bits }

    /// Every currency that money can be in, by code.
    public static var all: [Currency] { table }

    private static let table: [Currency] = CurrencyEntry.all.compactMap { entry in
        guard let exponent = entry.exponent else { return nil }
        let letters = entry.code.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Currency(bits: letters << 8 | UInt32(exponent))
    }

    private static func known(_ code: String) -> Currency {
        // Cannot fire: the codes are literals, just below.
        guard let currency = Currency(code) else { preconditionFailure("no currency \(code)") }
        return currency
    }

    /// The euro.
    public static let eur = known("EUR")
    /// The US dollar.
    public static let usd = known("USD")
    /// The pound sterling.
    public static let gbp = known("GBP")
    /// The yen, which has no minor unit.
    public static let jpy = known("JPY")
    /// The Swiss franc.
    public static let chf = known("CHF")
    /// The Kuwaiti dinar, which has 1,000 fils.
    public static let kwd = known("KWD")
}

extension Currency: CustomStringConvertible {
    /// The code.
    public var description: String { code }
}

/// 10 to the power of the index.
let powersOfTen: [Int64] = (0...18).reduce(into: []) { powers, _ in
    powers.append((powers.last ?? 0) == 0 ? 1 : powers[powers.count - 1] * 10)
}
