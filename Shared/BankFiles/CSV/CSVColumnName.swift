import Text
import WalletProtocol

/// The name of a column as it is looked for.
struct CSVColumnName: Hashable {
    /// In small ASCII letters with single spaces, without what stands in parentheses and without a
    /// currency.
    let plain: String
    /// All but the words for an amount: `soll` of `Betrag (Soll)`; nil without such words.
    let side: String?
    /// The currencies that it speaks of, the likeliest first: `Amount ($)`.
    let currencies: [Currency]

    /// A text of which the first 100 scalars count.
    init(_ name: String) {
        var scan = Scan()
        for scalar in name.unicodeScalars.prefix(100) { scan.take(scalar) }
        scan.end()
        var tokens = scan.tokens
        var words = tokens.filter { !$0.isAside && !$0.isSign }
        var codes = tokens.lazy.filter { $0.isSign || $0.isAside }.compactMap(\.currencies).first
        // `Amount EUR`, `Betrag in Euro`, and `EUR Amount` in capitals.
        if words.count > 1, let last = words.last?.currencies {
            codes = codes ?? last
            words.removeLast()
        } else if words.count == 2, let first = words.first, first.isCode {
            codes = codes ?? first.currencies
            words.removeFirst()
        }
        if words.isEmpty, CSVColumnName.isSigns(name) {
            words = ["plus", "minus"].map { Token(plain: $0, raw: $0) }
        }
        currencies = (codes ?? []).compactMap { Currency($0) }
        plain = words.map(\.plain).joined(separator: " ")
        tokens = words + tokens.filter { $0.isAside && $0.currencies == nil }
        let side = tokens.map(\.plain).filter { !CSVColumnName.amountWords.contains($0) }
        self.side = side.count < tokens.count ? side.joined(separator: " ") : nil
    }

    /// A word, or a currency's sign with the letters before it: `US$`.
    private struct Token {
        let plain: String
        let raw: String
        var isAside = false
        var isSign = false

        /// Whether it is a code as codes are written.
        var isCode: Bool { raw.utf8.count == 3 && raw.utf8.allSatisfy(isCapital) && isKnown }

        private var isKnown: Bool { Currency(raw.uppercased()) != nil }

        /// The codes of the currencies that it may mean; nil for any other word.
        var currencies: [String]? {
            if isKnown { return [raw.uppercased()] }
            // A letter may mean anything.
            guard isSign || raw.unicodeScalars.count > 1 || raw.utf8.count > 2 else { return nil }
            return CurrencySigns.codes(of: raw)
        }
    }

    /// Parts a name into words and signs.
    private struct Scan {
        private(set) var tokens: [Token] = []
        private var plain = ""
        private var raw = ""
        private var depth = 0

        mutating func take(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "(", "[", "（", "［":
                end()
                depth += 1
            case ")", "]", "）", "］":
                end()
                depth = max(0, depth - 1)
            default:
                if let letters = CSVColumnName.folded(scalar) {
                    plain += letters
                    raw.unicodeScalars.append(scalar)
                } else if scalar.value >= 0x24,
                    scalar.properties.generalCategory == .currencySymbol
                {
                    takeSign(scalar)
                } else {
                    end()
                }
            }
        }

        /// `US$` is one sign, and so is `CAD$`; `Amount$` is a word with one.
        private mutating func takeSign(_ scalar: Unicode.Scalar) {
            let sign = String(scalar)
            let isPart = CurrencySigns.codes(of: raw + sign) != nil
            let isCode = Currency(raw.uppercased()) != nil
            if isPart || isCode {
                let whole = isCode ? raw : raw + sign
                (plain, raw) = ("", "")
                tokens.append(Token(plain: "", raw: whole, isAside: depth > 0, isSign: true))
            } else {
                end()
                tokens.append(Token(plain: "", raw: sign, isAside: depth > 0, isSign: true))
            }
        }

        mutating func end() {
            if !plain.isEmpty { tokens.append(Token(plain: plain, raw: raw, isAside: depth > 0)) }
            (plain, raw) = ("", "")
        }
    }

    /// `+/-` and its like.
    private static func isSigns(_ name: String) -> Bool {
        let signs = name.unicodeScalars.prefix(10).filter { $0 != " " && $0 != "/" }
        return signs.count == 2 && signs.contains("+")
            && signs.contains { $0 == "-" || $0 == "\u{2212}" || $0 == "\u{2013}" }
    }

    /// What stands before `debit` in the name of a column, and adds nothing to it.
    private static let amountWords: Set<String> = [
        "amount", "betrag", "importo", "montant", "importe", "umsatz", "in", "im", "a", "au", "al",
        "en", "de", "del", "valor", "kwota", "castka", "suma", "bedrag", "belopp", "belob", "summa",
        "сумма", "сума", "tutar", "金额", "金額", "금액", "סכום", "مبلغ",
    ]

    /// A letter or digit as it is looked for; empty for a mark, nil for what parts words.
    static func folded(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "a"..."z", "0"..."9": return String(scalar)
        case "A"..."Z": return String(scalar).lowercased()
        case "\u{0}"..."\u{7F}": return nil
        case "\u{80}"..<"\u{700}": return table[Int(scalar.value) - 0x80]
        default: return folding(scalar)
        }
    }

    /// Of the letters of most scripts, each once.
    private static let table: [String?] = (0x80..<0x700).map { value in
        Unicode.Scalar(UInt32(value)).flatMap(folding)
    }

    private static func folding(_ scalar: Unicode.Scalar) -> String? {
        if ("\u{300}"..."\u{36F}").contains(scalar) { return "" }
        switch String(scalar).lowercased() {
        case "ß": return "ss"
        case "ø": return "o"
        case "æ": return "ae"
        case "œ": return "oe"
        case "ł": return "l"
        case "đ", "ð": return "d"
        case "ı": return "i"
        case "ς": return "σ"
        case "ё": return "е"
        default: break
        }
        // Letters of other scripts stand for themselves, without their marks; a mark that is no
        // letter parts no word.
        guard scalar.properties.isAlphabetic else {
            return scalar.properties.generalCategory == .nonspacingMark ? "" : nil
        }
        // Syllables and signs of East Asia have no marks.
        if scalar.value >= 0x2E80 { return String(scalar) }
        let letters = TextFolding.decomposed(String(scalar).lowercased()).unicodeScalars
            .filter { !(0x300...0x36F).contains($0.value) }
        return String(String.UnicodeScalarView(letters))
    }
}
