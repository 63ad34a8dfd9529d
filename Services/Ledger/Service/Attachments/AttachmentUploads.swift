import Crypto
import HTTP
import Postgres
import ServiceKit
import WalletProtocol

/// Takes files in piece by piece; one is there once all of it is.
///
///     upload row ─▶ chunks, each committed ─▶ one transaction: key, limits, attachment row
///
/// A file given up in the middle leaves its upload row and chunks, which nobody sees: the next
/// answer to the sender, or else `AttachmentSweep`, takes them away.
struct AttachmentUploads {
    let effects: KeyedEffects
    let attachments: AttachmentStore
    let limits: AttachmentLimits
    let slots: Slots

    /// Takes one in, under the name that was chosen or the one that came with it.
    func take(
        _ request: HTTPRequest,
        called chosen: String?,
        for transaction: ID<MoneyTransaction>,
        by user: ID<User>,
        under scope: IdempotencyScope?
    ) async throws -> Response<AttachmentView> {
        do {
            let isKnown = try await isKnown(scope)
            if !isKnown {
                try await attachments.check(transaction, for: user, changing: true)
                try await checkRoom(for: user, transaction, adding: request.bodyLength ?? 1)
            }
        } catch let refusal as APIError {
            guard let scope else { throw refusal }
            return try await keep(refusal, of: request, under: scope)
        }
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 2)
        }
        defer { slot.giveBack() }
        let upload = ID<Attachment>.new()
        try await attachments.database.execute(AttachmentStatements.begin, upload, user)
        do {
            let file = try await store(request, as: upload)
            let said = request.head.text(.contentDisposition)
            let name = AttachmentName.clean(
                chosen ?? said.flatMap(AttachmentName.inDisposition),
                for: file.type
            )
            var isTaken = false
            let scope = scope?.including(file.digest)
            let response: Response<AttachmentView> = try await effects.run(scope) { keyed in
                // It may have taken long.
                try await attachments.check(transaction, for: user, changing: true)
                return try await keyed.answer { work in
                    let row = try await finish(upload, file, called: name, transaction, user, work)
                    isTaken = true
                    let place = "/v1/transactions/\(row.transaction)/attachments/\(row.id)"
                    return .created(row.view, at: place)
                }
            }
            if !isTaken { await giveUp(upload) }
            return response
        } catch {
            await giveUp(upload)
            throw error
        }
    }

    /// Keeps a refusal under the key, which stands for the file as well: that is read to its end,
    /// and none of it is stored.
    private func keep(
        _ refusal: APIError,
        of request: HTTPRequest,
        under scope: IdempotencyScope
    ) async throws -> Response<AttachmentView> {
        let hasher = SHA256Hasher()
        while let part = try await nextPart(of: request) { hasher.update(part) }
        return try await effects.run(scope.including(hasher.finish())) { _ in throw refusal }
    }

    /// What has a key may have been answered before, and is looked at once the file is read.
    private func isKnown(_ scope: IdempotencyScope?) async throws -> Bool {
        guard let scope else { return false }
        return try await attachments.database.queryOne(
            AttachmentStatements.isKnownKey,
            scope.scope,
            scope.key
        ) == true
    }

    /// Refuses before a byte is read what cannot be taken.
    private func checkRoom(
        for user: ID<User>,
        _ transaction: ID<MoneyTransaction>,
        adding bytes: Int
    ) async throws {
        let room = try await attachments.database.queryOne(
            AttachmentStatements.room,
            user,
            transaction
        )
        try limits.check(room?.count ?? 0, room?.bytes ?? 0, adding: bytes)
    }

    private struct StoredFile {
        let type: AttachmentType
        let size: Int
        let digest: [UInt8]
    }

    /// Writes the body into chunks as it comes.
    private func store(
        _ request: HTTPRequest,
        as upload: ID<Attachment>
    ) async throws -> StoredFile {
        let hasher = SHA256Hasher()
        var recognizer = FileRecognizer()
        var (size, place) = (0, Int32(0))
        var chunk: [UInt8] = []
        chunk.reserveCapacity(AttachmentStore.chunkBytes + 65_536)
        while let part = try await nextPart(of: request) {
            size += part.count
            guard size <= Attachments.bytesMax else { throw APIError(.bodyTooLarge) }
            hasher.update(part)
            recognizer.take(part)
            if recognizer.isRefused { throw refusal(recognizer) }
            chunk.append(contentsOf: part)
            if chunk.count >= AttachmentStore.chunkBytes {
                try await write(Array(chunk[..<AttachmentStore.chunkBytes]), at: place, of: upload)
                chunk.removeFirst(AttachmentStore.chunkBytes)
                place += 1
            }
        }
        guard let type = recognizer.finish() else { throw refusal(recognizer) }
        if !chunk.isEmpty { try await write(chunk, at: place, of: upload) }
        return StoredFile(type: type, size: size, digest: hasher.finish())
    }

    private func refusal(_ recognizer: FileRecognizer) -> APIError {
        recognizer.type == nil
            ? APIError(.unsupportedMediaType, "a picture or a PDF is needed")
            : APIError(.unreadableAttachment)
    }

    private func nextPart(of request: HTTPRequest) async throws(APIError) -> [UInt8]? {
        do throws(BodyError) {
            return try await request.nextBodyPart()
        } catch {
            switch error {
            case .tooLarge: throw APIError(.bodyTooLarge)
            case .framing: throw APIError(.invalidRequest, "the body's framing is malformed")
            case .connection: throw APIError(.requestTimeout)
            }
        }
    }

    /// On a connection of its own for so long, for on a shared one others would wait behind it.
    private func write(
        _ bytes: [UInt8],
        at place: Int32,
        of upload: ID<Attachment>
    ) async throws {
        let written = try await attachments.database.lease { lease in
            try await lease.execute(AttachmentStatements.insertChunk, upload, place, bytes)
        }
        // Swept: it took longer than anybody waits.
        guard written == 1 else { throw APIError(.requestTimeout) }
    }

    private func finish(
        _ upload: ID<Attachment>,
        _ file: StoredFile,
        called name: String,
        _ transaction: ID<MoneyTransaction>,
        _ user: ID<User>,
        _ work: Transaction
    ) async throws -> AttachmentRow {
        try await work.execute(AttachmentStatements.makeUsage, user)
        // Behind this lock nothing else of theirs counts.
        let used = try await work.queryOne(AttachmentStatements.lockUsage, user) ?? 0
        let room = try await work.queryOne(AttachmentStatements.room, user, transaction)
        try limits.check(room?.count ?? 0, used, adding: file.size)
        guard try await work.execute(AttachmentStatements.endUpload, upload) == 1 else {
            throw APIError(.requestTimeout)
        }
        guard
            let row = try await work.queryOne(
                AttachmentStatements.insert,
                upload,
                transaction,
                user,
                name,
                file.type.rawValue,
                Int64(file.size),
                file.digest
            )
        else { throw APIError(.internalError) }
        try await work.execute(AttachmentStatements.addUsage, user, Int64(file.size))
        return row
    }

    /// As well as it goes: what is left is swept.
    private func giveUp(_ upload: ID<Attachment>) async {
        try? await attachments.database.transaction { work in
            // Where the row has gone, the file stands or is being swept.
            guard try await work.execute(AttachmentStatements.endUpload, upload) == 1 else {
                return
            }
            try await work.execute(AttachmentStatements.removeChunks, upload)
        }
    }
}

/// How much there may be.
struct AttachmentLimits: Sendable {
    /// Bytes of one user's.
    let userBytesMax: Int

    /// - Throws: `too-many-attachments`, `attachment-space-exhausted`.
    func check(_ count: Int64, _ bytes: Int64, adding size: Int) throws(APIError) {
        guard count < Attachments.countMax else { throw APIError(.tooManyAttachments) }
        guard bytes + Int64(size) <= userBytesMax else {
            throw APIError(.attachmentSpaceExhausted)
        }
    }
}
