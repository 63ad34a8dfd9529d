import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Tells, with a release, that everybody's figures of a month are there; once, whatever becomes of
/// that month later.
///
/// Of an installation that has never told of any, which may have years behind it, of the newest.
struct MonthAnnouncement {
    /// That of the release.
    let connection: LeasedConnection

    func run() async throws {
        try await connection.transaction { transaction in
            for month in try await transaction.query(MonthAnnouncementStatements.announce) {
                _ = try await Outbox.append(
                    InsightsMonthReleased(month: month.month),
                    of: "insights:months",
                    in: transaction
                )
            }
        }
    }
}
