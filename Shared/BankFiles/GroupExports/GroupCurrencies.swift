package import WalletProtocol

/// The currency of amounts for which a file names none.
package struct AssumedCurrency: Sendable, Hashable {
    package let currency: Currency
    /// Whether the user named it; otherwise it is the group's.
    package let isNamed: Bool

    package init(_ currency: Currency, isNamed: Bool) {
        self.currency = currency
        self.isNamed = isNamed
    }
}

/// The currencies of a file's rows.
struct GroupCurrencies {
    private let assumed: AssumedCurrency?
    /// Whether no row names one.
    private let isNowhere: Bool
    /// What was assumed, and in which row first.
    private(set) var note: StatementFault?

    /// - Parameter texts: the field of each row.
    init(_ assumed: AssumedCurrency?, of texts: some Sequence<String>) {
        self.assumed = assumed
        isNowhere = texts.allSatisfy(GroupTable.isBlank)
    }

    /// The currency that a field names.
    ///
    /// A sign of several currencies stands for the assumed one if that is among them. An empty
    /// field does so in a file that names none at all.
    mutating func currency(_ text: String, line: Int) throws(GroupRowFault) -> Currency {
        let text = FileText.line(text, scalarsMax: 40) ?? ""
        if let currency = Currency(text.uppercased()) { return currency }
        let codes = CurrencySigns.codes(of: text) ?? []
        if codes.count == 1, let currency = Currency(codes[0]) { return currency }
        if let assumed,
            text.isEmpty ? isNowhere : codes.contains(assumed.currency.code) || assumed.isNamed
        {
            if note == nil, !assumed.isNamed { note = Self.note(text, line, assumed.currency) }
            return assumed.currency
        }
        let quoted = FileText.quoted(text)
        throw GroupRowFault(
            codes.isEmpty
                ? "\(quoted) is no currency; name the currency of the file by «currency»"
                : "\(quoted) may be \(codes.prefix(4).joined(separator: ", ")) or another "
                    + "currency; name it by «currency»"
        )
    }

    private static func note(_ text: String, _ line: Int, _ currency: Currency) -> StatementFault {
        let reason = text.isEmpty ? "the file names no currency" : "\(text) is no currency's code"
        return StatementFault(
            line: line,
            detail: "\(reason): amounts are read as \(currency.code), the group's currency"
        )
    }
}
