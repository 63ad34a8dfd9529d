import ServiceKit
import WalletProtocol

/// Pays a debt back, or records that it was.
struct Settle: Handler {
    static let endpoint = WalletProtocol.Settlements.settle
    let effects: KeyedEffects
    let people: PeopleStore
    let settlements: SettlementStore
    let orders: SettlementOrders
    let cleared: ClearedSettlements
    let conversion: SettlementConversion

    func handle(
        _ request: Request<NoQuery, NewSettlement>,
        as caller: Caller
    ) async throws -> Response<SettlementView> {
        let group = try request.path.id(of: Group.self)
        let today = try await people.person(caller.user).day(at: .now())
        let body = try await conversion.settling(
            request.body,
            in: group,
            by: caller.user.id,
            today: today
        )
        if let account = body.fromAccountID {
            guard body.accountID == nil else {
                throw APIError.field("/accountId", .conflict, "is for who is owed: you pay")
            }
            return try await orders.pay(
                body,
                from: account,
                in: group,
                by: caller.user,
                today: today,
                under: request.idempotency
            )
        }
        if let account = body.accountID {
            return try await cleared.record(
                body,
                into: account,
                in: group,
                by: caller.user.id,
                today: today,
                under: request.idempotency
            )
        }
        return try await effects.answer(request.idempotency) { transaction in
            let made = try await settlements.settle(
                body,
                in: group,
                by: caller.user.id,
                today: today,
                in: transaction
            )
            return .created(made, at: "/v1/groups/\(group.text)/settlements/\(made.id.text)")
                .tagged(made.state.rawValue)
        }
    }
}

/// One settlement, as far as it is.
struct GetSettlement: Handler {
    static let endpoint = WalletProtocol.Settlements.get
    let settlements: SettlementStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SettlementView> {
        let settlement = try await settlements.find(
            request.path.id("settlementId"),
            in: request.path.id(),
            for: caller.user.id
        )
        // Nothing else of it changes.
        return .ok(settlement).tagged(settlement.state.rawValue)
    }
}

/// Takes back a settlement that was written down by mistake; any member may.
struct RemoveSettlement: Handler {
    static let endpoint = WalletProtocol.Settlements.remove
    let cleared: ClearedSettlements

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await cleared.remove(
            request.path.id("settlementId"),
            from: request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}

/// A group's settlements, newest first.
struct ListSettlements: Handler {
    static let endpoint = WalletProtocol.Settlements.list
    let settlements: SettlementStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<SettlementView>> {
        .ok(
            try await settlements.list(
                request.query,
                of: request.path.id(),
                for: caller.user.id
            )
        )
    }
}
