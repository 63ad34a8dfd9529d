import WalletProtocol

/// The currency of an area, for who registers without one.
///
/// Source: ISO 3166-1 and the currencies of ISO 4217 in use there; EUR where an area is not listed.
enum AreaCurrency {
    private static let codes: [String: String] = [
        "AU": "AUD", "BG": "BGN", "BR": "BRL", "CA": "CAD", "CH": "CHF", "CN": "CNY",
        "CZ": "CZK", "DK": "DKK", "GB": "GBP", "HK": "HKD", "HU": "HUF", "ID": "IDR",
        "IL": "ILS", "IN": "INR", "IS": "ISK", "JP": "JPY", "KR": "KRW", "KW": "KWD",
        "LI": "CHF", "MX": "MXN", "MY": "MYR", "NO": "NOK", "NZ": "NZD", "PH": "PHP",
        "PL": "PLN", "RO": "RON", "SE": "SEK", "SG": "SGD", "TH": "THB", "TR": "TRY",
        "US": "USD", "ZA": "ZAR",
    ]

    /// Of a country (`CH`) or a part of one (`CH-ZH`).
    static func currency(of area: String?) -> Currency {
        let country = area.map { String($0.prefix { $0 != "-" }) } ?? ""
        return codes[country].flatMap { (code: String) -> Currency? in Currency(code) } ?? .eur
    }
}
