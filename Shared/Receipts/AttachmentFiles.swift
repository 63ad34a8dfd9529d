public import HTTP
public import Postgres
public import ServiceKit
public import WalletProtocol

/// Gives kept files out, and takes away what is left of others.
public struct AttachmentFiles {
    let database: Database

    /// Bytes of a chunk.
    static let chunkBytes = 262_144

    /// Those of a service's own database.
    public init(database: Database) { self.database = database }

    /// A file's content, chunk by chunk: all of it, the range that is wanted, or that it is known.
    ///
    /// To be saved and never shown, whatever is in it: no page of ours has it as its own.
    public func response(with file: AttachmentFile, to head: MessageHead) -> Response<NoView> {
        var response = content(of: file, head)
        guard response.status != 416 else { return response }
        response.headers.append("content-security-policy", ContentPolicy.file)
        return response.tagged(file.digest)
    }

    private func content(of file: AttachmentFile, _ head: MessageHead) -> Response<NoView> {
        var response: Response<NoView>
        if let known = head.text(.ifNoneMatch), AttachmentContent.names(known, file.digest) {
            response = .noContent
            response.status = 304
            return response
        }
        // A part of another version would be of no use.
        let isCurrent = head.text(.ifRange).map { $0 == "\"\(file.digest)\"" } ?? true
        let range = isCurrent ? AttachmentContent.range(head.text(.range), of: file.size) : nil
        if let range, range.isEmpty {
            response = .noContent
            response.status = 416
            response.headers.append("content-range", "bytes */\(file.size)")
            return response
        }
        let sent = range ?? 0..<file.size
        let (files, id) = (self, file.id)
        response = .stream(type: file.type.rawValue, length: sent.count) { writer in
            try await files.write(sent, of: id, to: writer)
        }
        if let range {
            response.status = 206
            response.headers.append(
                "content-range",
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
            )
        }
        response.headers.append(.contentDisposition, AttachmentName.disposition(file.name))
        response.headers.append("accept-ranges", "bytes")
        return response
    }

    /// A chunk at a time, each from a connection that is held no longer than for it: who reads
    /// slowly keeps nobody waiting.
    /// - Throws: where a chunk is gone, for then the file is; the connection breaks.
    private func write(
        _ range: Range<Int>,
        of id: ID<Attachment>,
        to writer: BodyWriter
    ) async throws {
        var at = range.lowerBound
        while at < range.upperBound {
            let place = at / Self.chunkBytes
            let start = at - place * Self.chunkBytes
            let bytes = try await database.lease { lease in
                try await lease.queryOne(AttachmentFileStatements.chunk, id, Int32(place))
            }
            guard let bytes, bytes.count > start else { throw APIError.notFound }
            let count = min(bytes.count - start, range.upperBound - at)
            try await writer.write(
                count == bytes.count ? bytes : Array(bytes[start..<start + count])
            )
            at += count
        }
    }

    /// Takes away files that never came to their end; true: there may be more.
    public func sweepUploads() async throws -> Bool {
        try await database.transaction { work in
            let abandoned = try await work.query(AttachmentFileStatements.takeAbandoned)
            for id in abandoned {
                try await work.execute(AttachmentFileStatements.removeChunks, id)
            }
            return !abandoned.isEmpty
        }
    }

    /// Takes away all bytes of a person who is erased, and what of theirs is still coming in.
    ///
    /// That first: what comes in afterwards finds no upload to be a part of.
    public static func erase(_ user: ID<User>, in database: some Querying) async throws {
        try await database.execute(AttachmentFileStatements.eraseUploads, user)
        while try await database.execute(AttachmentFileStatements.eraseChunks, user) > 0 {}
    }
}
