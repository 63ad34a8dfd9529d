import ServiceKit
import WalletProtocol

/// Puts together how somebody stands, from what they would read themselves of their own accounts:
/// what others share with them is not shown on.
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
        let own = try await accounts.list(AccountQuery(limit: most), of: user).items
            .filter { $0.role == .owner }
        let sums = try await page(of: own, for: user) {
            TransactionQuery(from: from, to: today, accountIDs: $0, groupBy: .month, limit: 1)
        }
        let newest = try await page(of: own, for: user) {
            TransactionQuery(accountIDs: $0, limit: Overview.transactionsMax)
        }
        return Overview(
            from: from,
            to: today,
            income: try Self.byCurrency(sums?.groups?.map(\.incoming) ?? []),
            expenses: try Self.byCurrency(sums?.groups?.map(\.outgoing) ?? []),
            accounts: own,
            categories: try await categories.list(FullPageQuery(limit: most), of: user).items,
            budgets: try await budgets.page(BudgetQuery(limit: most), of: user).items,
            transactions: newest?.items ?? []
        )
    }

    /// A list of some accounts; none of none, which would be one of all.
    private func page(
        of accounts: [AccountView],
        for user: ID<User>,
        _ query: ([ID<Account>]) -> TransactionQuery
    ) async throws -> TransactionPage? {
        guard !accounts.isEmpty else { return nil }
        return try await transactions.page(query(accounts.map(\.id)), for: user)
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
