import HTTP
import Receipts
import ServiceKit
import WalletProtocol

/// Puts a file beside a transaction, as it comes.
struct AddAttachment: Handler {
    static let endpoint = Attachments.add
    let attachments: AttachmentStore
    let uploads: AttachmentUploads

    func handle(
        _ request: Request<NewAttachmentQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AttachmentView> {
        let transaction = try request.path.id(of: MoneyTransaction.self)
        let place = attachments.place(beside: transaction, for: caller.user.id)
        return try await uploads.take(request, for: place, under: request.idempotency)
    }
}

/// The attachments of a transaction, oldest first: all of them, for there are few.
struct ListAttachments: Handler {
    static let endpoint = Attachments.list
    let attachments: AttachmentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<AttachmentView>> {
        let transaction = try request.path.id(of: MoneyTransaction.self)
        let rows = try await attachments.list(of: transaction, for: caller.user.id)
        return .ok(Page(items: rows.map(\.view), nextCursor: nil))
    }
}

/// One attachment's content, chunk by chunk.
struct GetAttachment: Handler {
    static let endpoint = Attachments.get
    let attachments: AttachmentStore
    let files: AttachmentFiles

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let row = try await attachments.find(
            request.path.id("attachmentId", of: Attachment.self),
            of: request.path.id(of: MoneyTransaction.self),
            for: caller.user.id
        )
        return files.response(with: row.file, to: request.http.head)
    }
}

/// Takes an attachment away, its bytes at once.
struct RemoveAttachment: Handler {
    static let endpoint = Attachments.remove
    let attachments: AttachmentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await attachments.remove(
            request.path.id("attachmentId", of: Attachment.self),
            of: request.path.id(of: MoneyTransaction.self),
            for: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
