import Archives
import Postgres
import ServiceKit
import WalletProtocol

/// Gathers what every service holds on somebody into one file.
///
/// Page by page and piece by piece: memory is bounded by both, whatever the person has. An attempt
/// that ends in between leaves pieces that nobody reads; the next one begins anew.
final class ExportWork {
    private let database: Database
    private let client: InternalClient
    private let store: ExportStore
    private let messages: MessageJobs
    private let logger: Logger
    private let begun: BegunWork

    /// What is written at once.
    static let pieceBytes = 256 * 1_024

    /// Another attempt has begun, or the person is gone.
    struct NotOurs: Error {}

    init(_ service: ServiceLoop, store: ExportStore, messages: MessageJobs) {
        database = service.database
        client = service.internalClient
        logger = service.logger
        begun = BegunWork(service)
        self.store = store
        self.messages = messages
    }

    /// Makes the export that has been due for longest.
    /// - Returns: whether there was one.
    func doOne() async throws -> Bool {
        guard
            let export = try await database.queryOne(
                ExportStatements.claim,
                ExportStatements.turnSeconds
            )
        else { return false }
        try await begun.attempt("export", export.id) { attempt in
            if attempt.isHopeless {
                try await database.execute(ExportStatements.fail, export.id, export.attempt)
            } else {
                try await gatherOrWait(export, attempt)
            }
        }
        return true
    }

    private func gatherOrWait(_ export: ExportRecord, _ attempt: BegunWork.Attempt) async throws {
        do {
            try await gather(export, attempt)
        } catch is NotOurs {
        } catch {
            logger.warning(
                "export waits",
                [("export", export.id.text), ("cause", String(describing: error))]
            )
            try await database.execute(ExportStatements.postpone, export.id, export.attempt)
        }
    }

    private func gather(_ export: ExportRecord, _ attempt: BegunWork.Attempt) async throws {
        try await database.execute(
            ExportStatements.deleteOtherPieces,
            export.id,
            export.attempt
        )
        let file = ExportFile(export, store: store, zip: try ZipWriter())
        for source in sources(of: export.user) {
            var query: ExportQuery? = ExportQuery()
            while let wanted = query {
                attempt.advance()
                let page = try await source(wanted)
                try await file.write(page, isFirst: wanted.after == nil)
                query =
                    page.after.map { ExportQuery(part: page.part, after: $0) }
                    ?? page.nextPart.map { ExportQuery(part: $0) }
                guard
                    try await database.queryOne(
                        ExportStatements.keep,
                        export.id,
                        export.attempt,
                        ExportStatements.turnSeconds
                    ) != nil
                else { throw NotOurs() }
            }
        }
        try await tell(of: export, size: try await file.finish())
    }

    /// Every service's lists, one page at a call.
    private func sources(
        of user: ID<User>
    ) -> [(ExportQuery) async throws -> ExportPage] {
        let (database, client) = (database, client)
        return
            [
                { query in
                    try await ExportPart.page(
                        query,
                        of: user,
                        from: OwnExportStatements.parts,
                        in: database
                    )
                }
            ]
            + [
                InternalExports.ledger, InternalExports.groups, InternalExports.analytics,
                InternalExports.notifications,
            ].map { endpoint in
                { query in
                    try await client.call(
                        endpoint,
                        path: ["id": user.text],
                        query: query,
                        body: NoBody()
                    )
                }
            }
    }

    /// Ends the attempt, with the mail that says so.
    private func tell(of export: ExportRecord, size: Int64) async throws {
        try await database.transaction { [messages] transaction in
            guard
                let person = try await transaction.queryOne(
                    UserStatements.credentialByID,
                    export.user
                ),
                try await transaction.queryOne(
                    ExportStatements.finish,
                    export.id,
                    export.attempt,
                    size
                ) != nil
            else { throw NotOurs() }
            try await messages.add(
                .exportReady,
                by: .email,
                to: person.email,
                language: person.language,
                user: export.user,
                parameters: [:],
                lifeSeconds: 86_400,
                in: transaction
            )
        }
    }
}

/// The file of an attempt on its way into the database.
private final class ExportFile {
    private let export: ExportRecord
    private let store: ExportStore
    private let zip: ZipWriter
    private var place: Int32 = 0
    private var size: Int64 = 0
    private var isEmpty = true
    private var isListOpen = false

    init(_ export: ExportRecord, store: ExportStore, zip: ZipWriter) {
        self.export = export
        self.store = store
        self.zip = zip
    }

    /// Adds a page; the first of a part begins its file.
    func write(_ page: ExportPage, isFirst: Bool) async throws {
        if isFirst {
            try endList()
            try zip.begin(page.part + ".json")
            try zip.write(Array("[".utf8))
            (isListOpen, isEmpty) = (true, true)
        }
        var bytes: [UInt8] = []
        for item in page.items {
            bytes.append(contentsOf: (isEmpty ? "\n" : ",\n").utf8)
            bytes.append(contentsOf: item.bytes)
            isEmpty = false
        }
        try zip.write(bytes)
        if zip.waiting >= ExportWork.pieceBytes { try await keep() }
    }

    /// Ends the archive.
    /// - Returns: its length.
    func finish() async throws -> Int64 {
        try endList()
        try zip.finish()
        try await keep()
        return size
    }

    private func endList() throws {
        guard isListOpen else { return }
        try zip.write(Array("\n]\n".utf8))
        isListOpen = false
    }

    private func keep() async throws {
        let bytes = zip.take()
        try await store.keep(bytes, at: place, of: export)
        place += 1
        size += Int64(bytes.count)
    }
}
