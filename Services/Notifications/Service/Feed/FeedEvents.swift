import Postgres
import WalletProtocol

/// What events of groups and of ledgers tell people, in their feeds.
enum FeedEvents {
    /// Hundreds at once: an expense alone tells everybody in its group.
    static func apply(_ events: [EventEnvelope], in transaction: Transaction) async throws {
        var lines = FeedLines()
        for event in events {
            try GroupEvents.add(event, to: &lines)
            try LedgerEvents.add(event, to: &lines)
        }
        try await lines.write(in: transaction)
    }
}
