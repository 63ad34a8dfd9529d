import WalletProtocol

/// An account's balances at the ends of some periods in a row, and before the first of them.
struct BalanceSeries: Sendable {
    let account: ReportAccount
    let opening: Int128
    let balances: [Int128]

    /// Whether it held something at any of these ends.
    var isEmpty: Bool { opening == 0 && balances.allSatisfy { $0 == 0 } }

    /// Walks back from what the account holds now: what is booked on later days had not come yet.
    ///
    /// - Parameter movements: by period, of which the one behind the last has all that is later.
    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    init(
        of account: ReportAccount,
        holding balance: Int128,
        _ movements: [Int: Int128],
        periods: Int
    ) throws(MoneyError) {
        self.account = account
        var balances = [Int128](repeating: 0, count: periods + 1)
        var later = balance
        for period in stride(from: periods + 1, through: 1, by: -1) {
            let (before, overflow) = later.subtractingReportingOverflow(movements[period] ?? 0)
            guard !overflow else { throw .overflow }
            later = before
            balances[period - 1] = before
        }
        opening = balances[0]
        self.balances = Array(balances.dropFirst())
    }

    /// One of each account.
    /// - Parameter rows: as they were read, an account's in any order.
    static func of(
        _ accounts: [ReportAccount],
        _ rows: [AccountMovements],
        periods: Int
    ) throws(MoneyError) -> [BalanceSeries] {
        var held: [ID<Account>: Int128] = [:]
        var movements: [ID<Account>: [Int: Int128]] = [:]
        for row in rows {
            held[row.account] = row.balance
            if let period = row.period { movements[row.account, default: [:]][period] = row.amount }
        }
        var series: [BalanceSeries] = []
        for account in accounts {
            series.append(
                try BalanceSeries(
                    of: account,
                    holding: held[account.id] ?? 0,
                    movements[account.id] ?? [:],
                    periods: periods
                )
            )
        }
        return series
    }
}
