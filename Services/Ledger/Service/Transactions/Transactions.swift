import ServiceKit
import WalletProtocol

/// Records what was earned or spent.
struct RecordTransaction: Handler {
    static let endpoint = Transactions.record
    let recorder: TransactionRecorder

    func handle(
        _ request: Request<NoQuery, NewTransaction>,
        as caller: Caller
    ) async throws -> Response<TransactionView> {
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let made = try await recorder.record(request.body, under: scope, by: caller.user.id)
        return .created(made.view, at: "/v1/transactions/\(made.view.id)").tagged("1")
            .replayed(made.isReplay)
    }
}

/// Records many transactions: all of them or none.
struct RecordTransactions: Handler {
    static let endpoint = Transactions.recordMany
    let recorder: TransactionRecorder

    func handle(
        _ request: Request<NoQuery, TransactionBatch>,
        as caller: Caller
    ) async throws -> Response<TransactionBatchView> {
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let made = try await recorder.record(
            all: request.body.transactions,
            under: scope,
            by: caller.user.id
        )
        return .created(TransactionBatchView(items: made.views)).replayed(made.isReplay)
    }
}

/// One transaction.
struct GetTransaction: Handler {
    static let endpoint = Transactions.get
    let transactions: TransactionStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransactionView> {
        let row = try await transactions.find(
            request.path.id(of: MoneyTransaction.self),
            for: caller.user.id
        )
        return .ok(row.view(for: caller.user.id)).tagged(String(row.version))
    }
}

/// Changes a transaction: its words, or what was booked, which is taken back and booked anew.
struct ChangeTransaction: Handler {
    static let endpoint = Transactions.change
    let transactions: TransactionStore

    func handle(
        _ request: Request<NoQuery, TransactionChange>,
        as caller: Caller
    ) async throws -> Response<TransactionView> {
        let row = try await transactions.change(
            request.path.id(of: MoneyTransaction.self),
            request.body,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(row.view(for: caller.user.id)).tagged(String(row.version))
    }
}

/// What became of a transaction, version by version.
struct GetTransactionHistory: Handler {
    static let endpoint = Transactions.history
    let history: TransactionHistory

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<TransactionHistoryItem>> {
        .ok(
            try await history.page(
                request.query,
                of: request.path.id(of: MoneyTransaction.self),
                for: caller.user.id
            )
        )
    }
}

/// Deletes a transaction: a reversal in the journal, which can be undone for a while.
struct DeleteTransaction: Handler {
    static let endpoint = Transactions.remove
    let deletions: DeletionStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<DeletionView> {
        .ok(
            try await deletions.delete(
                request.path.id(of: MoneyTransaction.self),
                by: caller.user.id,
                ifMatch: request.ifMatch
            )
        )
    }
}

/// Deletes many transactions: all of them or none.
struct DeleteTransactions: Handler {
    static let endpoint = Transactions.removeMany
    let effects: KeyedEffects
    let deletions: DeletionStore

    func handle(
        _ request: Request<NoQuery, NewDeletion>,
        as caller: Caller
    ) async throws -> Response<DeletionView> {
        let (ids, user) = (request.body.ids, caller.user.id)
        return try await effects.run(request.idempotency) { keyed in
            try await deletions.posting(by: user) { transaction in
                try await keyed.answer(in: transaction) {
                    .created(try await deletions.delete(all: ids, by: user, in: transaction))
                }
            }
        }
    }
}

/// Has what was deleted back, exactly as it was.
struct UndoDeletion: Handler {
    static let endpoint = Transactions.undo
    let effects: KeyedEffects
    let deletions: DeletionStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<DeletionView> {
        let (id, user) = (try request.path.id(of: Deletion.self), caller.user.id)
        return try await effects.run(request.idempotency) { keyed in
            try await deletions.posting(by: user) { transaction in
                try await keyed.answer(in: transaction) {
                    .ok(try await deletions.undo(id, by: user, in: transaction))
                }
            }
        }
    }
}
