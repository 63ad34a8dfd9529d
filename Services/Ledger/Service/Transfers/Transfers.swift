import ServiceKit
import WalletProtocol

/// Moves money from one account to another, or holds it for that, at most once per key.
struct PostTransfer: Handler {
    static let endpoint = Transfers.post
    let transfers: TransferStore

    func handle(
        _ request: Request<NoQuery, NewTransfer>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let made = try await transfers.post(request.body, under: scope, by: caller.user)
        return .created(made.view, at: "/v1/transfers/\(made.view.id)").replayed(made.isReplay)
    }
}

/// Moves money many times: all of it or none, or each by itself.
struct PostTransfers: Handler {
    static let endpoint = Transfers.postMany
    let batches: TransferBatchStore

    func handle(
        _ request: Request<NoQuery, NewTransfers>,
        as caller: Caller
    ) async throws -> Response<TransferResults> {
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let made = try await batches.post(request.body, under: scope, by: caller.user)
        return .ok(made.results).replayed(made.isReplay)
    }
}

/// One transfer, for whoever owns one of its accounts.
struct GetTransfer: Handler {
    static let endpoint = Transfers.get
    let transfers: TransferStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        let row = try await transfers.find(
            request.path.id(of: Transfer.self),
            for: caller.user.id
        )
        return .ok(try row.view(for: caller.user.id))
    }
}

/// Moves the money that is held for a transfer.
struct CaptureTransfer: Handler {
    static let endpoint = Transfers.capture
    let holds: HoldStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let id = try request.path.id(of: Transfer.self)
        let ended = try await holds.end(id, by: .capture, under: scope, for: caller.user.id)
        return .ok(ended.view).replayed(ended.isReplay)
    }
}

/// Gives up what is held for a transfer.
struct VoidTransfer: Handler {
    static let endpoint = Transfers.void
    let holds: HoldStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let id = try request.path.id(of: Transfer.self)
        let ended = try await holds.end(id, by: .void, under: scope, for: caller.user.id)
        return .ok(ended.view).replayed(ended.isReplay)
    }
}

/// Fixes the price of a transfer for a minute, and tells whom it goes to.
struct MakeQuote: Handler {
    static let endpoint = Transfers.quote
    let effects: KeyedEffects
    let quotes: QuoteStore
    let people: People

    func handle(
        _ request: Request<NoQuery, NewQuote>,
        as caller: Caller
    ) async throws -> Response<QuoteView> {
        _ = try await people.person(caller.user.id)
        return try await effects.run(request.idempotency) { keyed in
            let quote = try await quotes.price(request.body, for: caller.user.id)
            return try await keyed.answer { transaction in
                .created(try await quotes.keep(quote, in: transaction))
                    .naming([quote.payee].compactMap(\.self))
            }
        }
    }
}
