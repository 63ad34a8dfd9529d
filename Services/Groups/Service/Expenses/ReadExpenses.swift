import ServiceKit
import WalletProtocol

/// One expense.
struct GetExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.get
    let expenses: ExpenseStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExpenseView> {
        let expense = try await expenses.find(
            request.path.id("expenseId"),
            in: request.path.id(),
            for: caller.user.id
        )
        return Response.ok(expense).tagged(String(expense.version))
    }
}

/// What happened to an expense.
struct ListExpenseHistory: Handler {
    static let endpoint = WalletProtocol.Expenses.history
    let expenses: ExpenseStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ExpenseHistoryItem>> {
        .ok(
            try await expenses.history(
                request.query,
                of: request.path.id("expenseId"),
                in: request.path.id(),
                for: caller.user.id
            )
        )
    }
}
