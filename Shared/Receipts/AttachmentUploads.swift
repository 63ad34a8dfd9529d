internal import Crypto
internal import HTTP
internal import Loops
public import Postgres
public import ServiceKit
public import WalletProtocol

/// What a file is put beside, and by whom.
public protocol AttachmentPlace {
    /// What the sender is answered with.
    associatedtype View: JSONValue

    /// Whose it is to be.
    var user: ID<User> { get }

    /// Refuses before a byte is read what cannot be taken.
    /// - Parameter size: the bytes, where the sender has told; else one.
    func check(adding size: Int) async throws

    /// Puts a file there that has come whole, which may have taken long: whatever was checked
    /// before is to be checked again.
    func put(_ file: NewAttachmentFile, in work: Transaction) async throws -> Response<View>
}

/// A file that has come whole.
public struct NewAttachmentFile: Sendable {
    /// Its own id.
    public let id: ID<Attachment>
    /// What it is called.
    public let name: String
    /// What it is, told by its bytes.
    public let type: AttachmentType
    /// How many bytes.
    public let size: Int
    /// SHA-256 of them.
    public let sha256: [UInt8]
}

/// Takes files in piece by piece; one is there once all of it is.
///
///     upload row ─▶ chunks, each committed ─▶ one transaction: key, limits, attachment row
///
/// A file given up in the middle leaves its upload row and chunks, which nobody sees: the next
/// answer to the sender, or else `AttachmentFiles.sweepUploads`, takes them away.
public struct AttachmentUploads {
    let effects: KeyedEffects
    let database: Database
    let slots: Slots

    /// How many files a loop takes in at once, and how many of one person's, however slowly they
    /// come.
    static let countMax = 64
    static let countPerUserMax = 16

    /// Those of one loop.
    public init(effects: KeyedEffects, database: Database) {
        self.effects = effects
        self.database = database
        slots = Slots(Self.countMax, perUserMax: Self.countPerUserMax)
    }

    /// Takes one in, under the name that was chosen or the one that came with it.
    public func take<Place: AttachmentPlace>(
        _ request: Request<NewAttachmentQuery, NoBody>,
        for place: Place,
        under scope: IdempotencyScope?
    ) async throws -> Response<Place.View> {
        do {
            // What has a key may have been answered before, and is looked at once the file is read.
            if try await scope.isUnknown(in: database) {
                try await place.check(adding: request.http.bodyLength ?? 1)
            }
        } catch let refusal as APIError {
            guard let scope else { throw refusal }
            return try await keep(refusal, of: request.http, under: scope)
        }
        guard let slot = slots.take(for: place.user) else {
            throw APIError(.unavailable, retryAfterSeconds: 2)
        }
        defer { slot.giveBack() }
        let upload = ID<Attachment>.new()
        try await database.execute(AttachmentFileStatements.begin, upload, place.user)
        do {
            let (file, sentDigest) = try await store(request, as: upload)
            var isTaken = false
            let response = try await effects.answer(scope?.including(sentDigest)) { work in
                let response = try await place.put(file, in: work)
                guard try await work.execute(AttachmentFileStatements.endUpload, upload) == 1
                else { throw APIError(.requestTimeout) }
                isTaken = true
                return response
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
    private func keep<View>(
        _ refusal: APIError,
        of request: HTTPRequest,
        under scope: IdempotencyScope
    ) async throws -> Response<View> {
        let hasher = SHA256Hasher()
        while let part = try await nextPart(of: request) { hasher.update(part) }
        return try await effects.run(scope.including(hasher.finish())) { _ in throw refusal }
    }

    /// Writes what is kept of the body into chunks as it comes.
    /// - Returns: the file, and the digest of what was sent, which a repeated call is known by.
    private func store(
        _ request: Request<NewAttachmentQuery, NoBody>,
        as upload: ID<Attachment>
    ) async throws -> (file: NewAttachmentFile, sentDigest: [UInt8]) {
        let (sentHasher, hasher) = (SHA256Hasher(), SHA256Hasher())
        var recognizer = FileRecognizer()
        var (sent, size, place) = (0, 0, Int32(0))
        let whole = AttachmentFiles.chunkBytes
        var chunk: [UInt8] = []
        chunk.reserveCapacity(whole + 65_536)
        while let part = try await nextPart(of: request.http) {
            sent += part.count
            guard sent <= Attachments.bytesMax else { throw APIError(.bodyTooLarge) }
            sentHasher.update(part)
            let kept = recognizer.take(part)
            if recognizer.isRefused { throw refusal(recognizer) }
            hasher.update(kept)
            size += kept.count
            chunk.append(contentsOf: kept)
            while chunk.count >= whole {
                try await write(Array(chunk[..<whole]), at: place, of: upload)
                chunk.removeFirst(whole)
                place += 1
            }
        }
        guard let (type, last) = recognizer.finish() else { throw refusal(recognizer) }
        hasher.update(last)
        size += last.count
        chunk.append(contentsOf: last)
        if !chunk.isEmpty { try await write(chunk, at: place, of: upload) }
        let disposition = request.http.head.text(.contentDisposition)
        let name = request.query.name ?? disposition.flatMap(AttachmentName.inDisposition)
        let file = NewAttachmentFile(
            id: upload,
            name: AttachmentName.clean(name, for: type),
            type: type,
            size: size,
            sha256: hasher.finish()
        )
        return (file, sentHasher.finish())
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
        let written = try await database.lease { lease in
            try await lease.execute(AttachmentFileStatements.insertChunk, upload, place, bytes)
        }
        // Swept: it took longer than anybody waits.
        guard written == 1 else { throw APIError(.requestTimeout) }
    }

    /// As well as it goes: what is left is swept.
    ///
    /// In a task of its own and past the request's deadline, for that may be what ended it.
    private func giveUp(_ upload: ID<Attachment>) async {
        let bound = LoopBound(database, to: database.loop.actor)
        await RequestContext.$current.withValue(nil) {
            database.loop.actor.spawn { actor in
                try? await bound.on(actor).transaction { work in
                    // Where the row has gone, the file stands or is being swept.
                    guard try await work.execute(AttachmentFileStatements.endUpload, upload) == 1
                    else { return }
                    try await work.execute(AttachmentFileStatements.removeChunks, upload)
                }
            }
        }.value
    }
}

extension IdempotencyScope? {
    /// Whether there is no key, or none that was used before.
    fileprivate func isUnknown(in database: Database) async throws -> Bool {
        guard let self else { return true }
        return try await !IdempotencyKeys.isKnown(self, in: database)
    }
}
