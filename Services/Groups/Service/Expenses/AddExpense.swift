import ServiceKit
import WalletProtocol

/// Writes a shared expense down, once or again and again.
struct AddExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.add
    let effects: KeyedEffects
    let people: PeopleStore
    let recurrences: ExpenseRecurrenceStore
    let linked: LinkedExpenses

    func handle(
        _ request: Request<NoQuery, Unjudged<NewExpense>>,
        as caller: Caller
    ) async throws -> Response<ExpenseView> {
        let group = try request.path.id(of: Group.self)
        let person = try await people.person(caller.user)
        let (body, faults) = (request.body.body, request.body.faults)
        if faults.isEmpty, let account = body.accountID {
            return try await linked.add(
                body,
                from: account,
                to: group,
                by: person,
                under: request.idempotency
            )
        }
        // What could not be read is kept under no key.
        let key = faults.isEmpty ? request.idempotency : nil
        return try await effects.answer(key) { transaction in
            let expense = try await recurrences.add(
                body,
                faults: faults,
                to: group,
                by: person,
                in: transaction
            )
            return .created(expense, at: "/v1/groups/\(group.text)/expenses/\(expense.id.text)")
                .tagged(String(expense.version))
        }
    }
}
