import ServiceKit
import WalletProtocol

/// Writes a shared expense down, once or again and again.
struct AddExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.add
    let effects: KeyedEffects
    let people: PeopleStore
    let recurrences: ExpenseRecurrenceStore
    let linked: LinkedExpenses
    let batcher: ExpenseBatcher

    func handle(
        _ request: Request<NoQuery, Unjudged<NewExpense>>,
        as caller: Caller
    ) async throws -> Response<ExpenseView> {
        let group = try request.path.id(of: Group.self)
        let (body, faults) = (request.body.body, request.body.faults)
        // What could not be read is kept under no key.
        let key = faults.isEmpty ? request.idempotency : nil
        guard faults.isEmpty, body.rule != nil || body.accountID != nil else {
            // Members are known: nobody is asked who somebody is.
            let asked = AskedExpense(body: body, faults: faults, group: group, user: caller.user.id)
            return try await batcher.add(asked, key)
        }
        let person = try await people.person(caller.user)
        if let account = body.accountID {
            return try await linked.add(body, from: account, to: group, by: person, under: key)
        }
        // Its schedule belongs to it: both or neither.
        return try await effects.answer(key) { transaction in
            try await recurrences.add(body, to: group, by: person, in: transaction).answer
        }
    }
}
