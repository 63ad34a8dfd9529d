import WalletProtocol

/// What accounts hold at the end of today, and will at the month's.
struct AccountOutlook {
    let accounts: [ForecastBalance]
    let together: BalanceOutlook

    /// - Parameter history: nil where there is no other currency.
    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    init(
        of books: ForecastBooks,
        _ history: RateHistory?,
        _ rates: inout ReportRates
    ) throws(MoneyError) {
        var changes: [ID<Account>: Int128] = [:]
        for one in books.upcoming {
            let count = Int128(one.item.dates.count)
            if let arrives = one.arrives {
                let debit = -one.item.amount.minorUnits
                // Without a rate a day is skipped, and moves neither.
                guard
                    let credit = Self.credit(
                        debit,
                        one.currency,
                        arrives.currency,
                        on: books.today,
                        history
                    )
                else { continue }
                changes[arrives.account, default: 0] += Int128(credit) * count
            }
            changes[one.item.accountID, default: 0] += Int128(one.item.amount.minorUnits) * count
        }
        var accounts: [ForecastBalance] = []
        var (now, then) = (ReportSum(books.currency), ReportSum(books.currency))
        var held: [Currency: (now: Int128, then: Int128)] = [:]
        for series in books.balances {
            let (account, currency) = (series.account, series.account.currency)
            let end = (series.balances.last ?? series.opening) + (changes[account.id] ?? 0)
            held[currency, default: (0, 0)].now += series.opening
            held[currency, default: (0, 0)].then += end
            accounts.append(
                ForecastBalance(
                    accountID: account.id,
                    name: account.name,
                    today: Total(minorUnits: series.opening, currency),
                    expected: Total(minorUnits: end, currency)
                )
            )
        }
        for (currency, sums) in held {
            try now.add(sums.now, currency, on: books.today, &rates)
            try then.add(sums.then, currency, on: books.today, &rates)
        }
        self.accounts = accounts
        together = BalanceOutlook(
            today: now.sum,
            expected: then.sum,
            unconverted: then.unconverted
        )
    }

    /// What arrives of a debit, as a quote of its own would price it.
    private static func credit(
        _ debit: Int64,
        _ source: Currency,
        _ target: Currency,
        on day: Day,
        _ history: RateHistory?
    ) -> Int64? {
        if source == target { return debit }
        let credit = try? history?.rate(from: source, to: target, on: day)?.credit(for: debit)
        // What comes to nothing is skipped, too.
        return credit.flatMap { $0 > 0 ? $0 : nil }
    }
}
