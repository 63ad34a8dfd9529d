import WalletProtocol

/// Which columns of amounts and of currencies are the account's own, as their cells tell.
///
/// A column all of whose cells are codes or signs is one of currencies, whatever it is called; it
/// speaks of the amount left of it, else of the one right of it. Where the amount is in other
/// currencies, and another column tells it in the account's own, that one is read.
struct CSVMoneyColumns {
    private(set) var columns: CSVColumns
    private let names: [CSVColumnName]
    private let sample: [CSVRecord]
    private let assumed: Currency
    /// Columns of currencies, by their cells.
    private var currencies: [Int] = []
    /// Columns of amounts, the one that was found among them.
    private var amounts: [Int] = []

    init(_ header: CSVHeader, _ records: [CSVRecord], assuming assumed: Currency) {
        columns = header.columns
        names = header.names.map(CSVColumnName.init)
        sample = Array(records.prefix(1_000))
        self.assumed = assumed
        chooseSides(records)
        guard columns.exporter == nil else { return }
        currencies = names.indices.filter(isOfCurrencies)
        amounts = names.indices.filter(isOfAmounts)
        chooseAmount()
        chooseCurrency()
    }

    // MARK: An amount, or a debit and a credit

    /// Where the header has all three, those that the rows fill; signs go before sides.
    private mutating func chooseSides(_ records: [CSVRecord]) {
        guard columns.has(.amount), columns.has(.debit), columns.has(.credit) else { return }
        var (amounts, sides, isSigned) = (0, 0, false)
        for record in records {
            let amount = columns.field(.amount, of: record)
            if CSVMoneyColumns.hasDigit(amount) {
                amounts += 1
                isSigned = isSigned || WrittenAmount(amount)?.isSigned == true
            }
            let pair = [CSVColumns.Role.debit, .credit].map { columns.field($0, of: record) }
            if pair.contains(where: CSVMoneyColumns.hasDigit) { sides += 1 }
        }
        let areSides = sides > 0 && (amounts == 0 || (!isSigned && sides >= amounts))
        for role in areSides ? [CSVColumns.Role.amount] : [.debit, .credit] {
            columns.set(role, nil)
        }
        if areSides { columns.set(.direction, nil) }
    }

    private static func hasDigit(_ text: String) -> Bool {
        ForeignDigits.ascii(text).utf8.contains(where: isDigit)
    }

    // MARK: Which amount

    private mutating func chooseAmount() {
        guard let chosen = columns.indexes[.amount], isOwn(chosen) == false else { return }
        // Of amounts that are called after their currencies each row has one.
        let isShared = names[chosen].plain.isEmpty
        let own = amounts.first { index in
            index != chosen && isOwn(index) == true && (isShared || isFilled(index))
        }
        guard let own else { return }
        columns.setAmount(own, names[own].currencies)
        columns.set(.currency, currency(of: own))
    }

    /// Whether a column of amounts is in the account's currency; nil where nothing tells.
    private func isOwn(_ index: Int) -> Bool? {
        let told = names[index].currencies
        if !told.isEmpty { return told.contains(assumed) }
        guard let column = currency(of: index) else { return nil }
        let cells = cells(of: column).compactMap(CSVStyle.codeOrNone)
        return cells.isEmpty ? nil : cells.allSatisfy { CSVStyle.isCode($0, of: assumed) }
    }

    private func isFilled(_ index: Int) -> Bool {
        cells(of: index).allSatisfy(CSVMoneyColumns.hasDigit)
    }

    private func isOfAmounts(_ index: Int) -> Bool {
        let name = names[index]
        if index == columns.indexes[.amount] { return true }
        guard !columns.indexes.values.contains(index),
            CSVNames.shipped.isAmount(name.plain)
                || (name.plain.isEmpty && !name.currencies.isEmpty)
        else { return false }
        let filled = cells(of: index).filter(CSVMoneyColumns.hasDigit)
        return !filled.isEmpty && filled.allSatisfy { WrittenAmount($0) != nil }
    }

    // MARK: Which currency

    private mutating func chooseCurrency() {
        let places = [CSVColumns.Role.amount, .debit, .credit].compactMap { columns.indexes[$0] }
        guard let anchor = places.max() else { return }
        if let beside = currency(of: anchor) {
            columns.set(.currency, beside)
        } else if !names[anchor].currencies.isEmpty {
            // The name says it: a column elsewhere is of another amount.
            columns.set(.currency, nil)
        } else if let named = columns.indexes[.currency] {
            if isOfOthers(named) { columns.set(.currency, nil) }
        } else {
            columns.set(.currency, currencies.first { isFree($0) && !isOfOthers($0) })
        }
    }

    /// The column of currencies right of an amount, else the one left of it, unless that is
    /// another amount's.
    private func currency(of amount: Int) -> Int? {
        if currencies.contains(amount + 1) { return amount + 1 }
        return currencies.contains(amount - 1) && !amounts.contains(amount - 2) ? amount - 1 : nil
    }

    /// Whether a column of currencies stands beside an amount that is not read.
    private func isOfOthers(_ index: Int) -> Bool {
        let own = columns.indexes[.amount]
        if index - 1 == own { return false }
        return amounts.contains { $0 != own && ($0 == index - 1 || $0 == index + 1) }
            || CSVNames.shipped.isForeign(names[index].plain)
    }

    private func isFree(_ index: Int) -> Bool {
        let isTaken = columns.indexes.contains { $0.key != .currency && $0.value == index }
        return !isTaken && cells(of: index).allSatisfy { CSVStyle.codeOrNone($0) != nil }
    }

    /// Whether all cells are codes or signs that can be nothing else.
    private func isOfCurrencies(_ index: Int) -> Bool {
        if index == columns.indexes[.currency] { return true }
        guard !columns.indexes.values.contains(index) else { return false }
        var isFilled = false
        for cell in cells(of: index) {
            guard let code = CSVStyle.codeOrNone(cell) else { continue }
            let isSign = CurrencySigns.codes(of: code) != nil && CurrencySigns.isPlain(code)
            guard isSign || (Currency(code) != nil && cell.utf8.contains(where: isCapital))
            else { return false }
            isFilled = true
        }
        return isFilled
    }

    private func cells(of index: Int) -> [String] {
        sample.map { index < $0.fields.count ? $0.fields[index] : "" }
    }
}
