/// Signs and words of currencies, and whose they are.
enum CurrencySigns {
    /// The codes that a sign stands for, the likeliest first; nil for what is none.
    static func codes(of sign: String) -> [String]? {
        let sign = sign.lowercased()
        if sign == "¤" { return [] }
        return table[sign] ?? (sign.hasSuffix(".") ? table[String(sign.dropLast())] : nil)
    }

    /// Whether it can be nothing else: `FR` may be a country, and `R` anything.
    static func isPlain(_ sign: String) -> Bool {
        sign.utf8.count > 2 || sign.unicodeScalars.contains { !$0.properties.isAlphabetic }
    }

    private static let table: [String: [String]] = {
        var table: [String: [String]] = [:]
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            guard let last = words.last else { continue }
            for sign in words.dropLast() {
                table[sign] = last.split(separator: ",").map(String.init)
            }
        }
        return table
    }()

    private static let lines = [
        "€ euro euros евро ευρώ יורו يورو ยูโร 欧元 ユーロ 유로 EUR",
        "$ dollar dollars dólar dólares долл доллар דולר دولار USD,AUD,CAD,NZD,SGD,HKD,TWD,MXN,ARS,"
            + "CLP,COP,UYU,BMD,BSD,BBD,BND,BZD,FJD,GYD,JMD,KYD,LRD,NAD,SBD,SRD,TTD,XCD,DOP,CUP",
        "us$ u$s usd$ 美元 ドル 달러 USD", "a$ au$ AUD", "c$ ca$ CAD", "nz$ NZD", "hk$ 港币 HKD",
        "s$ sg$ SGD", "nt$ 台幣 新台幣 TWD", "mx$ MXN", "r$ reais BRL",
        "£ GBP,EGP,LBP,GIP,FKP,SHP,SYP,SSP,SDG",
        "pound pounds sterling GBP,EGP", "¥ ￥ JPY,CNY", "元 人民币 CNY", "円 yen JPY", "원 KRW",
        "fr CHF,XAF,XOF,XPF", "sfr franken CHF", "kr kronor kroner SEK,NOK,DKK,ISK",
        "zł zl złotych złoty zloty PLN", "kč kc korun CZK", "ft forint HUF", "lei RON,MDL",
        "лв лева BGN", "₽ р руб рублей рубли рублях rur RUB", "₴ грн гривень гривня UAH",
        "₺ tl lira TRY", "rs INR,PKR,LKR,NPR,MUR", "₹ rupees INR", "r rand ZAR",
        "₪ שח ש\"ח שקל ILS",
        "₩ KRW,KPW", "₫ VND", "฿ บาท THB", "₱ PHP", "₦ NGN", "₸ KZT", "₾ GEL", "₼ AZN", "֏ AMD",
        "₲ PYG", "₡ CRC", "₵ GHS", "៛ KHR", "₭ LAK", "₮ MNT", "৳ BDT", "﷼ ریال IRR", "د.ا JOD",
        "د.إ درهم AED", "ر.س ريال SAR", "د.ك KWD", "د.ب BHD", "ر.ع OMR", "ر.ق QAR", "ج.م EGP",
        "د.ت TND", "د.م MAD", "ل.ل LBP", "د.ع IQD", "د.ج DZD", "د.ل LYD",
    ]
}
