import ServiceKit
import WalletProtocol

/// A group's expenses: a page of them, or the table of all.
struct ListExpenses: Handler {
    static let endpoint = WalletProtocol.Expenses.list
    let expenses: ExpenseList
    let table: ExpenseTableStore

    func handle(
        _ request: Request<ExpenseQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExpensePage> {
        let group = try request.path.id(of: Group.self)
        switch request.query.format {
        case .json:
            return .ok(try await expenses.page(request.query, of: group, for: caller.user.id))
        case .csv: return try await table.file(request.query, of: group, for: caller.user.id)
        }
    }
}
