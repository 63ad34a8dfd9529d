import ServiceKit
import WalletProtocol

/// Writes a shared expense down.
struct AddExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.add
    let effects: KeyedEffects
    let people: PeopleStore
    let expenses: ExpenseStore

    func handle(
        _ request: Request<NoQuery, NewExpense>,
        as caller: Caller
    ) async throws -> Response<ExpenseView> {
        let group = try request.path.id(of: Group.self)
        let person = try await people.person(caller.user)
        return try await effects.answer(request.idempotency) { transaction in
            let expense = try await expenses.add(
                request.body,
                to: group,
                by: person.id,
                today: person.day(at: .now()),
                in: transaction
            )
            return .created(expense, at: "/v1/groups/\(group.text)/expenses/\(expense.id.text)")
                .tagged(String(expense.version))
        }
    }
}
