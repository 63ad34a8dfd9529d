import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Lists transactions, with what the caller wants to be told beside them.
struct TransactionList {
    let database: Database
    let people: People
    let rates: RateStore
    let blocking: BlockingPool

    /// A page of those that a filter leaves, or of groups of them.
    func page(_ query: TransactionQuery, for user: ID<User>) async throws -> TransactionPage {
        let person = try await people.person(user)
        let place = try TransactionPlace.of(
            query.cursor,
            in: query.sort,
            isGrouped: query.groupBy != nil
        )
        let reader = TransactionFilterReader(database: database, user: user)
        guard let filter = try await reader.filter(query) else {
            return TransactionPage(items: [], nextCursor: nil)
        }
        let finder = TransactionFinder(database: database, filter: filter, sort: query.sort)
        let found: TransactionFinder.Found
        if let grouping = query.groupBy {
            found = try await finder.groupedPage(by: grouping, behind: place, query.limit)
        } else {
            found = try await finder.page(behind: place, query.limit)
        }
        var page = found.rows.map { row, group in
            var view = row.view(for: user, in: filter.folder)
            view.group = group
            return view
        }
        var unconverted: Int?
        if query.expand.converted {
            unconverted = try await convert(&page, to: person.currency)
        }
        if query.expand.category { try await addCategories(&page) }
        return TransactionPage(
            items: page,
            nextCursor: found.next.map { Cursor($0) },
            groups: found.groups,
            unconverted: unconverted
        )
    }

    /// - Returns: how many have no rate.
    private func convert(_ page: inout [TransactionView], to currency: Currency) async throws -> Int
    {
        guard page.contains(where: { $0.amount.currency != currency }) else {
            for index in page.indices {
                page[index].converted = ConvertedAmount(
                    amount: Total(page[index].amount),
                    rate: nil
                )
            }
            return 0
        }
        let history = try await rates.history(on: blocking)
        var missing = 0
        for index in page.indices {
            let (amount, day) = (page[index].amount, page[index].date)
            if amount.currency == currency {
                page[index].converted = ConvertedAmount(amount: Total(amount), rate: nil)
            } else if let rate = history.rate(from: amount.currency, to: currency, on: day),
                let shown = try? rate.shown(Int128(amount.minorUnits))
            {
                page[index].converted = ConvertedAmount(
                    amount: Total(minorUnits: shown, currency),
                    rate: rate.view
                )
            } else {
                missing += 1
            }
        }
        return missing
    }

    private func addCategories(_ page: inout [TransactionView]) async throws {
        guard !page.isEmpty else { return }
        var views: [CategoryID: CategoryView] = [:]
        let wanted = Array(Set(page.map(\.categoryID)))
        // Of the rows that are seen, in whosever books they are.
        for row in try await database.query(CategoryStatements.ofRows, wanted) {
            views[row.id] = row.view
        }
        for index in page.indices { page[index].category = views[page[index].categoryID] }
    }
}
