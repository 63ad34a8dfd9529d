import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// The envelopes of a month, one for each category, by the categories' names.
struct ListBudgets: Handler {
    static let endpoint = Budgets.list
    let store: BudgetStore

    func handle(
        _ request: Request<BudgetQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<BudgetPage> {
        .ok(try await store.page(request.query, of: caller.user.id))
    }
}

/// Puts something into an envelope, or takes it out.
struct AllocateBudget: Handler {
    static let endpoint = Budgets.allocate
    let effects: KeyedEffects
    let store: BudgetStore

    func handle(
        _ request: Request<NoQuery, NewAllocation>,
        as caller: Caller
    ) async throws -> Response<AllocationView> {
        let category = try request.path.id("categoryId", of: WalletProtocol.Category.self)
        return try await effects.run(request.idempotency) { keyed in
            try await store.read(caller.user.id) { reader, transaction in
                try await keyed.answer(in: transaction) {
                    let month = try reader.month(request.body.month)
                    let view = try await allocate(
                        request.body.amount,
                        to: category,
                        in: month,
                        reader,
                        transaction
                    )
                    return .created(view, at: "/v1/budgets?month=\(month.text)")
                }
            }
        }
    }

    private func allocate(
        _ amount: Money,
        to category: CategoryID,
        in month: Month,
        _ reader: BudgetReader,
        _ transaction: Transaction
    ) async throws -> AllocationView {
        guard try await transaction.queryOne(CategoryStatements.find, reader.user, category) != nil
        else { throw APIError.notFound }
        guard amount.currency == reader.person.currency else {
            throw APIError(.currencyMismatch)
        }
        try await reader.allocate(amount.minorUnits, to: category, in: month, transaction)
        let envelopes = try await reader.envelopes(of: [category], in: month, transaction)
        guard let envelope = envelopes.first else { throw APIError(.internalError) }
        try await reader.note(envelope, cause: .transfer, in: transaction)
        return AllocationView(
            envelope: envelope,
            alerts: envelope.isOverspent ? [.negative] : []
        )
    }
}

/// Moves something from one envelope to another; the first may fall below nothing.
struct TransferBudget: Handler {
    static let endpoint = Budgets.transfer
    let effects: KeyedEffects
    let store: BudgetStore

    func handle(
        _ request: Request<NoQuery, NewBudgetTransfer>,
        as caller: Caller
    ) async throws -> Response<BudgetTransferView> {
        try await effects.run(request.idempotency) { keyed in
            try await store.read(caller.user.id) { reader, transaction in
                try await keyed.answer(in: transaction) {
                    let month = try reader.month(request.body.month)
                    try await move(request.body, in: month, reader, transaction)
                    let view = try await told(request.body, in: month, reader, transaction)
                    return .created(view, at: "/v1/budgets?month=\(month.text)")
                }
            }
        }
    }

    /// Both envelopes as they are now, of which whoever watches budgets is told.
    private func told(
        _ body: NewBudgetTransfer,
        in month: Month,
        _ reader: BudgetReader,
        _ transaction: Transaction
    ) async throws -> BudgetTransferView {
        let envelopes = try await reader.envelopes(
            of: [body.fromCategoryID, body.toCategoryID],
            in: month,
            transaction
        )
        for envelope in envelopes.sorted(by: { $0.categoryID < $1.categoryID }) {
            try await reader.note(envelope, cause: .transfer, in: transaction)
        }
        return BudgetTransferView(
            from: envelopes[0],
            to: envelopes[1],
            alerts: envelopes[0].isOverspent ? [.negative] : []
        )
    }

    private func move(
        _ body: NewBudgetTransfer,
        in month: Month,
        _ reader: BudgetReader,
        _ transaction: Transaction
    ) async throws {
        let named = [
            ("/fromCategoryId", body.fromCategoryID), ("/toCategoryId", body.toCategoryID),
        ]
        for (pointer, category) in named {
            guard
                try await transaction.queryOne(CategoryStatements.find, reader.user, category)
                    != nil
            else { throw APIError.field(pointer, .unknownReference, "is absent or not yours") }
        }
        guard body.fromCategoryID != body.toCategoryID else {
            throw APIError.field("/toCategoryId", .invalidValue, "is the one that gives")
        }
        guard body.amount.currency == reader.person.currency else {
            throw APIError(.currencyMismatch)
        }
        // In the order of ids, so that no two transfers wait for each other.
        let parts = [
            (body.fromCategoryID, -body.amount.minorUnits),
            (body.toCategoryID, body.amount.minorUnits),
        ]
        for (category, amount) in parts.sorted(by: { $0.0 < $1.0 }) {
            try await reader.allocate(amount, to: category, in: month, transaction)
        }
    }
}
