import ServiceKit
import WalletProtocol

/// Pays a debt of a group, once for each id.
struct PaySettlement: Handler {
    static let endpoint = InternalSettlements.pay
    let settlements: SettlementTransferStore

    func handle(
        _ request: Request<NoQuery, SettlementOrder>,
        as caller: Caller
    ) async throws -> Response<SettlementOutcome> {
        .ok(try await settlements.pay(request.path.id(), request.body, by: caller.user))
    }
}

/// Decides what became of a payment.
struct DecideSettlement: Handler {
    static let endpoint = InternalSettlements.decide
    let settlements: SettlementTransferStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SettlementOutcome> {
        .ok(try await settlements.decide(request.path.id()))
    }
}
