import ServiceKit
import WalletProtocol

/// Records that a debt was paid back.
struct Settle: Handler {
    static let endpoint = WalletProtocol.Settlements.settle
    let effects: KeyedEffects
    let settlements: SettlementStore

    func handle(
        _ request: Request<NoQuery, NewSettlement>,
        as caller: Caller
    ) async throws -> Response<SettlementView> {
        try await effects.answer(request.idempotency) { transaction in
            .created(
                try await settlements.settle(
                    request.body,
                    in: request.path.id(),
                    by: caller.user.id,
                    in: transaction
                )
            )
        }
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
