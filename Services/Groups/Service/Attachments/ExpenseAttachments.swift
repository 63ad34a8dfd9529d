import HTTP
import Receipts
import ServiceKit
import WalletProtocol

/// Puts a file beside an expense, as it comes.
struct AddExpenseAttachment: Handler {
    static let endpoint = ExpenseAttachments.add
    let attachments: ExpenseAttachmentStore
    let uploads: AttachmentUploads

    func handle(
        _ request: Request<NewAttachmentQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExpenseAttachmentView> {
        let place = attachments.place(
            beside: try request.path.id("expenseId"),
            of: try request.path.id(),
            for: caller.user.id
        )
        return try await uploads.take(request, for: place, under: request.idempotency)
    }
}

/// The attachments of an expense, oldest first: all of them, for there are few.
struct ListExpenseAttachments: Handler {
    static let endpoint = ExpenseAttachments.list
    let attachments: ExpenseAttachmentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ExpenseAttachmentView>> {
        let rows = try await attachments.list(
            of: request.path.id("expenseId"),
            in: request.path.id(),
            for: caller.user.id
        )
        return .ok(Page(items: rows.map(\.view), nextCursor: nil))
    }
}

/// One attachment's content, chunk by chunk.
struct GetExpenseAttachment: Handler {
    static let endpoint = ExpenseAttachments.get
    let attachments: ExpenseAttachmentStore
    let files: AttachmentFiles

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let row = try await attachments.find(
            ExpenseAttachmentKey(request.path),
            for: caller.user.id
        )
        return files.response(with: row.file, to: request.http.head)
    }
}

/// Takes an attachment away, its bytes at once.
struct RemoveExpenseAttachment: Handler {
    static let endpoint = ExpenseAttachments.remove
    let attachments: ExpenseAttachmentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await attachments.remove(
            ExpenseAttachmentKey(request.path),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}

extension ExpenseAttachmentKey {
    /// The one that a path names.
    init(_ path: PathParameters) throws {
        group = try path.id()
        expense = try path.id("expenseId")
        id = try path.id("attachmentId")
    }
}
