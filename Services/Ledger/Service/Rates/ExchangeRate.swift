import WalletProtocol

/// Why an amount cannot be converted.
enum RateError: Error, Hashable, Sendable {
    /// There is no figure for one of the currencies on this day.
    case unavailable(from: Currency, to: Currency, on: Day)
    /// The result does not fit: 64 bits of minor units for what is moved, 128 for what is shown.
    case overflow
}

/// What one unit of a currency is in another, exactly: a ratio in lowest terms.
///
/// Money is converted with whole numbers only, and what was rounded away stays with the bank:
/// whatever way amounts take through the rates of one day, none comes back larger.
struct ExchangeRate: Hashable, Sendable {
    /// The currency that is given.
    let source: Currency
    /// The currency that is had for it.
    let target: Currency
    /// Units of the target that are had for `denominator` units of the source.
    let numerator: Int64
    /// Units of the source.
    let denominator: Int64
    /// The day that the figures were published for.
    let day: Day
    /// Minor units of the target for so many of the source: the same with the exponents in it.
    private let targetUnits: Int128
    private let sourceUnits: Int128

    /// Whose figures they are.
    let publisher: String

    /// The European Central Bank: its figures are shipped, and fetched where nothing else is said.
    static let centralBank = "ECB"

    /// The rate of two currencies by what each is for one euro.
    init(
        from source: Currency,
        _ sourceRate: PublishedRate,
        to target: Currency,
        _ targetRate: PublishedRate,
        day: Day,
        publisher: String
    ) {
        // 10 digits and a shift by 8 are 10^18 at most (`PublishedRate.digitsMax`, `scaleMax`).
        let terms = Self.ratio(
            Int128(targetRate.mantissa),
            Int128(sourceRate.mantissa),
            shift: sourceRate.scale - targetRate.scale
        )
        let rate = ExchangeRate(
            from: source,
            to: target,
            numerator: Int64(terms.numerator),
            denominator: Int64(terms.denominator),
            day: day,
            publisher: publisher
        )
        // Cannot fire: figures are above zero, by the readers and the table, and within what is
        // reckoned above; `missing` ones are left out (`published`).
        guard let rate else { preconditionFailure("published rates beyond their bounds") }
        self = rate
    }

    /// The rate with these terms, as it was stored; nil where they are none.
    init?(
        from source: Currency,
        to target: Currency,
        numerator: Int64,
        denominator: Int64,
        day: Day,
        publisher: String
    ) {
        guard numerator > 0, denominator > 0 else { return nil }
        let shift = target.exponent - source.exponent
        let units = Self.ratio(Int128(numerator), Int128(denominator), shift: shift)
        // Amounts are multiplied by one term once they are less than the other.
        let (_, isTooLarge) =
            units.numerator.multipliedReportingOverflow(by: units.denominator)
        guard !isTooLarge else { return nil }
        (targetUnits, sourceUnits) = units
        (self.numerator, self.denominator) = (numerator, denominator)
        (self.source, self.target) = (source, target)
        (self.day, self.publisher) = (day, publisher)
    }

    /// The credit, in minor units of the target, for a debit of the source: rounded down.
    func credit(for debit: Int64) throws(RateError) -> Int64 {
        try Self.moved(Self.scaled(Int128(debit), targetUnits, sourceUnits, .down))
    }

    /// The debit, in minor units of the source, that a credit of the target takes: rounded up.
    func debit(for credit: Int64) throws(RateError) -> Int64 {
        try Self.moved(Self.scaled(Int128(credit), sourceUnits, targetUnits, .up))
    }

    /// The amount as it is shown in the target's currency, half to even; never what is moved.
    func shown(_ amount: Int128) throws(RateError) -> Int128 {
        try Self.scaled(amount, targetUnits, sourceUnits, .toNearestOrEven)
    }

    /// The rate as it is shown: half to even at 12 digits after the point, or at as many as fit.
    var value: ExactDecimal {
        var scale = ExactDecimal.scaleMax
        var power = Self.powerOfTen(scale)
        while true {
            let up = Int128(numerator) * power
            let rounded = Self.rounded(up, Int128(denominator), .toNearestOrEven)
            // Without digits after the point it fits: it is no more than the numerator.
            if let coefficient = Int64(exactly: rounded) {
                return ExactDecimal(coefficient: coefficient, scale: scale)
            }
            scale -= 1
            power /= 10
        }
    }

    /// The rate as answers tell it.
    var view: RateView { RateView(value: value, source: publisher, day: day) }
}

// The arithmetic.
extension ExchangeRate {
    private enum Rounding {
        case down
        case up
        case toNearestOrEven
    }

    /// `up` times 10 to the `shift` over `down`, in lowest terms.
    private static func ratio(
        _ up: Int128,
        _ down: Int128,
        shift: Int
    ) -> (numerator: Int128, denominator: Int128) {
        let numerator = up * powerOfTen(max(0, shift))
        let denominator = down * powerOfTen(max(0, -shift))
        var (divisor, rest) = (numerator, denominator)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        return (numerator / divisor, denominator / divisor)
    }

    /// `amount` times `up` over `down`, without overflow on the way to a result that fits.
    private static func scaled(
        _ amount: Int128,
        _ up: Int128,
        _ down: Int128,
        _ rounding: Rounding
    ) throws(RateError) -> Int128 {
        // Whole multiples first: what remains is less than `down`, and `down` times `up` fits.
        let (whole, rest) = amount.quotientAndRemainder(dividingBy: down)
        let (multiples, isTooLarge) = whole.multipliedReportingOverflow(by: up)
        // So far below the end that what is rounded on top of it fits, too.
        guard !isTooLarge, multiples.magnitude < UInt128(1) << 126, up < Int128(1) << 125 else {
            throw .overflow
        }
        return rounded(rest * up, down, rounding, onTopOf: multiples)
    }

    private static func moved(_ amount: Int128) throws(RateError) -> Int64 {
        guard let result = Int64(exactly: amount) else { throw .overflow }
        return result
    }

    /// `base` and `up` over `down`, rounded; which neighbour is even depends on both.
    private static func rounded(
        _ up: Int128,
        _ down: Int128,
        _ rounding: Rounding,
        onTopOf base: Int128 = 0
    ) -> Int128 {
        let (quotient, rest) = up.quotientAndRemainder(dividingBy: down)
        guard rest != 0 else { return base + quotient }
        let below = base + (up < 0 ? quotient - 1 : quotient)
        switch rounding {
        case .down: return below
        case .up: return below + 1
        case .toNearestOrEven:
            let over = up < 0 ? rest + down : rest
            let isUp = over == down - over ? below & 1 == 1 : over > down - over
            return isUp ? below + 1 : below
        }
    }

    private static func powerOfTen(_ exponent: Int) -> Int128 {
        var power: Int128 = 1
        for _ in 0..<exponent { power *= 10 }
        return power
    }
}
