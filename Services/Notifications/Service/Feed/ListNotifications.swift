import Postgres
import ServiceKit
import WalletProtocol

/// The feed, newest first.
struct ListNotifications: Handler {
    static let endpoint = Notifications.list
    let database: Database

    func handle(
        _ request: Request<FeedQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NotificationPage> {
        let user = caller.user.id
        let query = request.query
        let before =
            try query.cursor?.decode(ID<FeedNotification>.self)
            ?? ID<FeedNotification>(high: .max, low: .max)
        let statement = query.isUnread ? FeedStatements.listUnread : FeedStatements.list
        let rows = try await database.query(statement, user, before, query.limit + 1)
        let language = try await database.queryOne(PeopleStatements.language, user) ?? "en"
        let unread = try await database.queryOne(FeedStatements.unreadCount, user) ?? 0
        let items = try rows.prefix(query.limit).map { try $0.view(language: language) }
        let next = rows.count > query.limit ? items.last.map { Cursor($0.id) } : nil
        return .ok(NotificationPage(items: items, nextCursor: next, unreadCount: Int(unread)))
    }
}

/// Marks one as read.
struct ReadNotification: Handler {
    static let endpoint = Notifications.read
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NotificationView> {
        let id = try request.path.id(of: FeedNotification.self)
        guard
            let row = try await database.queryOne(
                FeedStatements.markRead,
                caller.user.id,
                id
            )
        else { throw APIError.notFound }
        let language = try await database.queryOne(PeopleStatements.language, caller.user.id)
        return .ok(try row.view(language: language ?? "en"))
    }
}

/// Marks all as read.
struct ReadAllNotifications: Handler {
    static let endpoint = Notifications.readAll
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<UnreadView> {
        try await database.execute(FeedStatements.markAllRead, caller.user.id)
        return .ok(UnreadView(unreadCount: 0))
    }
}
