internal import CICU

// Safety: a format is opened with its object and closed with it, used by one thread; buffers are
// lent for one call.

/// Numbers as a language writes them, with the same digits behind the point each; its format is
/// made once.
@safe public final class AmountText {
    private let format: UnsafeMutablePointer<UNumberFormat?>?
    private let counts: UnsafeMutablePointer<UNumberFormat?>?

    /// Numbers of a language, BCP 47.
    public init(language: String, digits: Int) {
        unsafe format = ezwallet_open_decimals(language, Int32(clamping: digits))
        unsafe counts = ezwallet_open_decimals(language, 0)
    }

    deinit {
        unsafe ezwallet_close_decimals(format)
        unsafe ezwallet_close_decimals(counts)
    }

    /// An exact decimal, such as `-1234.50`: `-1.234,50` in `it`.
    public func text(_ decimal: String) -> String { unsafe text(decimal, by: format) }

    /// A whole number.
    public func count(_ number: Int) -> String { unsafe text(String(number), by: counts) }

    private func text(
        _ decimal: String,
        by format: UnsafeMutablePointer<UNumberFormat?>?
    ) -> String {
        var result = [UInt16](repeating: 0, count: 96)
        let number = decimal.utf8.map { CChar(bitPattern: $0) }
        let count = unsafe ezwallet_format_decimal(
            format,
            number,
            Int32(number.count),
            &result,
            Int32(result.count)
        )
        guard count > 0, count <= result.count else { return decimal }
        return String(decoding: result[..<Int(count)], as: UTF16.self)
    }
}

/// Days as a language writes them; its format is made once.
@safe public final class DayText {
    private let format: UnsafeMutablePointer<UDateFormat?>?

    /// Days of a language, BCP 47.
    public init(language: String) { unsafe format = ezwallet_open_days(language) }

    deinit { unsafe ezwallet_close_days(format) }

    /// A day of ISO 8601, `2024-01-31`: `31 gen 2024` in `it`; nil where it is none.
    public func text(_ iso: String) -> String? {
        let parts = iso.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        // Days since 1970 of the proleptic Gregorian calendar.
        let (year, month) = (parts[1] <= 2 ? parts[0] - 1 : parts[0], parts[1])
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + parts[2] - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        var result = [UInt16](repeating: 0, count: 96)
        let count = unsafe ezwallet_format_day(
            format,
            Double(days) * 86_400_000,
            &result,
            Int32(result.count)
        )
        guard count > 0, count <= result.count else { return nil }
        return String(decoding: result[..<Int(count)], as: UTF16.self)
    }
}
