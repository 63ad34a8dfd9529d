import Postgres
import ServiceKit
import WalletProtocol

/// Lists a group's expenses, with what the caller wants to be told beside them.
struct ExpenseList {
    let database: Database
    let rates: RateLedger

    func page(
        _ query: ExpenseQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> ExpensePage {
        let membership = try await Membership.find(user, in: group, database)
        let filter = try await ExpenseFilter.read(query, of: membership, database)
        let rows = try await database.query(ExpenseStatements.list(query, by: filter))
        let shown = PageSize.first(of: rows, limit: query.limit) { $0.length }
        let next = shown.count < rows.count ? shown.last?.expense : nil
        let views = try await ExpenseStore.views(shown.map(\.expense), of: group, database)
        var items = try await LedgerLinkStore.shown(on: views, to: membership, database)
        var groups: [ExpenseGroup]?
        if let grouping = query.groupBy {
            for index in items.indices { items[index].group = items[index].key(in: grouping) }
            let shown = query.cursor == nil ? filter : filter.narrowed(to: items, by: grouping)
            groups = []
            if let shown {
                let sums = ExpenseStatements.sums(query, by: grouping, of: shown)
                groups = try await database.query(sums)
            }
        }
        if query.expand.category { try await addCategories(&items, of: group) }
        var unconverted: Int?
        if query.expand.converted {
            unconverted = await convert(&items, to: membership.group.currency)
        }
        return ExpensePage(
            items: items,
            nextCursor: next.map { Cursor(ExpensePlace($0)) },
            groups: groups,
            unconverted: unconverted
        )
    }

    private func addCategories(_ items: inout [ExpenseView], of group: ID<Group>) async throws {
        guard !items.isEmpty else { return }
        var views: [ID<GroupCategory>: GroupCategoryView] = [:]
        for row in try await database.query(GroupCategoryStatements.list, group) {
            views[row.id] = row.view
        }
        for index in items.indices { items[index].category = views[items[index].categoryID] }
    }

    /// Asks for rates only where there is another currency; a ledger that is away leaves them out.
    /// - Returns: how many have none.
    private func convert(_ items: inout [ExpenseView], to currency: Currency) async -> Int {
        let foreign = items.indices.filter { items[$0].amount.currency != currency }
        for index in items.indices where items[index].amount.currency == currency {
            items[index].converted = ConvertedAmount(amount: Total(items[index].amount), rate: nil)
        }
        guard !foreign.isEmpty else { return 0 }
        let amounts = foreign.map { Total(items[$0].amount) }
        let days = foreign.map { items[$0].date }
        let shown = (try? await rates.convert(amounts, days, currency)) ?? []
        var missing = foreign.count
        for (index, converted) in zip(foreign, shown) {
            guard let converted else { continue }
            items[index].converted = converted
            missing -= 1
        }
        return missing
    }
}

extension ExpenseOrder {
    /// By what rows are put in order before this order is; nil where this order does it.
    func groups(by grouping: TransactionGrouping?) -> TransactionGrouping? {
        grouping == .category || isByAmount ? grouping : nil
    }
}

extension ExpenseView {
    /// The group that it stands under.
    fileprivate func key(in grouping: TransactionGrouping) -> String {
        switch grouping {
        case .category: categoryID.text
        case .day: date.text
        case .month: date.month.text
        }
    }
}
