import Postgres
import ServiceKit
import WalletProtocol

/// Where a page of debts begins: behind this pair, whoever of the two owes the other by then.
struct DebtPlace: JSONObject, Hashable {
    let currency: Currency
    let low: ID<Member>
    let high: ID<Member>

    static let json = Object(
        DebtPlace.init,
        Field("currency", \.currency),
        Field("low", \.low),
        Field("high", \.high)
    )
}

/// Where a page of what explains a debt begins: behind an expense, with what is left open by then.
///
/// What is added later is newer, and changes neither.
struct ExplanationPlace: JSONObject, Hashable {
    let expense: ID<Expense>
    let open: Int64

    static let json = Object(
        ExplanationPlace.init,
        Field("expense", \.expense),
        Field("open", \.open)
    )
}

extension ExplainedDebt {
    /// How many are in one answer.
    static let countMax = 500
    /// How many expenses explain one of them, and all of those in one answer.
    static let expensesMax = (ofOne: 100, ofAll: 4_000)

    /// By how many expenses each of so many debts is explained.
    static func expenses(ofEach count: Int) -> Int {
        min(expensesMax.ofOne, max(1, expensesMax.ofAll / max(1, count)))
    }

    /// The debt with so many of its expenses, and where the others are.
    func view(explainedBy limit: Int) -> Debt {
        let shown = expenses.prefix(limit)
        // What was read covers no more than is open, but for the last that was.
        let open = shown.reduce(debt.amount.minorUnits) { $0 - $1.amount.minorUnits }
        let next = expenses.count > limit ? shown.last : nil
        return Debt(
            fromMemberID: debt.debtor,
            toMemberID: debt.creditor,
            amount: debt.amount,
            expenseIDs: shown.map(\.expenseID),
            nextCursor: next.map { Cursor(ExplanationPlace(expense: $0.expenseID, open: open)) }
        )
    }
}

extension MemberDebt {
    /// The same without what explains it.
    var view: Debt { Debt(fromMemberID: debtor, toMemberID: creditor, amount: amount) }

    fileprivate var place: DebtPlace {
        DebtPlace(
            currency: amount.currency,
            low: min(debtor, creditor),
            high: max(debtor, creditor)
        )
    }
}

/// Open debts of a group, as many as are wanted and as one answer holds.
struct DebtPage {
    let debts: ArraySlice<ExplainedDebt>
    let page: Page<Debt>

    init(
        of group: ID<Group>,
        behind place: DebtPlace? = nil,
        limit: Int,
        in database: some Querying
    ) async throws {
        // Few debts are explained by more expenses each.
        let count = try await database.queryOne(
            BalanceStatements.openPairs,
            group,
            Int32(clamping: limit)
        )
        let expenses = ExplainedDebt.expenses(ofEach: Int(count ?? 0))
        let first = ID<Member>(high: 0, low: 0)
        let rows = try await database.query(
            BalanceStatements.explained,
            group,
            place?.currency.code ?? "",
            place?.low ?? first,
            place?.high ?? first,
            limit + 1,
            expenses + 1
        )
        let items = PageItems(rows: rows.map { $0.view(explainedBy: expenses) }, limit: limit)
        debts = rows.prefix(items.items.count)
        page = Page(items, nextCursor: items.isCut ? debts.last.map { Cursor($0.debt.place) } : nil)
    }
}

extension BalanceStore {
    /// Who owes whom, by page.
    func debts(
        _ query: PageQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<Debt> {
        _ = try await Membership.find(user, in: group, database)
        return try await DebtPage(
            of: group,
            behind: query.cursor?.decode(),
            limit: query.limit,
            in: database
        ).page
    }

    /// The expenses that explain a debt, by page.
    func expenses(
        _ query: DebtExpenseQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<DebtExpense> {
        _ = try await Membership.find(user, in: group, database)
        let (debtor, creditor) = (query.fromMemberID, query.toMemberID)
        let place = try query.cursor?.decode(ExplanationPlace.self)
        var open = place?.open ?? 0
        if place == nil {
            let pair = try await database.queryOne(
                BalanceStatements.between,
                group,
                query.currency,
                debtor,
                creditor
            )
            if let debt = pair?.debt, debt.debtor == debtor { open = debt.amount.minorUnits }
        }
        let rows = try await database.query(
            BalanceStatements.explaining,
            group,
            debtor,
            creditor,
            query.currency,
            place?.expense ?? ID(high: .max, low: .max),
            query.limit + 1
        )
        var items: [DebtExpense] = []
        for row in rows.prefix(query.limit) where open > 0 {
            items.append(row)
            open -= row.amount.minorUnits
        }
        let isMore = open > 0 && rows.count > query.limit
        let next = isMore ? items.last : nil
        return Page(
            items: items,
            nextCursor: next.map { Cursor(ExplanationPlace(expense: $0.expenseID, open: open)) }
        )
    }
}

/// Who owes whom in a group.
struct ListDebts: Handler {
    static let endpoint = WalletProtocol.Settlements.debts
    let balances: BalanceStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Debt>> {
        .ok(try await balances.debts(request.query, of: request.path.id(), for: caller.user.id))
    }
}

/// Why somebody owes somebody.
struct ListDebtExpenses: Handler {
    static let endpoint = WalletProtocol.Settlements.debtExpenses
    let balances: BalanceStore

    func handle(
        _ request: Request<DebtExpenseQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<DebtExpense>> {
        .ok(try await balances.expenses(request.query, of: request.path.id(), for: caller.user.id))
    }
}
