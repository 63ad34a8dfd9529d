import ServiceKit
import WalletProtocol

/// Writes a shared expense down, once or again and again.
struct AddExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.add
    let effects: KeyedEffects
    let people: PeopleStore
    let recurrences: ExpenseRecurrenceStore

    func handle(
        _ request: Request<NoQuery, NewExpense>,
        as caller: Caller
    ) async throws -> Response<ExpenseView> {
        let group = try request.path.id(of: Group.self)
        let person = try await people.person(caller.user)
        return try await effects.answer(request.idempotency) { transaction in
            let expense = try await recurrences.add(
                request.body,
                to: group,
                by: person,
                in: transaction
            )
            return .created(expense, at: "/v1/groups/\(group.text)/expenses/\(expense.id.text)")
                .tagged(String(expense.version))
        }
    }
}
