import ServiceKit
import WalletProtocol

/// Makes an expense another; any member may.
struct ChangeExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.change
    let effects: KeyedEffects
    let people: PeopleStore
    let expenses: ExpenseStore
    let links: LedgerLinkWork

    func handle(
        _ request: Request<NoQuery, Unjudged<ExpenseChange>>,
        as caller: Caller
    ) async throws -> Response<ExpenseView> {
        let person = try await people.person(caller.user)
        let expense = try await effects.run { transaction in
            try await expenses.change(
                request.path.id("expenseId"),
                of: request.path.id(),
                request.body.body,
                faults: request.body.faults,
                by: person.id,
                today: person.day(at: .now()),
                ifMatch: request.ifMatch,
                in: transaction
            )
        }
        return .ok(try await links.shown(on: expense, to: person.id))
            .tagged(String(expense.version))
    }
}

/// Takes an expense away; any member may.
struct RemoveExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.remove
    let effects: KeyedEffects
    let expenses: ExpenseStore
    let links: LedgerLinkWork

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
        let group = try request.path.id(of: Group.self)
        try await links.follow(request.path.id("expenseId"), of: group, by: caller.user.id)
        return .noContent
    }
}

/// Undoes a removal; any member may.
struct RestoreExpense: Handler {
    static let endpoint = WalletProtocol.Expenses.restore
    let effects: KeyedEffects
    let people: PeopleStore
    let expenses: ExpenseStore
    let links: LedgerLinkWork

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExpenseView> {
        let person = try await people.person(caller.user)
        let id = try request.path.id("expenseId", of: Expense.self)
        let group = try request.path.id(of: Group.self)
        let response: Response<ExpenseView> = try await effects.run(request.idempotency) { keyed in
            // What its deletion takes back is taken back before it is posted again.
            try await links.follow(id, of: group, by: person.id)
            return try await keyed.answer { transaction in
                let expense = try await expenses.restore(
                    id,
                    of: group,
                    by: person.id,
                    today: person.day(at: .now()),
                    in: transaction
                )
                return .ok(expense).tagged(String(expense.version))
            }
        }
        return try await response.showing { try await links.shown(on: $0, to: person.id) }
    }
}
