import WalletProtocol

/// How many streams each user has open on one loop: each costs queries for as long as it lasts.
final class OpenStreams {
    /// A page, an app and some that are about to close.
    static let perUserMax = 16
    private var counts: [ID<User>: Int] = [:]

    /// How many are open altogether.
    var count: Int { counts.values.reduce(0, +) }

    /// - Throws: 429 where the user has as many as may be.
    func check(_ user: ID<User>) throws {
        guard counts[user, default: 0] < Self.perUserMax else {
            throw APIError(.tooManyRequests, retryAfterSeconds: 15)
        }
    }

    func enter(_ user: ID<User>) throws {
        try check(user)
        counts[user, default: 0] += 1
    }

    func leave(_ user: ID<User>) {
        guard let count = counts[user], count > 1 else {
            counts[user] = nil
            return
        }
        counts[user] = count - 1
    }
}
