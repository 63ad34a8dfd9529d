import Postgres
import ServiceKit
import WalletProtocol

/// Transactions that a filter leaves, page by page.
struct ListTransactions: Handler {
    static let endpoint = Transactions.list
    let database: Database
    let people: People

    func handle(
        _ request: Request<TransactionQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<TransactionView>> {
        let user = caller.user.id
        _ = try await people.person(user)
        let query = request.query
        var builder = StatementBuilder(TransactionStatements.select, user)
        filter(query, &builder)
        try await filterByAmount(query, of: user, &builder)
        let place = try query.cursor?.decode(TransactionPlace.self)
        if let place, place.order != query.sort {
            throw APIError.query("cursor", .invalidCursor, "is a cursor of another order")
        }
        switch query.sort {
        case .newestFirst:
            if let place { builder.append(" and (t.day, t.id) < ($1, $2)", place.day, place.id) }
            builder.append(" order by t.day desc, t.id desc")
        case .oldestFirst:
            if let place { builder.append(" and (t.day, t.id) > ($1, $2)", place.day, place.id) }
            builder.append(" order by t.day, t.id")
        case .largestFirst:
            if let place {
                builder.append(" and (t.amount, t.id) < ($1, $2)", place.amount, place.id)
            }
            builder.append(" order by t.amount desc, t.id desc")
        case .smallestFirst:
            if let place {
                builder.append(" and (t.amount, t.id) > ($1, $2)", place.amount, place.id)
            }
            builder.append(" order by t.amount, t.id")
        }
        builder.append(" limit $1", query.limit + 1)
        let rows = try await database.query(
            builder.statement { row in try TransactionStatements.row(row) }
        )
        let shown = rows.prefix(query.limit)
        let next =
            rows.count > query.limit
            ? shown.last.map { Cursor(TransactionPlace($0, in: query.sort)) } : nil
        return .ok(Page(items: shown.map(\.view), nextCursor: next))
    }

    private func filter(_ query: TransactionQuery, _ builder: inout StatementBuilder) {
        if let from = query.from { builder.append(" and t.day >= $1", from) }
        if let to = query.to { builder.append(" and t.day <= $1", to) }
        // Equality to one keeps an index's order, which a list of several does not.
        switch query.accountIDs.count {
        case 0: break
        case 1: builder.append(" and t.account_id = $1", query.accountIDs[0])
        default: builder.append(" and t.account_id = any ($1)", query.accountIDs)
        }
        switch query.categoryIDs.count {
        case 0: break
        case 1: builder.append(" and t.category_id = $1", query.categoryIDs[0])
        default: builder.append(" and t.category_id = any ($1)", query.categoryIDs)
        }
        switch query.direction {
        case .incoming: builder.append(" and t.amount >= 0")
        case .outgoing: builder.append(" and t.amount < 0")
        case nil: break
        }
        for word in (query.words ?? "").split(whereSeparator: \.isWhitespace) {
            builder.append(
                """
                 and strpos(
                    lower(coalesce(t.name, '') || ' ' || coalesce(t.description, '')), lower($1)
                ) > 0
                """,
                composed(String(word))
            )
        }
    }

    /// Amounts of different currencies have no order.
    private func filterByAmount(
        _ query: TransactionQuery,
        of user: ID<User>,
        _ builder: inout StatementBuilder
    ) async throws {
        let sortsByAmount = query.sort == .largestFirst || query.sort == .smallestFirst
        guard sortsByAmount || query.minAmount != nil || query.maxAmount != nil else { return }
        let currencies =
            query.accountIDs.isEmpty
            ? try await database.query(TransactionStatements.currencies, user)
            : try await database.query(
                TransactionStatements.currenciesOf,
                user,
                query.accountIDs
            )
        guard currencies.count <= 1 else {
            throw APIError(.currencyMismatch, "amounts of several currencies have no order")
        }
        guard let currency = currencies.first else { return }
        if let least = query.minAmount {
            builder.append(
                " and abs(t.amount) >= $1",
                try magnitude(least, in: currency, "minAmount")
            )
        }
        if let most = query.maxAmount {
            builder.append(
                " and abs(t.amount) <= $1",
                try magnitude(most, in: currency, "maxAmount")
            )
        }
    }

    private func magnitude(
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

/// Where a page of transactions ends.
struct TransactionPlace: JSONObject, Hashable {
    let order: TransactionOrder
    let day: Day
    let amount: Int64
    let id: ID<MoneyTransaction>

    init(order: TransactionOrder, day: Day, amount: Int64, id: ID<MoneyTransaction>) {
        self.order = order
        self.day = day
        self.amount = amount
        self.id = id
    }

    init(_ row: TransactionRow, in order: TransactionOrder) {
        self.init(order: order, day: row.day, amount: row.amount, id: row.id)
    }

    static let json = Object(
        TransactionPlace.init(order:day:amount:id:),
        Field("o", \.order),
        Field("d", \.day),
        Field("a", \.amount),
        Field("i", \.id)
    )
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
            let row = try await database.queryOne(TransactionStatements.find, caller.user.id, id)
        else { throw APIError.notFound }
        return .ok(row.view).tagged(String(row.version))
    }
}
