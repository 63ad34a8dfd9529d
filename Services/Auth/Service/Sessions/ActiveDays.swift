import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Tells once a day in UTC that somebody was there, for everybody's figures.
///
/// A log-in and a refresh count; what is done by an access token is within an hour of one of them.
/// Who is no user has nothing of their own, and is not counted.
enum ActiveDays {
    /// Tells of today, unless it has been told of: of those that do at once, one tells.
    static func tell(_ user: ID<User>, in transaction: Transaction) async throws {
        let day = try await transaction.queryOne(ActiveDayStatements.begin, user)
        guard let day else { return }
        try await Outbox.append(
            UserActive(userID: user, day: day),
            of: "user:" + user.text,
            in: transaction
        )
    }
}
