import ServiceKit
import WalletProtocol

extension ReceivableKey {
    /// The one that a path names.
    fileprivate init(_ path: PathParameters, isClearing: Bool = false) throws(APIError) {
        try self.init(
            user: path.id("userId", of: User.self),
            id: path.id(of: ReceivableKey.self),
            isClearing: isClearing
        )
    }
}

/// Posts a shared expense to its payer's account.
struct PostExpense: Handler {
    static let endpoint = InternalReceivables.post
    let postings: ExpensePostingStore

    func handle(
        _ request: Request<NoQuery, ExpensePosting>,
        as caller: Caller
    ) async throws -> Response<ExpensePosted> {
        .ok(try await postings.post(ReceivableKey(request.path), request.body))
    }
}

/// Tells how one stands.
struct GetExpensePosting: Handler {
    static let endpoint = InternalReceivables.find
    let postings: ExpensePostingStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExpensePostingView> {
        .ok(try await postings.find(ReceivableKey(request.path)))
    }
}

/// Takes one out of its payer's books.
struct WithdrawExpensePosting: Handler {
    static let endpoint = InternalReceivables.withdraw
    let postings: ExpensePostingStore

    func handle(
        _ request: Request<ExpenseWithdrawalQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await postings.withdraw(
            ReceivableKey(request.path),
            wasOwed: request.query.wasOwed
        )
        return .noContent
    }
}

/// Clears what somebody is owed.
struct ClearReceivable: Handler {
    static let endpoint = InternalReceivables.clear
    let clearings: ReceivableClearingStore

    func handle(
        _ request: Request<NoQuery, ReceivableClearing>,
        as caller: Caller
    ) async throws -> Response<ReceivableCleared> {
        let key = try ReceivableKey(request.path, isClearing: true)
        return .ok(try await clearings.clear(key, request.body))
    }
}

/// Takes that back.
struct WithdrawReceivableClearing: Handler {
    static let endpoint = InternalReceivables.unclear
    let clearings: ReceivableClearingStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await clearings.withdraw(ReceivableKey(request.path, isClearing: true))
        return .noContent
    }
}
