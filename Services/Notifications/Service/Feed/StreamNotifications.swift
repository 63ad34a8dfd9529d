import HTTP
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// The feed as it grows, as server-sent events.
///
/// Each open stream looks by itself, by an index, four times a second: an event is seen on whatever
/// replica it was written, and nothing that commits late is passed over. A comment every 15 s keeps
/// proxies from closing it; a revoked session ends it.
/// Source: WHATWG HTML, 9.2 (server-sent events).
struct StreamNotifications: Handler {
    static let endpoint = Notifications.stream
    static let lookNanoseconds: UInt64 = 250_000_000
    static let looksPerComment = 60
    let database: Database
    let revocations: Revocations

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NotificationView> {
        let user = caller.user
        let last = request.http.head.text(.lastEventID).flatMap { ID<FeedNotification>($0) }
        let language = try await database.queryOne(PeopleStatements.language, user.id) ?? "en"
        // Read before anything else: what commits from here on is at or above it.
        let snapshot = try await database.queryOne(FeedStatements.snapshot) ?? "0"
        var missed: [FeedRow] = []
        if let last { missed = try await database.query(FeedStatements.after, user.id, last) }
        request.http.setDeadline(.max)
        let tail = FeedTail(
            user: user,
            language: language,
            database: database,
            revocations: revocations,
            missed: missed,
            cursor: snapshot
        )
        return .stream(type: "text/event-stream") { writer in try await tail.run(writer) }
    }
}

/// One open stream: what it has told, and from where it looks next.
private final class FeedTail {
    private let user: UserIdentity
    private let language: String
    private let database: Database
    private let revocations: Revocations
    private let missed: [FeedRow]
    private var cursor: String
    private var told: Set<ID<FeedNotification>>

    init(
        user: UserIdentity,
        language: String,
        database: Database,
        revocations: Revocations,
        missed: [FeedRow],
        cursor: String
    ) {
        self.user = user
        self.language = language
        self.database = database
        self.revocations = revocations
        self.missed = missed
        self.cursor = cursor
        told = Set(missed.map(\.id))
    }

    func run(_ writer: BodyWriter) async throws {
        try await writer.write(Array(": open\n\n".utf8))
        for row in missed { try await writer.write(try event(row)) }
        var looks = 0
        while !revocations.isRevoked(user) {
            try await writer.loop.sleep(nanoseconds: StreamNotifications.lookNanoseconds)
            for row in await look() { try await writer.write(try event(row)) }
            looks += 1
            if looks % StreamNotifications.looksPerComment == 0 {
                try await writer.write(Array(": still here\n\n".utf8))
            }
        }
    }

    /// What has come since the last look; nothing while the database is away.
    private func look() async -> [FeedRow] {
        do {
            let next = try await database.queryOne(FeedStatements.snapshot) ?? cursor
            let rows = try await database.query(FeedStatements.since, user.id, cursor)
            cursor = next
            // What is below the cursor cannot come again: it need not be remembered.
            if rows.isEmpty { told.removeAll() }
            return rows.filter { told.insert($0.id).inserted }
        } catch { return [] }
    }

    private func event(_ row: FeedRow) throws -> [UInt8] {
        let view = try row.view(language: language)
        return Array(
            "id: \(row.id.text)\nevent: \(row.kind.rawValue)\ndata: \(JSON.text(view))\n\n".utf8
        )
    }
}
