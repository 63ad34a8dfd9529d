import HTTP
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// The feed as it grows, as server-sent events.
///
/// `FeedWatch` looks for all streams of a loop at once. A comment every 15 s keeps proxies from
/// closing one; it ends with its token, and where its session is revoked.
/// Source: WHATWG HTML, 9.2 (server-sent events).
struct StreamNotifications: Handler {
    static let endpoint = Notifications.stream
    static let commentNanoseconds: UInt64 = 15_000_000_000
    let feed: FeedStore
    let watch: FeedWatch
    let revocations: Revocations
    let open: OpenStreams

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NotificationView> {
        let user = caller.user
        let tail = FeedTail(
            user: user,
            start: try await feed.start(of: user.id),
            database: feed.database,
            watch: watch,
            revocations: revocations,
            last: request.http.head.text(.lastEventID).flatMap { ID<FeedNotification>($0) }
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

/// One open stream: what it has told.
private final class FeedTail {
    private let user: UserIdentity
    private let start: FeedStart
    private let database: Database
    private let watch: FeedWatch
    private let revocations: Revocations
    private let last: ID<FeedNotification>?
    private var told: Set<ID<FeedNotification>> = []

    init(
        user: UserIdentity,
        start: FeedStart,
        database: Database,
        watch: FeedWatch,
        revocations: Revocations,
        last: ID<FeedNotification>?
    ) {
        self.user = user
        self.start = start
        self.database = database
        self.watch = watch
        self.revocations = revocations
        self.last = last
    }

    func run(_ writer: BodyWriter) async throws {
        try await writer.write(Array(": open\n\n".utf8))
        if let last {
            try await tell(database.query(FeedStatements.after, user.id, last), writer)
        }
        told.formUnion(start.old)
        let listener = FeedListener(for: user.id, on: writer.loop)
        try await watch.enter(listener)
        defer { watch.leave(listener) }
        // What has come since the answer began: from here on the watch sees it.
        try await tell(database.query(FeedStatements.since, user.id, start.snapshot), writer)
        listener.isReady = true
        try await follow(listener, writer)
    }

    private func follow(_ listener: FeedListener, _ writer: BodyWriter) async throws {
        var commentDue = writer.loop.now + StreamNotifications.commentNanoseconds
        while !revocations.isRevoked(user), user.expiresAt > .now() {
            let rows = try await listener.next(withinNanoseconds: 2 * FeedWatch.lookNanoseconds)
            if let rows {
                try await tell(rows, writer, pageMax: FeedStatements.watchedMax)
                // What is below the next look cannot come again: it need not be remembered.
                if rows.isEmpty { told.removeAll() }
            }
            guard writer.loop.now >= commentDue else { continue }
            commentDue = writer.loop.now + StreamNotifications.commentNanoseconds
            try await writer.write(Array(": still here\n\n".utf8))
        }
    }

    /// Writes what has not been told yet, of this page and of those behind it.
    private func tell(
        _ page: [FeedRow],
        _ writer: BodyWriter,
        pageMax: Int = FeedStatements.pageMax
    ) async throws {
        for row in page where told.insert(row.id).inserted {
            try await writer.write(try event(row))
        }
        var (count, last) = (page.count, page.last)
        var max = pageMax
        while count >= max, let behind = last {
            let more = try await database.query(FeedStatements.after, user.id, behind.id)
            for row in more where told.insert(row.id).inserted {
                try await writer.write(try event(row))
            }
            (count, last, max) = (more.count, more.last, FeedStatements.pageMax)
        }
    }

    private func event(_ row: FeedRow) throws -> [UInt8] {
        let view = try row.view(language: start.language)
        return Array(
            "id: \(row.id.text)\nevent: \(row.kind.rawValue)\ndata: \(JSON.text(view))\n\n".utf8
        )
    }
}
