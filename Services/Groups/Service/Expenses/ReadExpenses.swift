import ServiceKit
import WalletProtocol

/// A group's expenses, newest first.
struct ListExpenses: Handler {
    static let endpoint = WalletProtocol.Expenses.list
    let expenses: ExpenseStore

    func handle(
        _ request: Request<ExpenseQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ExpenseView>> {
        .ok(
            try await expenses.list(
                request.query,
                of: request.path.id(),
                for: caller.user.id
            )
        )
    }
}

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

/// Takes an expense away; any member may.
struct RemoveExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.remove
    let effects: KeyedEffects
    let expenses: ExpenseStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await effects.run { transaction in
            try await expenses.remove(
                request.path.id("expenseId"),
                from: request.path.id(),
                by: caller.user.id,
                ifMatch: request.ifMatch,
                in: transaction
            )
        }
        return .noContent
    }
}
