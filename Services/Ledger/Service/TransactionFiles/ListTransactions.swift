import ServiceKit
import WalletProtocol

/// Transactions that a filter leaves, page by page, or all of them as a file.
struct ListTransactions: Handler {
    static let endpoint = Transactions.list
    let list: TransactionList
    let files: TransactionFiles

    func handle(
        _ request: Request<TransactionQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransactionPage> {
        guard request.query.format == .json else {
            return try await files.answer(request.query, for: caller.user.id)
        }
        return .ok(try await list.page(request.query, for: caller.user.id))
    }
}
