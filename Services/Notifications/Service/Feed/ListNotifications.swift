import ServiceKit
import WalletProtocol

/// The feed, newest first.
struct ListNotifications: Handler {
    static let endpoint = Notifications.list
    let feed: FeedStore

    func handle(
        _ request: Request<FeedQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NotificationPage> {
        .ok(try await feed.page(request.query, of: caller.user.id))
    }
}

/// Marks one as read.
struct ReadNotification: Handler {
    static let endpoint = Notifications.read
    let effects: KeyedEffects
    let feed: FeedStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NotificationView> {
        let id = try request.path.id(of: FeedNotification.self)
        return try await effects.answer(request.idempotency) { transaction in
            .ok(try await feed.read(id, by: caller.user.id, in: transaction))
        }
    }
}

/// Marks all as read: a repetition under a key leaves what has come since as it is.
struct ReadAllNotifications: Handler {
    static let endpoint = Notifications.readAll
    let effects: KeyedEffects
    let feed: FeedStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<UnreadView> {
        try await effects.answer(request.idempotency) { transaction in
            try await feed.readAll(by: caller.user.id, in: transaction)
            return .ok(UnreadView(unreadCount: 0))
        }
    }
}
