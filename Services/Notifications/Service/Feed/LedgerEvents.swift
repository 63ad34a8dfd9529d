import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Turns what happens in somebody's ledger into entries of their feed.
///
/// Whose child somebody is stands with groups: parents are told once families tell of themselves.
enum LedgerEvents {
    /// Aggregates of which each has no other events, as sequences count all.
    static let filters = [
        "ezwallet.ledger.wallet.budget.>", "ezwallet.ledger.wallet.recurrence.>",
    ]

    /// What is posted, of which there is far more than anybody is told of.
    static let postings = "ezwallet.ledger.wallet.transaction.posted.v1"

    /// What somebody else has sent: the payee's side of a transfer, when it comes.
    static let transfersReceived = EventChoice { event in
        guard event.type == TransactionPosted.eventType else { return false }
        guard let body = try? event.body(as: TransactionPosted.self) else { return true }
        return isTransferReceived(body)
    }

    /// A later version is the same money under another category or name.
    private static func isTransferReceived(_ posted: TransactionPosted) -> Bool {
        posted.kind == .posted && posted.version == 1 && posted.transferID != nil
            && !posted.isOwnTransfer && posted.amount.minorUnits > 0
    }

    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case BudgetExceeded.eventType:
            let body = try event.body(as: BudgetExceeded.self)
            try await FeedStore.add(
                .budgetExceeded,
                FeedEntry(
                    amount: body.budget,
                    other: body.spent,
                    categoryID: body.categoryID
                ),
                to: body.userID,
                event,
                transaction
            )
        case RecurrenceSkipped.eventType:
            let body = try event.body(as: RecurrenceSkipped.self)
            try await FeedStore.add(
                .recurrenceSkipped,
                FeedEntry(
                    amount: Total(body.amount),
                    recurrenceID: body.recurrenceID,
                    reason: body.reason
                ),
                to: body.userID,
                event,
                transaction
            )
        case TransactionPosted.eventType:
            let body = try event.body(as: TransactionPosted.self)
            guard isTransferReceived(body) else { return }
            try await FeedStore.add(
                .transferReceived,
                FeedEntry(accountID: body.accountID, amount: Total(body.amount)),
                to: body.userID,
                event,
                transaction
            )
        default: break
        }
    }
}
