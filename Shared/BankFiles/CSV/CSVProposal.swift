import WalletProtocol

/// A mapping for a table whose columns have no known names, as its cells suggest it.
///
/// One column parses as days in all rows. One parses as signed amounts, or each row fills one of
/// two. Running balances prove which is which. The mapping has to be confirmed: no row is read by
/// it.
struct CSVProposal {
    let mapping: CSVMapping

    /// - Parameter records: the first records of the table.
    init?(_ records: [CSVRecord], delimiter: UInt8) {
        let isDay = { (text: String) -> Bool in
            StatementDates.csv(text, order: .dayFirst) != nil
                || StatementDates.csv(text, order: .monthFirst) != nil
        }
        let wide = records.filter { $0.fields.count > 1 && !$0.isBlank }
        guard let begin = wide.firstIndex(where: { $0.fields.contains(where: isDay) }) else {
            return nil
        }
        let width = wide[begin].fields.count
        let rows = wide[begin...].filter { $0.fields.count == width }
        let cells = { (index: Int) -> [String] in rows.map { $0.fields[index] } }
        let date = (0..<width).first { index in cells(index).allSatisfy(isDay) }
        guard let date else { return nil }
        let numbers = (0..<width).filter { index in
            index != date && CSVProposal.areAmounts(cells(index))
        }
        guard let money = CSVProposal.money(of: rows, numbers) else { return nil }
        let places: [Int?] = [date, money.amount, money.debit, money.credit, money.balance]
        let taken = Set(places.compactMap { $0 })
        let words = (0..<width).filter { !taken.contains($0) && !numbers.contains($0) }
        let codes = words.first { index in
            cells(index).allSatisfy { cell in
                CSVStyle.codeOrNone(cell).flatMap { Currency($0) } != nil
            }
        }
        let widths = words.map { index -> Int in
            let isText = index != codes && !cells(index).allSatisfy(isDay)
            return isText ? CSVProposal.letters(cells(index)) : 0
        }
        let widest = widths.indices.filter { widths[$0] > 0 }.sorted { left, right in
            widths[left] == widths[right] ? left < right : widths[left] > widths[right]
        }
        let names = widest.map { words[$0] }
        let separator = Unicode.Scalar(delimiter)
        mapping = CSVMapping(
            date: .first(date + 1),
            amount: CSVProposal.column(money.amount),
            debit: CSVProposal.column(money.debit),
            credit: CSVProposal.column(money.credit),
            name: CSVProposal.column(names.first),
            description: CSVProposal.column(names.dropFirst().first),
            currency: CSVProposal.column(codes),
            balance: CSVProposal.column(money.balance),
            delimiter: CSVDelimiter(rawValue: String(Character(separator))),
            headerRows: begin == 0 ? max(0, wide[0].line - 1) : wide[begin].line - 1
        )
    }

    private static func column(_ index: Int?) -> CSVColumn? {
        index.map { CSVColumn.first($0 + 1) }
    }

    private struct Columns {
        var amount: Int?
        var debit: Int?
        var credit: Int?
        var balance: Int?
    }

    private static func money(of rows: [CSVRecord], _ numbers: [Int]) -> Columns? {
        let values: [[Int64?]] = numbers.map { parsed(rows, $0) }
        // An amount is what moved the balance.
        for (place, amounts) in values.enumerated() {
            for (other, balances) in values.enumerated() where other != place && rows.count > 1 {
                let (amounts, balances) = (amounts.compactMap(\.self), balances.compactMap(\.self))
                guard amounts.count == rows.count, balances.count == rows.count,
                    CSVBalances(amounts, balances) != nil
                else { continue }
                return Columns(amount: numbers[place], balance: numbers[other])
            }
        }
        let whole = values.indices.filter { place in values[place].allSatisfy { $0 != nil } }
        if let signed = whole.first(where: { values[$0].contains { $0 ?? 0 < 0 } }) {
            return Columns(amount: numbers[signed])
        }
        for first in values.indices {
            for second in values.indices.dropFirst(first + 1) {
                let isSplit = zip(values[first], values[second]).allSatisfy {
                    ($0 ?? 0 == 0) != ($1 ?? 0 == 0)
                }
                if isSplit, rows.count > 1 {
                    return Columns(debit: numbers[first], credit: numbers[second])
                }
            }
        }
        // Amounts have fractions; numbers of cheques and accounts have none.
        let marked = whole.first { index in
            rows.contains { $0.fields[numbers[index]].utf8.contains { $0 == 0x2C || $0 == 0x2E } }
        }
        return (marked ?? whole.first).map { Columns(amount: numbers[$0]) }
    }

    private static func parsed(_ rows: [CSVRecord], _ column: Int) -> [Int64?] {
        let written = rows.map { WrittenAmount($0.fields[column]) }
        var votes = DecimalVotes()
        for amount in written.compactMap(\.self) { votes.add(amount) }
        let decimal = votes.decided ?? votes.guess(.eur)
        return written.map { amount in
            // Nobody knows the currency yet: what matters is how sums tie.
            amount.flatMap { try? $0.minorUnits(decimal: decimal, in: $0.currency ?? .eur) }
        }
    }

    /// Whether all that is there are amounts, and not the long numbers of accounts.
    private static func areAmounts(_ cells: [String]) -> Bool {
        let filled = cells.filter { !$0.utf8.allSatisfy { $0 <= 0x20 } }
        guard !filled.isEmpty else { return false }
        return filled.allSatisfy { text in
            WrittenAmount(text) != nil
                && (text.utf8.count < 9 || text.utf8.contains { $0 == 0x2C || $0 == 0x2E })
        }
    }

    private static func letters(_ cells: [String]) -> Int {
        cells.reduce(0) { sum, text in
            let bytes = text.utf8.prefix(200)
            let letters = bytes.count { isLetter($0) || $0 >= 0x80 }
            return letters * 2 > bytes.count ? sum + letters : sum
        }
    }
}
