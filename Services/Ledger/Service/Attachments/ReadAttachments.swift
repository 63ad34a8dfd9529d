import HTTP
import Postgres
import ServiceKit
import WalletProtocol

/// The attachments of a transaction, oldest first: all of them, for there are few.
struct ListAttachments: Handler {
    static let endpoint = Attachments.list
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<AttachmentView>> {
        let transaction = try request.path.id(of: MoneyTransaction.self)
        try await checkAttachments(of: transaction, for: caller.user.id, in: database)
        let rows = try await database.query(AttachmentStatements.list, transaction)
        return .ok(Page(items: rows.map(\.view), nextCursor: nil))
    }
}

/// One attachment's content, chunk by chunk.
struct GetAttachment: Handler {
    static let endpoint = Attachments.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let row = try await findAttachment(request, for: caller.user.id, in: database)
        let head = request.http.head
        var response: Response<NoView>
        if let known = head.text(.ifNoneMatch), Self.names(known, row.digest) {
            response = .noContent
            response.status = 304
        } else {
            let size = Int(row.size)
            // A part of another version would be of no use.
            let isCurrent = head.text(.ifRange).map { $0 == "\"\(row.digest)\"" } ?? true
            let range = isCurrent ? Self.range(head.text(.range), of: size) : nil
            if let range, range.isEmpty {
                response = .noContent
                response.status = 416
                response.headers.append("content-range", "bytes */\(size)")
                return response
            }
            let sent = range ?? 0..<size
            let (database, id) = (database, row.id)
            response = .stream(type: row.type.rawValue, length: sent.count) { writer in
                try await Self.write(sent, of: id, from: database, to: writer)
            }
            if let range {
                response.status = 206
                response.headers.append(
                    "content-range",
                    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
                )
            }
            response.headers.append(
                .contentDisposition,
                AttachmentName.disposition(row.name)
            )
            response.headers.append("accept-ranges", "bytes")
        }
        // It is seen again only after asking: it may be gone, or the right to it.
        response.headers.append(.cacheControl, "private, no-cache")
        response.headers.append("content-security-policy", "default-src 'none'; sandbox")
        return response.tagged(row.digest)
    }

    /// A chunk at a time, each from a connection that is held no longer than for it: who reads
    /// slowly keeps nobody waiting.
    /// - Throws: where a chunk is gone, for then the file is; the connection breaks.
    private static func write(
        _ range: Range<Int>,
        of id: ID<Attachment>,
        from database: Database,
        to writer: BodyWriter
    ) async throws {
        var at = range.lowerBound
        while at < range.upperBound {
            let place = at / AddAttachment.chunkBytes
            let start = at - place * AddAttachment.chunkBytes
            let bytes = try await database.lease { lease in
                try await lease.queryOne(AttachmentStatements.chunk, id, Int32(place))
            }
            guard let bytes, bytes.count > start else { throw APIError.notFound }
            let count = min(bytes.count - start, range.upperBound - at)
            try await writer.write(
                count == bytes.count ? bytes : Array(bytes[start..<start + count])
            )
            at += count
        }
    }

    /// Whether one of the tags in `If-None-Match` is the content's (RFC 9110, 13.1.2).
    private static func names(_ field: String, _ digest: String) -> Bool {
        field == "*"
            || field.split(separator: ",").contains { tag in
                let bare = tag.drop { $0 == " " }.prefix { $0 != " " }
                return bare == "\"\(digest)\"" || bare == "W/\"\(digest)\""
            }
    }

    /// One range of bytes (RFC 9110, 14.1.2): nil for the whole, empty for one beyond the end.
    static func range(_ field: String?, of size: Int) -> Range<Int>? {
        guard let field, field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } })
        else { return nil }
        guard let first = Int(ends[0]) else {
            guard ends[0].isEmpty, let count = Int(ends[1]) else { return nil }
            return max(0, size - count)..<size
        }
        if ends[1].isEmpty { return first < size ? first..<size : 0..<0 }
        guard let last = Int(ends[1]), last >= first else { return nil }
        // A last byte may be named beyond all numbers; there is none behind the size.
        return first < size ? first..<(min(last, size - 1) + 1) : 0..<0
    }
}

/// Takes an attachment away, its bytes at once.
struct RemoveAttachment: Handler {
    static let endpoint = Attachments.remove
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let row = try await findAttachment(request, for: user, in: database)
        if let wanted = request.ifMatch, !wanted.contains(row.digest) {
            throw APIError(.preconditionFailed)
        }
        try await checkAttachments(of: row.transaction, for: user, changing: true, in: database)
        let owner = try await database.queryOne(AttachmentStatements.owner, row.id)
        guard let owner, try await removeAttachment(row.id, of: owner, in: database) else {
            throw APIError.notFound
        }
        return .noContent
    }
}

/// The attachment that a path names.
private func findAttachment<Query, Body>(
    _ request: Request<Query, Body>,
    for user: ID<User>,
    in database: Database
) async throws -> AttachmentRow {
    let transaction = try request.path.id(of: MoneyTransaction.self)
    let id = try request.path.id("attachmentId", of: Attachment.self)
    try await checkAttachments(of: transaction, for: user, in: database)
    guard
        let row = try await database.queryOne(AttachmentStatements.find, transaction, id)
    else { throw APIError.notFound }
    return row
}

/// Leaves a tombstone in an attachment's place; false: it has gone already.
func removeAttachment(
    _ id: ID<Attachment>,
    of owner: ID<User>,
    in database: Database
) async throws -> Bool {
    try await database.transaction { work in
        _ = try await work.queryOne(AttachmentStatements.lockUsage, owner)
        guard let size = try await work.queryOne(AttachmentStatements.remove, id) else {
            return false
        }
        try await work.execute(AttachmentStatements.removeChunks, id)
        try await work.execute(AttachmentStatements.addUsage, owner, -size)
        return true
    }
}
