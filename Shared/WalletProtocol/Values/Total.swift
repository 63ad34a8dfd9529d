/// A sum, or an amount that was converted, in one currency: what is shown and never moved.
///
/// Integer minor units like `Money`, and written as it is, but of 128 bits: no sum of amounts that
/// are stored, and no rate, comes near their end. Arithmetic is checked all the same.
public struct Total: Hashable, Sendable {
    /// Signed minor units; minus is money out.
    public let minorUnits: Int128
    /// The currency.
    public let currency: Currency

    /// A sum of minor units.
    public init(minorUnits: Int128, _ currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// One amount alone.
    public init(_ money: Money) {
        self.init(minorUnits: Int128(money.minorUnits), money.currency)
    }

    /// The sum written in the grammar of `Money`.
    /// - Throws: `.malformed`, `.overflow` beyond 128 bits.
    public init(_ amount: String, _ currency: Currency) throws(MoneyError) {
        self.init(
            minorUnits: try Money.parse(Array(amount.utf8)[...], exponent: currency.exponent),
            currency
        )
    }

    /// Nothing, in a currency.
    public static func zero(_ currency: Currency) -> Total { Total(minorUnits: 0, currency) }

    /// Whether it is nothing.
    public var isZero: Bool { minorUnits == 0 }
    /// Whether it is below nothing.
    public var isNegative: Bool { minorUnits < 0 }

    /// The decimal string.
    public var amount: String {
        var writer = JSONWriter()
        writer.appendAmount(minorUnits, exponent: currency.exponent)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Total {
    /// The sum.
    /// - Throws: `.overflow`, `.currencyMismatch`.
    public func adding(_ other: Total) throws(MoneyError) -> Total {
        guard currency == other.currency else { throw .currencyMismatch }
        let (sum, overflow) = minorUnits.addingReportingOverflow(other.minorUnits)
        guard !overflow else { throw .overflow }
        return Total(minorUnits: sum, currency)
    }

    /// The difference.
    /// - Throws: `.overflow`, `.currencyMismatch`.
    public func subtracting(_ other: Total) throws(MoneyError) -> Total {
        guard currency == other.currency else { throw .currencyMismatch }
        let (difference, overflow) = minorUnits.subtractingReportingOverflow(other.minorUnits)
        guard !overflow else { throw .overflow }
        return Total(minorUnits: difference, currency)
    }

    /// The sum with the other sign.
    /// - Throws: `.overflow`, for the one value that has no counterpart.
    public func negated() throws(MoneyError) -> Total {
        try Total.zero(currency).subtracting(self)
    }

    /// The sum of totals that are all in `currency`.
    /// - Throws: `.overflow`, `.currencyMismatch`.
    public static func sum(
        _ totals: some Sequence<Total>,
        in currency: Currency
    ) throws(MoneyError) -> Total {
        var sum = Total.zero(currency)
        for total in totals { sum = try sum.adding(total) }
        return sum
    }

    /// A part of it, such as a mean: half to even at the last minor unit.
    /// - Throws: `.overflow` where there is nothing to divide by.
    public func divided(by divisor: Int64) throws(MoneyError) -> Total {
        guard divisor > 0 else { throw .overflow }
        let divisor = Int128(divisor)
        var (quotient, rest) = minorUnits.quotientAndRemainder(dividingBy: divisor)
        if rest < 0 { (quotient, rest) = (quotient - 1, rest + divisor) }
        let goesUp = rest > divisor - rest || (rest == divisor - rest && quotient & 1 == 1)
        return Total(minorUnits: goesUp ? quotient + 1 : quotient, currency)
    }
}

extension Total: CustomStringConvertible {
    /// Amount and code, for people who debug.
    public var description: String { "\(amount) \(currency.code)" }
}

extension Total: JSONValue {
    /// Reads what `write` writes.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Total? {
        Money.parts(source, &reading).map { Total(minorUnits: $0.units, $0.currency) }
    }

    /// Writes amount and currency.
    public func write(to writer: inout JSONWriter) {
        Money.write(minorUnits, currency, to: &writer)
    }

    /// A reference to the schema of totals.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        components.reference("Total", to: Total.self) { components in
            Money.schema(
                &components,
                described: """
                    A sum or a converted amount, which may be longer than any amount; a decimal \
                    with exactly the currency's ISO 4217 digits.
                    """,
                examples: [["amount": "123456789012345678901.50", "currency": "EUR"]]
            )
        }
    }
}
