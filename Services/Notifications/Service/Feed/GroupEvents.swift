import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Turns what happens in groups into entries of the feeds of those whom it concerns.
enum GroupEvents {
    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case GroupThresholdCrossed.eventType:
            let body = try event.body(as: GroupThresholdCrossed.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                amount: Total(body.amount),
                other: body.spent
            )
            for user in body.userIDs {
                try await add(.thresholdCrossed, entry, to: user, event, transaction)
            }
        case GroupExpenseAdded.eventType:
            let body = try event.body(as: GroupExpenseAdded.self)
            for share in body.shares {
                guard let user = share.userID, user != body.addedBy else { continue }
                let entry = FeedEntry(
                    groupID: body.groupID,
                    amount: Total(body.amount),
                    other: Total(share.owed)
                )
                try await add(.expenseAdded, entry, to: user, event, transaction)
            }
        case GroupSettlementRecorded.eventType:
            let body = try event.body(as: GroupSettlementRecorded.self)
            // One currency is the rule; of several no single amount says what was settled.
            let amount = body.payments.count == 1 ? Total(body.payments[0].amount) : nil
            let entry = FeedEntry(groupID: body.groupID, amount: amount, other: nil)
            for user in body.userIDs where user != body.recordedBy {
                try await add(.settlementRecorded, entry, to: user, event, transaction)
            }
        case InvitationSent.eventType:
            let body = try event.body(as: InvitationSent.self)
            guard let user = body.userID else { return }
            let entry = FeedEntry(
                groupID: body.groupID,
                accountID: body.accountID,
                folderID: body.folderID
            )
            try await add(.invitationReceived, entry, to: user, event, transaction)
        case InvitationAnswered.eventType:
            let body = try event.body(as: InvitationAnswered.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                accountID: body.accountID,
                folderID: body.folderID
            )
            try await add(.invitationAnswered, entry, to: body.invitedBy, event, transaction)
        default: break
        }
    }

    /// Adds an entry to a feed, once per event and reader.
    static func add(
        _ kind: NotificationKind,
        _ entry: FeedEntry,
        to user: ID<User>,
        _ event: EventEnvelope,
        _ transaction: Transaction
    ) async throws {
        try await transaction.execute(
            FeedStatements.insert,
            user,
            id(of: event, for: user),
            kind.rawValue,
            PostgresJSON(JSON.text(entry))
        )
    }

    /// A function of event and recipient: in order of time, and the same however often it is made.
    static func id(of event: EventEnvelope, for user: ID<User>) -> ID<FeedNotification> {
        let digest = SHA256.digest(event.id.bytes + user.bytes)
        let random = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ID<FeedNotification>.at(event.time, random: random)
    }
}
