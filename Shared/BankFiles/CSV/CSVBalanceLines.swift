/// Finds the lines of a table that tell a balance or a sum in place of a transaction.
struct CSVBalanceLines {
    /// What the words of a line say that it is.
    enum Kind: Hashable {
        /// The balance before the rows.
        case opening
        /// The balance after the rows.
        case closing
        /// A balance, of whichever day.
        case balance
        /// A sum, or a shop that is called so.
        case sum
    }

    /// Columns that say whom with or what for.
    private let main: [Int]
    /// Columns that nothing is known of.
    private let free: [Int]

    /// - Parameter width: how many columns the header has.
    init(_ columns: CSVColumns, width: Int) {
        let texts = [CSVColumns.Role.name, .payee, .payer, .description]
        let main = texts.compactMap { columns.indexes[$0] } + columns.descriptions
        let taken = Set(columns.indexes.values).union(main)
        self.main = Array(Set(main)).sorted()
        free = (0..<width).filter { !taken.contains($0) }
    }

    /// What a record is by its words; nil for a transaction.
    ///
    /// All that it says is to be of a balance: a name beside it makes it somebody's payment.
    func kind(of record: CSVRecord) -> Kind? {
        var found: Kind?
        for index in main where index < record.fields.count {
            let text = record.fields[index]
            if text.utf8.allSatisfy({ $0 <= 0x20 }) { continue }
            guard let kind = BalanceWords.shipped.kind(of: text) else { return nil }
            found = found == nil || found == .sum ? kind : found
        }
        if let found, found != .sum { return found }
        for index in free where index < record.fields.count {
            let text = record.fields[index]
            // What stands beside names says what kind of row it is: words for sums are too many.
            guard let kind = BalanceWords.shipped.kind(of: text, isAside: true), kind != .sum
            else { continue }
            return kind
        }
        return found
    }
}

/// The words for balances, and which texts are made of nothing else.
struct BalanceWords: Sendable {
    static let shipped = BalanceWords(.shipped)

    private let words: CSVVocabulary
    /// How first words begin: in few other texts does one so.
    private let starts: Set<[Unicode.Scalar]>
    private let initials: Set<Unicode.Scalar>
    /// Those of ASCII letters, as numbers.
    private let plainStarts: Set<Int>

    private init(_ words: CSVVocabulary) {
        self.words = words
        let meanings: [CSVVocabulary.Meaning] = [
            .balance, .opening, .closing, .total, .filler, .lineCode,
        ]
        let all = meanings.flatMap { words.words($0) }
        starts = Set(all.map { Array($0.unicodeScalars.prefix(BalanceWords.startMax)) })
        initials = Set(all.compactMap { $0.unicodeScalars.first })
        plainStarts = Set(all.compactMap { BalanceWords.plainStart(of: $0.utf8) })
    }

    /// A text is a balance's where each of its words is one of theirs, or a day.
    func kind(of text: String, isAside: Bool = false) -> CSVBalanceLines.Kind? {
        guard text.utf8.count <= 100, mayBegin(text) else { return nil }
        let plain = CSVColumns.plain(text)
        if isAside, words.has(plain, .lineCode) { return .balance }
        var parts = plain.split(separator: " ").map(String.init)
        // `S A L D O`
        if parts.count > 3, parts.allSatisfy({ $0.unicodeScalars.count == 1 }) {
            parts = [parts.joined()]
        }
        guard !parts.isEmpty, parts.count <= 12 else { return nil }
        let joined = parts.joined(separator: " ")
        var (isBalance, isSum) = (words.has(joined, .balance), words.has(joined, .total))
        var (isOpening, isClosing) = (words.has(joined, .opening), words.has(joined, .closing))
        let isWhole = isBalance || isSum
        for part in parts where !isWhole || parts.count > 1 {
            isBalance = isBalance || words.has(part, .balance)
            isSum = isSum || words.has(part, .total)
            isOpening = isOpening || words.has(part, .opening)
            isClosing = isClosing || words.has(part, .closing)
            guard isWhole || isWord(part) else { return nil }
        }
        guard isBalance || isSum else { return nil }
        // A shop may be called so.
        if !isBalance || BalanceWords.names.contains(joined) { return .sum }
        if isOpening != isClosing { return isOpening ? .opening : .closing }
        return .balance
    }

    private static let names: Set<String> = ["balance", "new balance", "balances"]

    private func isWord(_ part: String) -> Bool {
        let meanings: [CSVVocabulary.Meaning] = [.balance, .opening, .closing, .total, .filler]
        return meanings.contains { words.has(part, $0) }
            || part.utf8.contains(where: { isDigit($0) }) || MonthNames.isName(part)
    }

    // MARK: The quick look

    /// The first three letters of ASCII as a number, or all that a word has; nil where others stand
    /// among them, or a letter by itself.
    private static func plainStart(of text: String.UTF8View) -> Int? {
        var (start, count) = (0, 0)
        for byte in text {
            if isLetter(byte) {
                start = start * 256 + Int(byte | 0x20)
                count += 1
                if count == startMax { return start }
            } else if byte >= 0x80 {
                return nil
            } else if count > 0 {
                break
            }
        }
        return count > 1 ? start : nil
    }

    private func mayBegin(_ text: String) -> Bool {
        if let start = BalanceWords.plainStart(of: text.utf8) { return plainStarts.contains(start) }
        var letters: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars.prefix(40) {
            if let folded = CSVColumnName.folded(scalar) {
                letters += folded.unicodeScalars
                if letters.count >= BalanceWords.startMax { break }
            } else if letters.count > 1 {
                break
            }
        }
        return starts.contains(Array(letters.prefix(BalanceWords.startMax)))
            || (letters.first.map { initials.contains($0) } ?? false && isSpaced(text))
    }

    private static let startMax = 3

    /// Whether its letters stand apart: `S A L D O`.
    private func isSpaced(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars.drop { $0.value <= 0x20 }.prefix(4))
        return scalars.count == 4 && scalars[1] == " " && scalars[3] == " "
    }
}
