/// Which way money goes, as the words of one column say it.
///
/// «Payment» is money out beside «Deposit», and money in beside «Purchase».
struct CSVSides: Hashable {
    /// Whether a payment is money in; nil where nothing of the column tells.
    private let isPaymentIn: Bool?

    /// The words of a column, each once.
    init(of texts: some Sequence<String>) {
        let words = CSVVocabulary.shipped
        let plain = texts.map(CSVColumns.plain)
        if plain.contains(where: { words.has($0, .purchase) }) {
            isPaymentIn = true
        } else {
            isPaymentIn = plain.contains { words.has($0, .in) } ? false : nil
        }
    }

    /// A column's own, of its first thousand words.
    init(of column: Int, _ records: [CSVRecord]) {
        var seen: Set<String> = []
        for record in records where column < record.fields.count && seen.count < 1_000 {
            let text = record.fields[column]
            // No such word is longer: texts are not looked at.
            if text.utf8.count <= CSVSides.bytesMax { seen.insert(text) }
        }
        self.init(of: seen)
    }

    static let bytesMax = 48

    /// Whether money comes in; nil where the text says neither.
    func isIn(_ text: String) -> Bool? {
        switch FileText.line(text, scalarsMax: 4) {
        case "+": return true
        case "-", "\u{2212}", "\u{2013}": return false
        default: break
        }
        let words = CSVVocabulary.shipped
        let plain = CSVColumns.plain(text)
        if words.has(plain, .in) { return true }
        if words.has(plain, .out) { return false }
        return words.has(plain, .either) ? isPaymentIn : nil
    }
}

/// What a column of sides and the signs of the amounts say of each other.
struct CSVSideVotes {
    /// Rows that say one side or the other.
    private(set) var told = 0
    private var outs = (plain: 0, minus: 0)
    private var ins = (plain: 0, minus: 0)

    /// How the two go together.
    enum Verdict {
        /// The column does not tell sides.
        case nothing
        /// The signs say the same.
        case signs
        /// The column says what no sign does.
        case column
        /// Each sign says the opposite: a card's.
        case inverted
        /// Signs and words say now the same, now the opposite.
        case mixed
    }

    /// Counts a row: nil where its amount is none or zero.
    mutating func add(isIn: Bool, isMinus: Bool?) {
        told += 1
        guard let isMinus else { return }
        switch (isIn, isMinus) {
        case (true, true): ins.minus += 1
        case (true, false): ins.plain += 1
        case (false, true): outs.minus += 1
        case (false, false): outs.plain += 1
        }
    }

    /// Of so many rows.
    func verdict(of count: Int) -> Verdict {
        guard told * 2 >= count, outs.plain + outs.minus > 0 else { return .nothing }
        if outs.minus + ins.minus == 0 { return .column }
        if outs.plain == 0 { return .signs }
        if outs.minus == 0 && ins.plain == 0 { return .inverted }
        // A few refunds turn nothing round.
        if outs.plain * 4 <= outs.minus { return .signs }
        return .mixed
    }
}
