import ServiceKit
import WalletProtocol

/// Puts together how somebody stands, from what they would read themselves.
struct OverviewReader {
    let people: People
    let accounts: AccountStore
    let categories: CategoryStore
    let budgets: BudgetStore
    let transactions: TransactionList

    func read(_ user: ID<User>) async throws -> Overview {
        let today = people.today(for: try await people.person(user))
        let from = today.adding(months: -1)?.adding(days: 1) ?? today
        let most = Overview.thingsMax
        let sums =
            try await transactions.page(
                TransactionQuery(from: from, to: today, groupBy: .month, limit: 1),
                for: user
            ).groups ?? []
        return Overview(
            from: from,
            to: today,
            income: try Self.byCurrency(sums.map(\.incoming)),
            expenses: try Self.byCurrency(sums.map(\.outgoing)),
            accounts: try await accounts.list(AccountQuery(limit: most), of: user).items,
            categories: try await categories.list(FullPageQuery(limit: most), of: user).items,
            budgets: try await budgets.page(BudgetQuery(limit: most), of: user).items,
            transactions: try await transactions.page(
                TransactionQuery(limit: Overview.transactionsMax),
                for: user
            ).items
        )
    }

    /// The sums of two calendar months as one a currency.
    private static func byCurrency(_ sums: [Total]) throws(MoneyError) -> [Total] {
        var totals: [Total] = []
        for (currency, parts) in Dictionary(grouping: sums, by: \.currency) {
            let total = try Total.sum(parts, in: currency)
            if total.minorUnits != 0 { totals.append(total) }
        }
        return totals.sorted { $0.currency < $1.currency }
    }
}
