import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Mails those who may read everybody's figures that a month's are there, once each and month.
///
/// The mail has no figure. It would be read without an entry in the audit log, by whoever has the
/// mailbox, and after the role is withdrawn; and what a later release hides, as when somebody is
/// erased, would stay in it. So it says where they are, to whoever signs in.
struct MonthlyReports {
    let messages: MessageStore
    /// Where the client is served.
    let publicURL: String

    /// A month's figures are news for so long: an event that comes later is mailed to nobody.
    private static let lifeSeconds: Int64 = 7 * 86_400

    func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        guard event.type == InsightsMonthReleased.eventType else { return }
        let month = try event.body(as: InsightsMonthReleased.self).month
        let expiresAt = event.time.adding(seconds: Self.lifeSeconds)
        guard expiresAt > .now() else { return }
        let readers = try await transaction.query(PeopleStatements.insightReaders)
        // In one order, before a message takes the lock of each by itself.
        try await ErasedUsers.hold(readers.map(\.id), in: transaction)
        for reader in readers {
            let message = try message(of: month, to: reader, until: expiresAt)
            _ = try await messages.keep(message, in: transaction)
        }
    }

    private func message(
        of month: Month,
        to reader: InsightReader,
        until expiresAt: Instant
    ) throws -> NewMessage {
        // By person and month: whatever comes twice is the same message.
        let id = ID<OutgoingMessage>(digesting: "\(reader.id) \(month)", in: "monthly-report")
        let parameters = [
            "from": month.firstDay.text, "to": month.lastDay.text,
            "link": "\(publicURL)/insights?month=\(month)",
        ]
        let sealed = messages.seal.seal(JSON.write(parameters), context: id.bytes)
        return NewMessage(
            id: id,
            template: .monthlyReport,
            channel: .email,
            recipient: reader.email,
            language: reader.language,
            userID: reader.id,
            sealedParameters: Base64URL.encode(sealed),
            expiresAt: expiresAt
        )
    }
}
