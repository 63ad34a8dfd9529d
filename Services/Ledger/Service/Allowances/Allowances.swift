import ServiceKit
import WalletProtocol

/// Makes a child's account, once for each family and child.
struct OpenAllowance: Handler {
    static let endpoint = InternalAllowances.open
    let allowances: AllowanceStore

    func handle(
        _ request: Request<NoQuery, AllowanceOpening>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let row = try await allowances.open(
            request.body,
            request.path.id("familyId", of: Family.self),
            request.path.id("userId", of: User.self)
        )
        return .ok(row.view)
    }
}

/// Makes a wallet of a child's account: «Default», or with the first number that makes it free.
struct ReleaseAllowance: Handler {
    static let endpoint = InternalAllowances.release
    let allowances: AllowanceStore

    func handle(
        _ request: Request<AllowanceRelease, NoBody>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let row = try await allowances.release(
            request.path.id("familyId", of: Family.self),
            request.path.id("userId", of: User.self),
            by: request.query.number
        )
        return .ok(row.view)
    }
}

/// Pays an allowance that comes again, or says why not, once for each id.
struct DecideAllowance: Handler {
    static let endpoint = InternalAllowances.decide
    let payments: AllowancePayments

    func handle(
        _ request: Request<NoQuery, AllowancePayment>,
        as caller: Caller
    ) async throws -> Response<AllowanceOutcome> {
        .ok(try await payments.decide(request.path.id(of: AllowanceOrder.self), request.body))
    }
}

/// Checks what a parent orders to be paid again and again.
struct AgreeToAllowance: Handler {
    static let endpoint = InternalAllowances.agree
    let payments: AllowancePayments

    func handle(
        _ request: Request<NoQuery, AllowanceAgreement>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await payments.agree(request.body, by: caller.user)
        return .noContent
    }
}

/// Pays an allowance, once for each id: a transfer from a parent's account, else recorded income.
struct PayAllowance: Handler {
    static let endpoint = InternalAllowances.pay
    let payments: AllowancePayments

    func handle(
        _ request: Request<NoQuery, AllowancePayment>,
        as caller: Caller
    ) async throws -> Response<AllowanceReceipt> {
        .ok(try await payments.pay(request.path.id(of: AllowanceOrder.self), request.body))
    }
}
