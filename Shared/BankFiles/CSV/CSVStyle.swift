import WalletProtocol

/// How a whole file writes its rows, as all of them together tell.
struct CSVStyle {
    var header: CSVHeader
    /// The currency that the file names.
    let named: Currency?
    let currency: Currency
    let order: StatementDates.Order
    let isOrderDecided: Bool
    let decimal: UInt8
    let debitsAreSigned: Bool
    private(set) var isInverted: Bool
    /// Whether somebody said which way amounts count, or a column of sides proves it.
    private var isInversionTold: Bool
    /// What the words of the column of sides mean.
    private(set) var sides = CSVSides(of: [])
    /// Whether a minus turns round what the column of sides says.
    private(set) var areSidesSigned = false
    /// Whether amounts have signs, or `CR` and `DR`.
    private let hasSigns: Bool
    /// Whether fees are known to stand beside the amounts.
    let feesAreTold: Bool
    let charset: CSVCharset?
    /// Whether it was written here.
    let isOwn: Bool
    /// What nothing in the file decides.
    private(set) var notes: [StatementFault] = []
    private let readsCurrency: Bool

    /// What is taken where the file does not say.
    struct Assumed {
        /// Of the account's last file.
        let order: StatementDates.Order?
        /// No booking lies behind it.
        let today: Day?
        let currency: Currency
    }

    init(
        _ records: [CSVRecord],
        _ header: CSVHeader,
        _ mapping: CSVMapping?,
        charset: CSVCharset?,
        _ assumption: Assumed
    ) {
        let assumed = assumption.currency
        let lastOrder = assumption.order
        let exporter = header.columns.exporter
        self.charset = charset
        isOwn = header.names == CSVStatement.columns
        isInverted = mapping?.invert ?? exporter?.isInverted ?? false
        isInversionTold = mapping?.invert != nil || exporter != nil
        feesAreTold = mapping != nil || exporter != nil
        var header = header
        if mapping == nil {
            header.columns = CSVMoneyColumns(header, records, assuming: assumed).columns
            header.columns = CSVAlikeColumns(header, records).columns
        }
        let columns = header.columns
        let codes = CSVStyle.codes(records, columns)
        readsCurrency = codes != nil
        let told = columns.currencies
        named =
            codes.flatMap { CSVStyle.named($0, assumed) }
            ?? (told.contains(assumed) ? assumed : told.first)
        let currency = named ?? assumed
        self.currency = currency

        let days = StatementDates.evidence(
            of: records.lazy.map { columns.field(.date, of: $0) },
            asOf: assumption.today
        )
        let given = mapping?.dateOrder.map(StatementDates.Order.init)
        let known = given ?? (days.isUnsure ? nil : days.order) ?? exporter?.order
        order = known ?? lastOrder ?? days.order ?? (currency == .usd ? .monthFirst : .dayFirst)
        isOrderDecided = known != nil

        let amounts = CSVAmounts(records, header)
        let toldMark = mapping?.decimal.map { $0 == .comma ? UInt8(0x2C) : UInt8(0x2E) }
        let mark = toldMark ?? amounts.decimal ?? exporter?.decimal
        decimal = mark ?? amounts.guess(currency)
        debitsAreSigned = amounts.debitsAreSigned
        hasSigns = amounts.isSigned
        self.header = header
        findMore(records, amounts, isFound: mapping == nil)
        if known == nil, lastOrder == nil, let doubtful = days.doubtful {
            note(
                records[doubtful].line,
                columns.field(.date, of: records[doubtful]),
                "may be read in more than one order of day, month and year, and no row decides: "
                    + "say \"dateOrder\" in the mapping if it is wrong"
            )
        }
        if mark == nil, currency.exponent != 3, let unsure = amounts.unsure {
            let digits = unsure.text.utf8.contains(decimal) ? "a fraction" : "thousands"
            note(
                unsure.line,
                unsure.text,
                "is read as \(digits), and no row decides: say \"decimal\" in the mapping if it is "
                    + "wrong"
            )
        }
    }

    private mutating func note(_ line: Int, _ text: String, _ detail: String) {
        notes.append(
            StatementFault(line: line, detail: "\(FileText.quoted(text)) \(detail)")
        )
    }

    // MARK: Columns that their fields tell

    /// What no name tells: which way amounts go, what is booked, and whom with.
    private mutating func findMore(
        _ records: [CSVRecord],
        _ amounts: CSVAmounts,
        isFound: Bool
    ) {
        findStatus(records)
        if isFound { findSides(records, amounts) }
        if let direction = header.columns.indexes[.direction] {
            sides = CSVSides(of: direction, records)
            noteSigns(records, direction)
        }
        guard isFound else { return }
        let columns = header.columns
        let texts = [CSVColumns.Role.name, .description, .payee, .payer]
        if !texts.contains(where: columns.has) {
            let words = free.filter { $0 != columns.indexes[.direction] }
                .map { ($0, CSVStyle.letters(records, $0)) }
            let widest = words.max { $0.1 < $1.1 }
            if let widest, widest.1 > 0 { header.columns.set(.name, widest.0) }
        }
        // Of one account there is nothing to choose; of a hundred it is another side's.
        let names = Set(records.lazy.map { columns.field(.account, of: $0) })
        if names.count > CSVStyle.accountsMax { header.columns.set(.account, nil) }
    }

    static let accountsMax = 100

    /// Columns that tell nothing yet.
    private var free: [Int] {
        let taken = Set(header.columns.indexes.values).union(header.columns.descriptions)
        return header.names.indices.filter { !taken.contains($0) }
    }

    /// The column all of whose words say whether a row is booked, one of them that it is not.
    private mutating func findStatus(_ records: [CSVRecord]) {
        guard !header.columns.has(.status) else { return }
        let found = free.first { index in
            var seen: Set<String> = []
            var isUnbooked = false
            for record in records {
                let text = index < record.fields.count ? record.fields[index] : ""
                guard text.utf8.count <= CSVSides.bytesMax else { return false }
                guard seen.insert(text).inserted else { continue }
                let booking = CSVWords.booking(text)
                guard booking != .unknown, seen.count <= 20, !text.isEmpty else { return false }
                isUnbooked = isUnbooked || booking == .unbooked
            }
            return isUnbooked && seen.count > 1
        }
        if let found { header.columns.set(.status, found) }
    }

    /// The column that says which way money goes, where the signs of the amounts do not.
    private mutating func findSides(_ records: [CSVRecord], _ amounts: CSVAmounts) {
        let columns = header.columns
        guard columns.has(.amount), !columns.has(.direction),
            columns.exporter?.absent.contains(.direction) != true
        else { return }
        var best: (index: Int, votes: CSVSideVotes)?
        for index in free {
            guard let votes = votes(records, index), votes.told > best?.votes.told ?? 0
            else { continue }
            best = (index, votes)
        }
        guard let best else { return }
        switch best.votes.verdict(of: records.count) {
        case .nothing, .signs: break
        case .column: header.columns.set(.direction, best.index)
        case .inverted where isInversionTold: break
        case .inverted: (isInverted, isInversionTold) = (true, true)
        case .mixed where isInversionTold: break
        case .mixed: header.columns.set(.direction, best.index)
        }
    }

    /// Notes where a minus turns round what the column of sides says: of a refund among expenses.
    private mutating func noteSigns(_ records: [CSVRecord], _ direction: Int) {
        guard let first = records.first, header.columns.has(.amount),
            case .mixed? = votes(records, direction)?.verdict(of: records.count)
        else { return }
        areSidesSigned = true
        note(
            first.line,
            direction < header.names.count ? header.names[direction] : "",
            "says which way money goes, and signs of amounts say the opposite in some rows: look "
                + "at their signs"
        )
    }

    /// How a column's words and the signs of the amounts go together; nil where most of its fields
    /// say neither side.
    private func votes(_ records: [CSVRecord], _ index: Int) -> CSVSideVotes? {
        let words = CSVSides(of: index, records)
        var sides = CSVWords.Memory { words.isIn($0) }
        var votes = CSVSideVotes()
        var misses = 0
        for record in records {
            guard misses * 2 <= records.count else { return nil }
            let text = index < record.fields.count ? record.fields[index] : ""
            guard text.utf8.count <= CSVSides.bytesMax, let isIn = sides.recall(text) else {
                misses += 1
                continue
            }
            let amount = WrittenAmount(header.columns.field(.amount, of: record))
            votes.add(isIn: isIn, isMinus: amount.flatMap { $0.isZero ? nil : $0.isNegative })
        }
        return votes.verdict(of: records.count) == .nothing ? nil : votes
    }

    /// How many letters the fields of a column have, where they are words.
    private static func letters(_ records: [CSVRecord], _ index: Int) -> Int {
        var (letters, digits) = (0, 0)
        for record in records.prefix(200) where index < record.fields.count {
            let bytes = record.fields[index].utf8.prefix(200)
            digits += bytes.count(where: { isDigit($0) })
            letters += bytes.count(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 >= 0x80 })
        }
        return letters > digits ? letters : 0
    }

    // MARK: Currencies

    /// The code that a record has; empty where there is none.
    func code(of record: CSVRecord) -> String {
        readsCurrency ? CSVStyle.code(header.columns.field(.currency, of: record)) : ""
    }

    // MARK: Rows

    /// The day in a field.
    func day(_ text: String) -> Day? { StatementDates.csv(text, order: order) }

    /// The records of each account, in the order of their first ones.
    func accounts(_ records: [CSVRecord]) -> [(account: String?, rows: [CSVRecord])] {
        guard header.columns.has(.account) else { return [(nil, records)] }
        var places: [String: Int] = [:]
        var accounts: [(account: String?, rows: [CSVRecord])] = []
        for record in records {
            let name =
                FileText.line(header.columns.field(.account, of: record), scalarsMax: 64) ?? ""
            if let place = places[name] {
                accounts[place].rows.append(record)
            } else {
                places[name] = accounts.count
                accounts.append((name.isEmpty ? nil : name, [record]))
            }
        }
        return accounts.isEmpty ? [(nil, [])] : accounts
    }

    /// Asks whether a card's rows count the other way round: no amount has a minus, or most of them
    /// come in, and what pays them off goes out.
    func inversion(of rows: [StatementRow]) -> StatementFault? {
        let columns = header.columns
        guard !isInversionTold, !isOwn, let first = rows.first, columns.has(.amount),
            rows.count(where: { $0.amount > 0 }) * 2 > rows.count
        else { return nil }
        let ask = "if this is a card's statement, say \"invert\": true in the mapping"
        guard let out = rows.first(where: { $0.amount < 0 }) else {
            guard !columns.has(.direction), !hasSigns else { return nil }
            return StatementFault(
                line: first.line,
                detail: "no amount has a minus, and no column tells which rows take money out: "
                    + ask
            )
        }
        // What goes out of a card is payments, and few of them: the first tell.
        let payment = rows.lazy.filter { $0.amount < 0 }.prefix(1_000).first { row in
            CSVWords.isPayment(row.name + " " + (row.description ?? ""))
        }
        guard let row = payment ?? (isOfCard ? out : nil) else { return nil }
        return StatementFault(
            line: row.line,
            detail:
                "most rows bring money in, and \(FileText.quoted(row.name)) takes it out: \(ask)"
        )
    }

    /// Whether a column's name speaks of a card.
    private var isOfCard: Bool {
        header.names.contains { name in
            CSVColumns.plain(name).split(separator: " ").contains { word in
                CSVVocabulary.shipped.has(String(word), .card)
            }
        }
    }
}
