import WalletProtocol

/// The cells of a column of currencies.
extension CSVStyle {
    /// The codes and signs in a column of currencies, the first 400; nil where it is none, for most
    /// of its fields are something else: `Valuta` may hold days.
    ///
    /// What nobody knows as money (`DOGE`) is a code, too: a row of it is not the account's.
    static func codes(_ records: [CSVRecord], _ columns: CSVColumns) -> [String]? {
        guard columns.has(.currency) else { return nil }
        var codes: [String] = []
        var (others, count) = (0, 0)
        var known = CSVWords.Memory(of: isMoney)
        var seen: Set<String> = []
        for record in records {
            let text = columns.field(.currency, of: record)
            switch known.recall(text) {
            case nil: continue
            case false?:
                others += 1
                continue
            case true?: count += 1
            }
            if seen.count < 400, seen.insert(text).inserted { codes.append(code(text)) }
        }
        return codes.isEmpty || others > count ? nil : codes
    }

    /// Whether a field is a currency's code or sign, or written like one; nil where it is blank.
    private static func isMoney(_ text: String) -> Bool? {
        let code = code(text)
        if code.isEmpty { return nil }
        if Currency(code) != nil || CurrencySigns.codes(of: code) != nil { return true }
        let written = FileText.line(text, scalarsMax: 8)?.utf8
        return written.map { (3...5).contains($0.count) && $0.allSatisfy(isCapital) }
    }

    private static func isCapital(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }

    /// A field of a column of currencies; nil where nothing stands there.
    static func codeOrNone(_ text: String) -> String? {
        let code = code(text)
        return code.isEmpty ? nil : code
    }

    /// A field of a column of currencies; empty where nothing stands there, or a dash for it.
    static func code(_ text: String) -> String {
        guard let text = FileText.line(text, scalarsMax: 8), !CSVWords.isDash(text)
        else { return "" }
        return text.uppercased()
    }

    /// A file of several currencies is read for the account's own, where it is among them.
    static func named(_ codes: [String], _ assumed: Currency) -> Currency? {
        if codes.contains(where: { isCode($0, of: assumed) }) { return assumed }
        return codes.lazy.compactMap { code in
            Currency(code)
                ?? CurrencySigns.codes(of: code).flatMap { signs in
                    signs.count == 1 ? signs.first.flatMap { Currency($0) } : nil
                }
        }.first
    }

    /// Whether a code or a sign is the currency's.
    static func isCode(_ code: String, of currency: Currency) -> Bool {
        code == currency.code
            || CurrencySigns.codes(of: code).map { $0.isEmpty || $0.contains(currency.code) }
                ?? false
    }
}
