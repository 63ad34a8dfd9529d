/// Columns whose cells contradict their names: the same number or text in every row tells nothing
/// about the row.
struct CSVAlikeColumns {
    private(set) var columns: CSVColumns
    private let names: [String]
    private let sample: [CSVRecord]

    init(_ header: CSVHeader, _ records: [CSVRecord]) {
        columns = header.columns
        names = header.names.map(CSVColumns.plain)
        sample = Array(records.prefix(1_000))
        guard sample.count > 1 else { return }
        chooseAccount()
        chooseName()
        chooseText()
    }

    /// One's own account stands in every row; the other side's does not.
    private mutating func chooseAccount() {
        guard columns.exporter == nil, !columns.has(.account),
            let index = columns.indexes[.counterparty], isAlike(index),
            CSVNames.shipped.rank(of: names[index], .account) != nil
                || names[index].hasPrefix("kontonummer") || names[index] == "iban"
        else { return }
        columns.set(.counterparty, nil)
        columns.set(.account, index)
    }

    /// A name that is an account's number is the counterparty's, where another column has names.
    private mutating func chooseName() {
        guard columns.exporter == nil, let index = columns.indexes[.name], areNumbers(index) else {
            return
        }
        let free = freeColumns.filter { !areNumbers($0) }
        let ranked = free.compactMap { column in
            CSVNames.shipped.rank(of: names[column], .name).map { ($0, column) }
        }
        guard let other = ranked.min(by: { $0 < $1 })?.1 else { return }
        columns.set(.name, other)
        if !columns.has(.counterparty) { columns.set(.counterparty, index) }
    }

    /// Of two texts the one that differs: the other is the product.
    private mutating func chooseText() {
        let alike = columns.descriptions.filter(isAlike)
        if alike.count < columns.descriptions.count {
            columns.dropDescriptions(where: alike.contains)
        }
        guard let index = columns.indexes[.description], columns.descriptions.count == 1,
            !columns.has(.name), !columns.has(.payee), isAlike(index)
        else { return }
        let other = freeColumns.first { column in
            let isText =
                CSVNames.shipped.rank(of: names[column], .description) != nil
                || CSVNames.shipped.isLoosely(names[column], .description)
            return isText && !isAlike(column)
        }
        if let other { columns.set(.description, other) }
    }

    private var freeColumns: [Int] {
        let taken = Set(columns.indexes.values).union(columns.descriptions)
        return names.indices.filter { !taken.contains($0) }
    }

    private func cell(_ index: Int, _ record: CSVRecord) -> String {
        index < record.fields.count ? record.fields[index] : ""
    }

    /// Whether all rows have the same there, and something.
    private func isAlike(_ index: Int) -> Bool {
        let first = cell(index, sample[0])
        return !first.isEmpty && sample.allSatisfy { cell(index, $0) == first }
    }

    /// Whether all that is there are numbers of accounts.
    private func areNumbers(_ index: Int) -> Bool {
        let filled = sample.map { cell(index, $0) }.filter { !$0.isEmpty }
        return !filled.isEmpty
            && filled.allSatisfy { text in
                text.utf8.count(where: isDigit) * 2 > text.utf8.count
            }
    }
}
