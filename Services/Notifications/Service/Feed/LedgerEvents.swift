import WalletProtocol

/// Turns what happens in somebody's ledger into entries of their feed.
///
/// Of children parents are told by groups.
enum LedgerEvents {
    /// Aggregates of which each has no other events, as sequences count all.
    static let filters = [
        "ezwallet.ledger.wallet.budget.>", "ezwallet.ledger.wallet.recurrence.>",
        "ezwallet.ledger.wallet.standing-order.>",
    ]

    static func add(_ event: EventEnvelope, to lines: inout FeedLines) throws {
        switch event.type {
        case BudgetExceeded.eventType:
            let body = try event.body(as: BudgetExceeded.self)
            lines.add(
                .budgetExceeded,
                FeedEntry(
                    amount: body.budget,
                    other: body.spent,
                    categoryID: body.categoryID
                ),
                to: body.userID,
                event
            )
        case RecurrenceSkipped.eventType:
            let body = try event.body(as: RecurrenceSkipped.self)
            lines.add(
                .recurrenceSkipped,
                FeedEntry(
                    amount: Total(body.amount),
                    recurrenceID: body.recurrenceID,
                    reason: body.reason
                ),
                to: body.userID,
                event
            )
        case StandingOrderSkipped.eventType:
            let body = try event.body(as: StandingOrderSkipped.self)
            lines.add(
                .standingOrderSkipped,
                FeedEntry(
                    amount: Total(body.amount),
                    standingOrderID: body.standingOrderID,
                    isPaused: body.isPaused,
                    reason: body.reason
                ),
                to: body.userID,
                event
            )
        default: break
        }
    }
}
