import ServiceKit
import WalletProtocol

/// A child's recurring allowances, newest first.
struct ListAllowances: Handler {
    static let endpoint = WalletProtocol.Allowances.list
    let recurring: RecurringAllowanceStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<RecurringAllowanceView>> {
        let child = try request.path.idUnlessMe("userId", of: User.self)
        return .ok(try await recurring.list(request.query, of: child, for: caller.user.id))
    }
}

/// One recurring allowance.
struct GetAllowance: Handler {
    static let endpoint = WalletProtocol.Allowances.get
    let recurring: RecurringAllowanceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<RecurringAllowanceView> {
        let row = try await recurring.find(
            request.path.id("allowanceId"),
            of: request.path.idUnlessMe("userId"),
            for: caller.user.id
        )
        return .ok(row.view(for: caller.user.id)).tagged(row.tag)
    }
}

/// The next ten days of an allowance, and the last ten.
struct ListAllowanceOccurrences: Handler {
    static let endpoint = WalletProtocol.Allowances.occurrences
    let recurring: RecurringAllowanceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AllowanceOccurrences> {
        .ok(
            try await recurring.occurrences(
                of: request.path.id("allowanceId"),
                of: request.path.idUnlessMe("userId"),
                for: caller.user.id
            )
        )
    }
}

/// Changes what is to come of an allowance.
struct ChangeAllowance: Handler {
    static let endpoint = WalletProtocol.Allowances.change
    let recurring: RecurringAllowanceStore

    func handle(
        _ request: Request<NoQuery, AllowanceChange>,
        as caller: Caller
    ) async throws -> Response<RecurringAllowanceView> {
        let row = try await recurring.change(
            request.path.id("allowanceId"),
            of: request.path.id("userId"),
            request.body,
            by: caller.user,
            ifMatch: request.ifMatch
        )
        return .ok(row.view(for: caller.user.id)).tagged(row.tag)
    }
}

/// Ends an allowance; what it has paid stays.
struct RemoveAllowance: Handler {
    static let endpoint = WalletProtocol.Allowances.remove
    let recurring: RecurringAllowanceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await recurring.remove(
            request.path.id("allowanceId"),
            of: request.path.id("userId"),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
