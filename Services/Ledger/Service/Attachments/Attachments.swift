import HTTP
import ServiceKit
import WalletProtocol

/// Puts a file beside a transaction, as it comes.
struct AddAttachment: Handler {
    static let endpoint = Attachments.add
    let uploads: AttachmentUploads

    func handle(
        _ request: Request<NewAttachmentQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AttachmentView> {
        try await uploads.take(
            request.http,
            called: request.query.name,
            for: request.path.id(of: MoneyTransaction.self),
            by: caller.user.id,
            under: request.idempotency
        )
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

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let row = try await attachments.find(
            request.path.id("attachmentId", of: Attachment.self),
            of: request.path.id(of: MoneyTransaction.self),
            for: caller.user.id
        )
        var response = content(of: row, request.http.head)
        guard response.status != 416 else { return response }
        // It is seen again only after asking: it may be gone, or the right to it.
        response.headers.append(.cacheControl, "private, no-cache")
        response.headers.append("content-security-policy", "default-src 'none'; sandbox")
        return response.tagged(row.digest)
    }

    /// All of it, the range that is wanted, or that it is known.
    private func content(of row: AttachmentRow, _ head: MessageHead) -> Response<NoView> {
        var response: Response<NoView>
        if let known = head.text(.ifNoneMatch), AttachmentContent.names(known, row.digest) {
            response = .noContent
            response.status = 304
            return response
        }
        let size = Int(row.size)
        // A part of another version would be of no use.
        let isCurrent = head.text(.ifRange).map { $0 == "\"\(row.digest)\"" } ?? true
        let range = isCurrent ? AttachmentContent.range(head.text(.range), of: size) : nil
        if let range, range.isEmpty {
            response = .noContent
            response.status = 416
            response.headers.append("content-range", "bytes */\(size)")
            return response
        }
        let sent = range ?? 0..<size
        let (attachments, id) = (attachments, row.id)
        response = .stream(type: row.type.rawValue, length: sent.count) { writer in
            try await attachments.write(sent, of: id, to: writer)
        }
        if let range {
            response.status = 206
            response.headers.append(
                "content-range",
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
            )
        }
        response.headers.append(.contentDisposition, AttachmentName.disposition(row.name))
        response.headers.append("accept-ranges", "bytes")
        return response
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
