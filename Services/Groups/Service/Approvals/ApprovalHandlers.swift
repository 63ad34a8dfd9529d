import ServiceKit
import WalletProtocol

/// Asks one's parents for a purchase.
struct AskForApproval: Handler {
    static let endpoint = WalletProtocol.Approvals.ask
    let effects: KeyedEffects
    let approvals: ApprovalStore

    func handle(
        _ request: Request<NoQuery, NewApproval>,
        as caller: Caller
    ) async throws -> Response<ApprovalView> {
        let (body, user) = (request.body, caller.user.id)
        return try await effects.run(request.idempotency) { keyed in
            let name = try await approvals.check(body, by: user)
            return try await keyed.answer { transaction in
                let made = try await approvals.ask(
                    body,
                    categoryName: name,
                    by: user,
                    in: transaction
                )
                return .created(made, at: "/v1/families/me/approvals/\(made.id.text)")
                    .tagged(made.tag)
            }
        }
    }
}

/// What children ask for, newest first.
struct ListApprovals: Handler {
    static let endpoint = WalletProtocol.Approvals.list
    let approvals: ApprovalStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ApprovalView>> {
        .ok(try await approvals.list(request.query, for: caller.user.id))
    }
}

/// What a child asks for.
struct GetApproval: Handler {
    static let endpoint = WalletProtocol.Approvals.get
    let approvals: ApprovalStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ApprovalView> {
        let found = try await approvals.find(request.path.id(), for: caller.user.id)
        return .ok(found).tagged(found.tag)
    }
}

/// Withdraws what one has asked for.
struct WithdrawApproval: Handler {
    static let endpoint = WalletProtocol.Approvals.withdraw
    let approvals: ApprovalStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await approvals.withdraw(
            request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}

/// Approves of a purchase, or declines it.
struct DecideApproval: Handler {
    static let endpoint = WalletProtocol.Approvals.decide
    let decisions: ApprovalDecisions

    func handle(
        _ request: Request<NoQuery, ApprovalDecision>,
        as caller: Caller
    ) async throws -> Response<ApprovalView> {
        try await decisions.decide(
            request.path.id(),
            request.body,
            by: caller.user.id,
            under: request.idempotency,
            ifMatch: request.ifMatch
        )
    }
}
