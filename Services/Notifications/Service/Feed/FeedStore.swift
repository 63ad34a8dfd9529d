import Postgres
import ServiceKit
import WalletProtocol

/// Writes and reads somebody's feed, in their language, and marks what they have read.
struct FeedStore {
    let database: Database

    /// The newest first.
    func page(_ query: FeedQuery, of user: ID<User>) async throws -> NotificationPage {
        let before =
            try query.cursor?.decode(ID<FeedNotification>.self)
            ?? ID<FeedNotification>(high: .max, low: .max)
        let statement = query.isUnread ? FeedStatements.listUnread : FeedStatements.list
        let rows = try await database.query(statement, user, before, query.limit + 1)
        let language = try await language(of: user, in: database)
        let unread = try await database.queryOne(FeedStatements.unreadCount, user) ?? 0
        let views = try rows.map { try $0.view(language: language) }
        let list = PageItems(rows: views, limit: query.limit)
        let next = list.isCut ? list.items.last.map { Cursor($0.id) } : nil
        return NotificationPage(list, nextCursor: next, unreadCount: Int(unread))
    }

    /// Marks one as read.
    func read(
        _ id: ID<FeedNotification>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> NotificationView {
        guard let row = try await transaction.queryOne(FeedStatements.markRead, user, id) else {
            throw APIError.notFound
        }
        return try row.view(language: await language(of: user, in: transaction))
    }

    /// Marks all as read.
    func readAll(by user: ID<User>, in transaction: Transaction) async throws {
        try await transaction.execute(FeedStatements.markAllRead, user)
    }

    /// Where a stream begins.
    func start(of user: ID<User>) async throws -> FeedStart {
        let language = try await language(of: user, in: database)
        // Read before anything else: what commits from here on is at or above it.
        let snapshot = try await database.queryOne(FeedStatements.snapshot) ?? "0"
        // What was there before the answer began is not told as new, though it may be above that.
        let old = try await database.query(FeedStatements.since, user, snapshot)
        return FeedStart(language: language, snapshot: snapshot, old: old.map(\.id))
    }

    private func language(
        of user: ID<User>,
        in database: some Querying
    ) async throws -> String {
        try await database.queryOne(PeopleStatements.language, user) ?? "en"
    }
}

/// What a stream knows as it begins.
struct FeedStart: Sendable {
    let language: String
    let snapshot: String
    let old: [ID<FeedNotification>]
}
