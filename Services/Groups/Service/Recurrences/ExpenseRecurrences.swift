import ServiceKit
import WalletProtocol

/// A group's recurring expenses, newest first.
struct ListExpenseRecurrences: Handler {
    static let endpoint = WalletProtocol.ExpenseRecurrences.list
    let recurrences: ExpenseRecurrenceStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ExpenseRecurrenceView>> {
        .ok(
            try await recurrences.list(
                request.query,
                of: request.path.id(),
                for: caller.user.id
            )
        )
    }
}

/// One recurring expense.
struct GetExpenseRecurrence: Handler {
    static let endpoint = WalletProtocol.ExpenseRecurrences.get
    let recurrences: ExpenseRecurrenceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExpenseRecurrenceView> {
        let row = try await recurrences.find(
            request.path.id("recurrenceId"),
            of: request.path.id(),
            for: caller.user.id
        )
        return .ok(row.view).tagged(row.tag)
    }
}

/// The next ten days of a recurring expense, and the last ten.
struct ListExpenseOccurrences: Handler {
    static let endpoint = WalletProtocol.ExpenseRecurrences.occurrences
    let recurrences: ExpenseRecurrenceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExpenseOccurrences> {
        .ok(
            try await recurrences.occurrences(
                of: request.path.id("recurrenceId"),
                in: request.path.id(),
                for: caller.user.id
            )
        )
    }
}

/// Changes what is to come of a recurring expense; any member may.
struct ChangeExpenseRecurrence: Handler {
    static let endpoint = WalletProtocol.ExpenseRecurrences.change
    let recurrences: ExpenseRecurrenceStore

    func handle(
        _ request: Request<NoQuery, Unjudged<ExpenseRecurrenceChange>>,
        as caller: Caller
    ) async throws -> Response<ExpenseRecurrenceView> {
        let row = try await recurrences.change(
            request.path.id("recurrenceId"),
            of: request.path.id(),
            request.body.body,
            faults: request.body.faults,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(row.view).tagged(row.tag)
    }
}

/// Ends a recurring expense; what it has written down stays.
struct RemoveExpenseRecurrence: Handler {
    static let endpoint = WalletProtocol.ExpenseRecurrences.remove
    let recurrences: ExpenseRecurrenceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await recurrences.remove(
            request.path.id("recurrenceId"),
            from: request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
