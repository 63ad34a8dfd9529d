import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Transactions that a filter leaves, page by page.
struct ListTransactions: Handler {
    static let endpoint = Transactions.list
    let database: Database
    let people: People
    let rates: RateStore
    let blocking: BlockingPool

    func handle(
        _ request: Request<TransactionQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransactionPage> {
        let user = caller.user.id
        let person = try await people.person(user)
        let query = request.query
        let place = try TransactionPlace.of(
            query.cursor,
            in: query.sort,
            isGrouped: query.groupBy != nil
        )
        guard
            let filter = try await TransactionFilterReader(database: database, user: user)
                .filter(query)
        else {
            return .ok(TransactionPage(items: [], nextCursor: nil))
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
        return .ok(
            TransactionPage(
                items: page,
                nextCursor: found.next.map { Cursor($0) },
                groups: found.groups,
                unconverted: unconverted
            )
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

/// Makes a filter of a query.
struct TransactionFilterReader {
    let database: Database
    let user: ID<User>

    /// Nil where nothing can meet it.
    /// - Throws: 422 where amounts of several currencies would be compared.
    func filter(_ query: TransactionQuery) async throws -> TransactionFilter? {
        var filter = TransactionFilter(user: user)
        (filter.from, filter.to, filter.folder) = (query.from, query.to, query.folderID)
        (filter.direction, filter.near) = (query.direction, query.near)
        filter.categories = Self.unique(query.categoryIDs)
        filter.accounts = Self.unique(query.accountIDs)
        filter.tags = Self.unique(
            query.tags.map { TextFolding.caseFolded(composed(TransactionTags.trimmed($0))) }
        )
        let sortsByAmount = query.sort == .largestFirst || query.sort == .smallestFirst
        let comparesAmounts = query.minAmount != nil || query.maxAmount != nil
        for (name, bound) in [("minAmount", query.minAmount), ("maxAmount", query.maxAmount)] {
            guard let bound, bound.coefficient < 0 else { continue }
            throw APIError.query(name, .negative, "must not be below zero")
        }
        let isFolder = query.folderID != nil
        if let folder = query.folderID {
            filter.people = try await database.query(FolderStatements.readers, user, folder)
            if filter.people.isEmpty { return nil }
            filter.folderCategories = try await database.query(
                FolderStatements.categories,
                folder
            )
        } else {
            filter.people = try await database.query(TransactionStatements.met, user)
            if filter.isShared { filter.people.append(user) }
        }
        if sortsByAmount || comparesAmounts || query.direction != nil || !filter.accounts.isEmpty
            || filter.isShared
        {
            var accounts =
                isFolder
                ? try await database.query(FolderStatements.accounts, filter.people)
                : try await database.query(TransactionStatements.accounts, user)
            filter.ownAccounts = accounts.map(\.id)
            if filter.accounts.isEmpty {
                if filter.isShared {
                    // Without accounts a list would walk all that was ever recorded.
                    if accounts.isEmpty { return nil }
                    filter.accounts = filter.ownAccounts
                }
            } else {
                // Walks over an account ask for no owner: it is found out here.
                accounts.removeAll { !filter.accounts.contains($0.id) }
                filter.accounts = accounts.map(\.id)
                if accounts.isEmpty { return nil }
            }
            if sortsByAmount || comparesAmounts {
                // Of others nothing is told but what is in the folder.
                let currencies =
                    isFolder
                    ? Set(
                        try await database.query(TransactionListStatements.currencies(filter))
                    ) : Set(accounts.map(\.currency))
                guard currencies.count <= 1 else {
                    throw APIError(
                        .currencyMismatch,
                        "amounts of several currencies have no order"
                    )
                }
                guard let currency = currencies.first else { return nil }
                filter.least = try query.minAmount.map { decimal in
                    try Self.magnitude(decimal, in: currency, "minAmount")
                }
                filter.most = try query.maxAmount.map { decimal in
                    try Self.magnitude(decimal, in: currency, "maxAmount")
                }
            }
        }
        if let words = query.words {
            guard
                let search = try await SearchQuery(words).search(
                    of: filter.people.isEmpty ? [user] : filter.people,
                    in: database
                )
            else {
                return nil
            }
            filter.search = search
        }
        return filter
    }

    private static func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
        var seen: Set<Value> = []
        return values.filter { seen.insert($0).inserted }
    }

    private static func magnitude(
        _ decimal: ExactDecimal,
        in currency: Currency,
        _ name: String
    ) throws(APIError) -> Int64 {
        guard let money = decimal.money(in: currency), !money.isNegative else {
            throw .query(name, .invalidValue, "is no magnitude in \(currency.code)")
        }
        return money.minorUnits
    }
}

/// One transaction.
struct GetTransaction: Handler {
    static let endpoint = Transactions.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransactionView> {
        let id = try request.path.id(of: MoneyTransaction.self)
        guard
            let found = try await database.queryOne(
                TransactionStatements.find(id, for: caller.user.id)
            )
        else { throw APIError.notFound }
        return .ok(found.row.view(for: caller.user.id)).tagged(String(found.row.version))
    }
}
