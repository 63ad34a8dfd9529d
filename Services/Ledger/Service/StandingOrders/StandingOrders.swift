import ServiceKit
import WalletProtocol

/// Makes a standing order.
struct MakeStandingOrder: Handler {
    static let endpoint = StandingOrders.make
    let effects: KeyedEffects
    let maker: StandingOrderMaker

    func handle(
        _ request: Request<NoQuery, NewStandingOrder>,
        as caller: Caller
    ) async throws -> Response<StandingOrderView> {
        try await effects.run(request.idempotency) { keyed in
            let (order, announced) = try await maker.plan(request.body, by: caller.user)
            let answer = try await keyed.answer { transaction in
                let row = try await maker.insert(order, in: transaction)
                return .created(row.view, at: "/v1/standing-orders/\(order.id)").tagged(row.tag)
                    .naming([row.payee.owner])
            }
            try await maker.proof.withdraw(announced, of: caller.user.id)
            return answer
        }
    }
}

/// The newest first, page by page.
struct ListStandingOrders: Handler {
    static let endpoint = StandingOrders.list
    let orders: StandingOrderStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<StandingOrderView>> {
        .ok(try await orders.list(request.query, of: caller.user.id))
    }
}

/// One standing order.
struct GetStandingOrder: Handler {
    static let endpoint = StandingOrders.get
    let orders: StandingOrderStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<StandingOrderView> {
        let row = try await orders.find(
            request.path.id(of: StandingOrder.self),
            of: caller.user.id
        )
        return .ok(row.view).tagged(row.tag)
    }
}

/// The next ten days of a standing order, and the last ten.
struct ListStandingOrderOccurrences: Handler {
    static let endpoint = StandingOrders.occurrences
    let orders: StandingOrderStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<StandingOrderOccurrences> {
        let id = try request.path.id(of: StandingOrder.self)
        return .ok(try await orders.occurrences(of: id, of: caller.user.id))
    }
}

/// Changes what is to come of a standing order.
struct ChangeStandingOrder: Handler {
    static let endpoint = StandingOrders.change
    let changes: StandingOrderChanges

    func handle(
        _ request: Request<NoQuery, StandingOrderChange>,
        as caller: Caller
    ) async throws -> Response<StandingOrderView> {
        let id = try request.path.id(of: StandingOrder.self)
        let row = try await changes.change(
            id,
            request.body,
            by: caller.user,
            ifMatch: request.ifMatch
        )
        return .ok(row.view).tagged(row.tag)
    }
}

/// Ends a standing order; its transfers stay.
struct RemoveStandingOrder: Handler {
    static let endpoint = StandingOrders.remove
    let changes: StandingOrderChanges

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: StandingOrder.self)
        try await changes.remove(id, of: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}
