import HTTP
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// The feed as it grows, as server-sent events.
///
/// Each open stream looks by itself, by an index, four times a second: an event is seen on whatever
/// replica it was written, and nothing that commits late is passed over. A comment every 15 s keeps
/// proxies from closing it; it ends with its token, and where its session is revoked.
/// Source: WHATWG HTML, 9.2 (server-sent events).
struct StreamNotifications: Handler {
    static let endpoint = Notifications.stream
    static let lookNanoseconds: UInt64 = 250_000_000
    static let looksPerComment = 60
    let database: Database
    let revocations: Revocations
    let open: OpenStreams

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NotificationView> {
        let user = caller.user
        let last = request.http.head.text(.lastEventID).flatMap { ID<FeedNotification>($0) }
        let language = try await database.queryOne(PeopleStatements.language, user.id) ?? "en"
        // Read before anything else: what commits from here on is at or above it.
        let snapshot = try await database.queryOne(FeedStatements.snapshot) ?? "0"
        // What was there before the answer began is not told as new, though it may be above that.
        let old = try await database.query(FeedStatements.since, user.id, snapshot)
        let tail = FeedTail(
            user: user,
            language: language,
            database: database,
            revocations: revocations,
            last: last,
            old: old.map(\.id),
            cursor: snapshot
        )
        let open = self.open
        try open.check(user.id)
        request.http.setDeadline(.max)
        return .stream(type: "text/event-stream") { writer in
            try open.enter(user.id)
            defer { open.leave(user.id) }
            try await tail.run(writer)
        }
    }
}

/// One open stream: what it has told, and from where it looks next.
private final class FeedTail {
    private let user: UserIdentity
    private let language: String
    private let database: Database
    private let revocations: Revocations
    private let last: ID<FeedNotification>?
    private let old: [ID<FeedNotification>]
    private var cursor: String
    private var told: Set<ID<FeedNotification>> = []

    init(
        user: UserIdentity,
        language: String,
        database: Database,
        revocations: Revocations,
        last: ID<FeedNotification>?,
        old: [ID<FeedNotification>],
        cursor: String
    ) {
        self.user = user
        self.language = language
        self.database = database
        self.revocations = revocations
        self.last = last
        self.old = old
        self.cursor = cursor
    }

    func run(_ writer: BodyWriter) async throws {
        try await writer.write(Array(": open\n\n".utf8))
        if let last {
            try await tell(database.query(FeedStatements.after, user.id, last), writer)
        }
        told.formUnion(old)
        var looks = 0
        while !revocations.isRevoked(user), user.expiresAt > .now() {
            try await writer.loop.sleep(nanoseconds: StreamNotifications.lookNanoseconds)
            try await look(writer)
            looks += 1
            if looks % StreamNotifications.looksPerComment == 0 {
                try await writer.write(Array(": still here\n\n".utf8))
            }
        }
    }

    /// What has come since the last look; nothing while the database is away.
    private func look(_ writer: BodyWriter) async throws {
        let next: String
        let rows: [FeedRow]
        do {
            next = try await database.queryOne(FeedStatements.snapshot) ?? cursor
            rows = try await database.query(FeedStatements.since, user.id, cursor)
        } catch { return }
        try await tell(rows, writer)
        cursor = next
        // What is below the cursor cannot come again: it need not be remembered.
        if rows.isEmpty { told.removeAll() }
    }

    /// Writes what has not been told yet, of this page and of those behind it.
    private func tell(_ page: [FeedRow], _ writer: BodyWriter) async throws {
        var page = page
        while true {
            for row in page where told.insert(row.id).inserted {
                try await writer.write(try event(row))
            }
            guard page.count == FeedStatements.pageMax, let last = page.last else { return }
            page = try await database.query(FeedStatements.after, user.id, last.id)
        }
    }

    private func event(_ row: FeedRow) throws -> [UInt8] {
        let view = try row.view(language: language)
        return Array(
            "id: \(row.id.text)\nevent: \(row.kind.rawValue)\ndata: \(JSON.text(view))\n\n".utf8
        )
    }
}
