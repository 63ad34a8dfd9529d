/// A decimal number without a currency, kept exactly: rates, percentages, bounds of a filter.
///
/// Written `-?(0|[1-9][0-9]*)(\.[0-9]{1,12})?`, no minus zero, as a string in JSON.
public struct ExactDecimal: Hashable, Sendable {
    /// The digits without the point.
    public let coefficient: Int64
    /// How many of them stand after the point, 0 to 12.
    public let scale: Int

    /// `coefficient` divided by 10 to the `scale`, trailing zeros dropped.
    public init(coefficient: Int64, scale: Int) {
        // Cannot fire: what is read was counted before (`init(_:)`); else scales are constants, or
        // go down from 12.
        precondition((0...ExactDecimal.scaleMax).contains(scale))
        var coefficient = coefficient
        var scale = scale
        while scale > 0 && coefficient % 10 == 0 {
            coefficient /= 10
            scale -= 1
        }
        self.coefficient = coefficient
        self.scale = scale
    }

    /// The most digits after the point.
    public static let scaleMax = 12

    /// The number written; nil for another grammar or more than 64 bits.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let point = bytes.firstIndex(of: UInt8(ascii: "."))
        let scale = point.map { bytes.count - $0 - 1 } ?? 0
        guard scale <= ExactDecimal.scaleMax, point == nil || scale > 0,
            let coefficient: Int64 = try? Money.parse(bytes[...], exponent: scale)
        else { return nil }
        self.init(coefficient: coefficient, scale: scale)
    }

    /// The decimal string.
    public var text: String {
        var writer = JSONWriter()
        writer.appendAmount(coefficient, exponent: scale)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The same number as minor units; nil with more digits than the currency has, or overflow.
    public func money(in currency: Currency) -> Money? {
        guard scale <= currency.exponent else { return nil }
        let (units, overflow) =
            coefficient.multipliedReportingOverflow(by: powersOfTen[currency.exponent - scale])
        return overflow ? nil : Money(minorUnits: units, currency)
    }
}
