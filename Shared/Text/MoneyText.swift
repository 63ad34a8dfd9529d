internal import CICU

// Safety: the format is opened and closed within one call; buffers are lent for its duration.

/// Amounts of money as people read them.
public enum MoneyText {
    /// An amount as a language writes it: `€12.50` in `en`, `12,50 €` in `it`.
    ///
    /// `decimal` is exact, such as `-12.50`; `currency` is a code of ISO 4217, and `digits` are
    /// those after its point. Nil where one of them is none. Source: Unicode CLDR, by ICU.
    public static func format(
        decimal: String,
        currency: String,
        digits: Int,
        language: String
    ) -> String? {
        let code = Array(currency.utf16)
        let number = decimal.utf8.map { CChar(bitPattern: $0) }
        guard code.count == 3, !number.isEmpty, let digits = Int32(exactly: digits) else {
            return nil
        }
        var result = [UInt16](repeating: 0, count: 128)
        var status = U_ZERO_ERROR
        let count = unsafe ezwallet_format_money(
            language,
            code,
            digits,
            number,
            Int32(number.count),
            &result,
            Int32(result.count),
            &status
        )
        guard status.rawValue <= 0, count > 0, count <= result.count else { return nil }
        return String(decoding: result[..<Int(count)], as: UTF16.self)
    }
}
