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

/// Days as their reader writes them: by the format that they chose, or else as their language does;
/// its format is made once.
@safe public final class DayText {
    private let format: UnsafeMutablePointer<UDateFormat?>?
    private let pattern: String

    /// Days of a language, BCP 47; with a pattern such as `dd/MM/yyyy`, by that.
    public init(language: String, pattern: String = "") {
        self.pattern = pattern
        unsafe format = pattern.isEmpty ? ezwallet_open_days(language) : nil
    }

    deinit { unsafe ezwallet_close_days(format) }

    /// A day of ISO 8601, `2024-01-31`: `31 gen 2024` in `it`; nil where it is none.
    public func text(_ iso: String) -> String? {
        let written = iso.split(separator: "-")
        let parts = written.compactMap { Int($0) }
        guard parts.count == 3, written.count == 3 else { return nil }
        if !pattern.isEmpty { return Self.fill(pattern, written) }
        let days = CivilDate.days(year: parts[0], month: parts[1], day: parts[2])
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

    /// Puts year, month and day in the places of `y`, `M` and `d`.
    private static func fill(_ pattern: String, _ parts: [Substring]) -> String {
        var text = ""
        var last: Character = " "
        for letter in pattern {
            defer { last = letter }
            // The rest of a place that is filled.
            if letter.isLetter, letter == last { continue }
            switch letter {
            case "y": text += parts[0]
            case "M": text += parts[1]
            case "d": text += parts[2]
            default: text.append(letter)
            }
        }
        return text
    }
}
