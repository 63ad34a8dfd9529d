import WalletProtocol

/// What came in and what went out, of all that has a rate.
struct ReportFlow: Equatable {
    private(set) var income: Int128 = 0
    private(set) var expenses: Int128 = 0

    init(_ rows: some Sequence<ReportRow>) {
        for row in rows where row.missing == nil { add(row) }
    }

    mutating func add(_ row: ReportRow) {
        if row.isIncome { income += row.amount } else { expenses -= row.amount }
    }

    /// What moved, whichever way.
    var both: Int128 { income + expenses }

    func net(in currency: Currency) throws(MoneyError) -> Total {
        try Total(minorUnits: income, currency)
            .subtracting(Total(minorUnits: expenses, currency))
    }
}

extension [ReportRow] {
    /// What has no rate: income less expenses, one a currency.
    var unconverted: [Total] {
        var sums: [Currency: Int128] = [:]
        for row in self {
            if let currency = row.missing { sums[currency, default: 0] += row.amount }
        }
        return sums.sorted { $0.key < $1.key }.map { Total(minorUnits: $0.value, $0.key) }
    }
}
