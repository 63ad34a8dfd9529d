/// An amount in one currency: integer minor units, no floating point, overflow an error.
///
/// Written as a decimal string with exactly the currency's exponent:
/// `-?(0|[1-9][0-9]*)(\.[0-9]{e})?`, the fraction there exactly when e > 0, no minus zero.
public struct Money: Hashable, Sendable {
    /// Signed minor units; minus is money out.
    public let minorUnits: Int64
    /// The currency.
    public let currency: Currency

    /// An amount of minor units.
    public init(minorUnits: Int64, _ currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// The amount written in the strict grammar.
    /// - Throws: `.malformed`, `.overflow`.
    public init(_ amount: String, _ currency: Currency) throws(MoneyError) {
        self.init(
            minorUnits: try Money.parse(Array(amount.utf8)[...], exponent: currency.exponent),
            currency
        )
    }

    /// The most major units, either way, of an amount that is sent; what is stored may be more.
    ///
    /// Ten thousand billions are beyond every account there is, and a million of them, at an
    /// exponent of 4, are within 128 bits many times over.
    public static let sentMax: Int64 = 10_000_000_000_000

    /// Nothing, in a currency.
    public static func zero(_ currency: Currency) -> Money { Money(minorUnits: 0, currency) }

    /// Whether it is nothing.
    public var isZero: Bool { minorUnits == 0 }
    /// Whether it is above nothing.
    public var isPositive: Bool { minorUnits > 0 }
    /// Whether it is below nothing.
    public var isNegative: Bool { minorUnits < 0 }

    /// The decimal string.
    public var amount: String {
        var writer = JSONWriter()
        writer.appendAmount(minorUnits, exponent: currency.exponent)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The minor units of a text in the grammar, in as many bits as are asked for.
    static func parse<Units: FixedWidthInteger & SignedInteger>(
        _ text: ArraySlice<UInt8>,
        exponent: Int
    ) throws(MoneyError) -> Units {
        var at = text.startIndex
        let end = text.endIndex
        let negative = at < end && text[at] == UInt8(ascii: "-")
        if negative { at += 1 }
        let whole = end - at - (exponent > 0 ? exponent + 1 : 0)
        guard whole >= 1 else { throw .malformed }
        if whole > 1 && text[at] == UInt8(ascii: "0") { throw .malformed }
        var value: Units = 0
        var overflow = false
        let point = at + whole
        while at < end {
            if at == point {
                guard text[at] == UInt8(ascii: ".") else { throw .malformed }
                at += 1
                continue
            }
            // Wraps: what stands before the digits comes out above them.
            let digit = text[at] &- UInt8(ascii: "0")
            guard digit < 10 else { throw .malformed }
            let (product, high) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Units(digit))
            overflow = overflow || high || carry
            value = sum
            at += 1
        }
        if overflow { throw .overflow }
        if negative && value == 0 { throw .malformed }
        return negative ? -value : value
    }
}

/// What can be wrong with an amount or a sum.
public enum MoneyError: Error, Hashable, Sendable {
    /// Not of the strict grammar.
    case malformed
    /// Beyond the bits that there are for minor units.
    case overflow
    /// Two currencies where one is needed.
    case currencyMismatch
}

// Arithmetic: each call says what it does when it cannot.
extension Money {
    /// The sum.
    /// - Throws: `.overflow`, `.currencyMismatch`.
    public func adding(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currencyMismatch }
        let (sum, overflow) = minorUnits.addingReportingOverflow(other.minorUnits)
        guard !overflow else { throw .overflow }
        return Money(minorUnits: sum, currency)
    }

    /// The difference.
    /// - Throws: `.overflow`, `.currencyMismatch`.
    public func subtracting(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currencyMismatch }
        let (difference, overflow) = minorUnits.subtractingReportingOverflow(other.minorUnits)
        guard !overflow else { throw .overflow }
        return Money(minorUnits: difference, currency)
    }

    /// The product with a whole number.
    /// - Throws: `.overflow`.
    public func multiplied(by factor: Int64) throws(MoneyError) -> Money {
        let (product, overflow) = minorUnits.multipliedReportingOverflow(by: factor)
        guard !overflow else { throw .overflow }
        return Money(minorUnits: product, currency)
    }

    /// The amount with the other sign.
    /// - Throws: `.overflow`, for the one value that has no counterpart.
    public func negated() throws(MoneyError) -> Money {
        try Money.zero(currency).subtracting(self)
    }

    /// The amount without its sign.
    /// - Throws: `.overflow`, for the one value that has no counterpart.
    public func magnitude() throws(MoneyError) -> Money {
        isNegative ? try negated() : self
    }

    /// The sum of amounts that are all in `currency`.
    /// - Throws: `.overflow`, `.currencyMismatch`.
    public static func sum(
        _ amounts: some Sequence<Money>,
        in currency: Currency
    ) throws(MoneyError) -> Money {
        var total = Money.zero(currency)
        for amount in amounts { total = try total.adding(amount) }
        return total
    }
}

extension Money: CustomStringConvertible {
    /// Amount and code, for people who debug.
    public var description: String { "\(amount) \(currency.code)" }
}
