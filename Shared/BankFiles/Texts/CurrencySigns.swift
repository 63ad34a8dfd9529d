/// Signs of currencies, and whose they are.
enum CurrencySigns {
    /// The codes that a sign stands for; nil for what is none.
    static func codes(of sign: String) -> Set<String>? {
        let sign = sign.lowercased()
        if sign == "¤" { return [] }
        return table[sign] ?? (sign.hasSuffix(".") ? table[String(sign.dropLast())] : nil)
    }

    private static let table: [String: Set<String>] = [
        "€": ["EUR"], "euro": ["EUR"], "euros": ["EUR"],
        "$": [
            "USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD", "MXN", "ARS", "CLP", "COP", "UYU",
            "BMD", "BSD", "BBD", "BND", "BZD", "FJD", "GYD", "JMD", "KYD", "LRD", "NAD", "SBD",
            "SRD", "TTD", "XCD", "DOP", "CUP",
        ],
        "us$": ["USD"], "a$": ["AUD"], "au$": ["AUD"], "c$": ["CAD"], "ca$": ["CAD"],
        "nz$": ["NZD"], "hk$": ["HKD"], "s$": ["SGD"], "nt$": ["TWD"], "mx$": ["MXN"],
        "r$": ["BRL"], "£": ["GBP", "EGP", "LBP", "GIP", "FKP", "SHP", "SYP", "SSP", "SDG"],
        "¥": ["JPY", "CNY"], "￥": ["JPY", "CNY"], "元": ["CNY"], "円": ["JPY"],
        "fr": ["CHF", "XAF", "XOF", "XPF"], "sfr": ["CHF"],
        "kr": ["SEK", "NOK", "DKK", "ISK"], "zł": ["PLN"], "kč": ["CZK"], "ft": ["HUF"],
        "lei": ["RON", "MDL"], "лв": ["BGN"], "₽": ["RUB"], "р": ["RUB"], "руб": ["RUB"],
        "rur": ["RUB"], "₴": ["UAH"], "грн": ["UAH"], "₺": ["TRY"], "tl": ["TRY"],
        "rs": ["INR", "PKR", "LKR", "NPR", "MUR"], "₹": ["INR"], "r": ["ZAR"], "₪": ["ILS"],
        "₩": ["KRW", "KPW"], "₫": ["VND"], "฿": ["THB"], "₱": ["PHP"], "₦": ["NGN"],
        "₸": ["KZT"], "₾": ["GEL"], "₼": ["AZN"], "֏": ["AMD"], "₲": ["PYG"], "₡": ["CRC"],
        "₵": ["GHS"], "៛": ["KHR"], "₭": ["LAK"], "₮": ["MNT"], "৳": ["BDT"], "﷼": ["IRR"],
        "د.ا": ["JOD"], "د.إ": ["AED"], "ر.س": ["SAR"], "د.ك": ["KWD"], "د.ب": ["BHD"],
        "ر.ع": ["OMR"], "ر.ق": ["QAR"], "ج.م": ["EGP"], "د.ت": ["TND"], "د.م": ["MAD"],
        "ل.ل": ["LBP"], "د.ع": ["IQD"], "د.ج": ["DZD"], "د.ل": ["LYD"],
    ]
}
