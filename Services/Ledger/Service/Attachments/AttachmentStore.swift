import HTTP
import Postgres
import ServiceKit
import WalletProtocol

/// Reads attachments, and takes them away.
struct AttachmentStore {
    let database: Database

    /// Bytes of a chunk.
    static let chunkBytes = 262_144

    /// Lets somebody see or change the attachments of a transaction; those that they add are in
    /// their own space.
    /// - Throws: 404 for a stranger, 403 for whoever may only see them.
    func check(
        _ transaction: ID<MoneyTransaction>,
        for user: ID<User>,
        changing: Bool = false
    ) async throws {
        guard
            let mayChange = try await database.queryOne(
                AttachmentStatements.mayUse,
                user,
                transaction
            )
        else { throw APIError.notFound }
        if changing, !mayChange { throw APIError(.forbidden) }
    }

    /// Those of a transaction, oldest first.
    func list(
        of transaction: ID<MoneyTransaction>,
        for user: ID<User>
    ) async throws -> [AttachmentRow] {
        try await check(transaction, for: user)
        return try await database.query(AttachmentStatements.list, transaction)
    }

    func find(
        _ id: ID<Attachment>,
        of transaction: ID<MoneyTransaction>,
        for user: ID<User>
    ) async throws -> AttachmentRow {
        try await check(transaction, for: user)
        guard
            let row = try await database.queryOne(AttachmentStatements.find, transaction, id)
        else { throw APIError.notFound }
        return row
    }

    /// Takes one away for whoever may change its transaction.
    func remove(
        _ id: ID<Attachment>,
        of transaction: ID<MoneyTransaction>,
        for user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws {
        let row = try await find(id, of: transaction, for: user)
        if let wanted, !wanted.contains(row.digest) { throw APIError(.preconditionFailed) }
        try await check(transaction, for: user, changing: true)
        let owner = try await database.queryOne(AttachmentStatements.owner, id)
        guard let owner, try await remove(id, of: owner) else { throw APIError.notFound }
    }

    /// Leaves a tombstone in its place; false: it has gone already.
    func remove(_ id: ID<Attachment>, of owner: ID<User>) async throws -> Bool {
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

    /// A chunk at a time, each from a connection that is held no longer than for it: who reads
    /// slowly keeps nobody waiting.
    /// - Throws: where a chunk is gone, for then the file is; the connection breaks.
    func write(
        _ range: Range<Int>,
        of id: ID<Attachment>,
        to writer: BodyWriter
    ) async throws {
        var at = range.lowerBound
        while at < range.upperBound {
            let place = at / Self.chunkBytes
            let start = at - place * Self.chunkBytes
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
}
