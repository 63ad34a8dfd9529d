/// The balances before and after rows that each tell the balance after them.
struct CSVBalances: Hashable {
    let opening: Int64
    let closing: Int64
    /// Whether the newest row comes first; nil if the balances tie both ways or tell nothing.
    let isNewestFirst: Bool?

    /// The balances; nil unless each row ties with the next, the oldest or the newest first.
    init?(_ amounts: [Int64], _ balances: [Int64]) {
        let pairs = Array(zip(amounts, balances))
        let (oldest, newest) = (Self.chain(pairs), Self.chain(pairs.reversed()))
        guard let chain = oldest ?? newest else { return nil }
        opening = chain.opening
        closing = chain.closing
        isNewestFirst = oldest != nil && newest != nil ? nil : newest != nil
    }

    /// Balances that the file tells outside its rows.
    init(opening: Int64, closing: Int64) {
        self.opening = opening
        self.closing = closing
        isNewestFirst = nil
    }

    private static func chain(_ rows: [(amount: Int64, balance: Int64)]) -> CSVBalances? {
        guard let first = rows.first, let last = rows.last else { return nil }
        let (opening, isOver) = first.balance.subtractingReportingOverflow(first.amount)
        guard !isOver else { return nil }
        var balance = opening
        for row in rows {
            let (sum, isOver) = balance.addingReportingOverflow(row.amount)
            guard !isOver, sum == row.balance else { return nil }
            balance = sum
        }
        return CSVBalances(opening: opening, closing: last.balance)
    }
}
