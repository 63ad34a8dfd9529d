import Postgres
import ServiceKit
import WalletProtocol

/// Keeps the facts by the ledger's events; whatever comes twice or out of order ends the same.
enum FactEvents {
    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case TransactionPosted.eventType:
            let fact = try event.body(as: TransactionPosted.self)
            let statement =
                switch fact.kind {
                case .posted: FactStatements.post
                case .reversed: FactStatements.reverse
                }
            try await transaction.execute(
                statement,
                fact.userID,
                fact.transactionID,
                fact.version,
                fact.isOwnTransfer,
                fact.accountID,
                fact.accountKind.rawValue,
                fact.day,
                fact.amount.minorUnits,
                fact.amount.currency,
                fact.categoryID,
                fact.coicop?.rawValue
            )
        case CategoryChanged.eventType:
            let category = try event.body(as: CategoryChanged.self)
            // What was booked on a category before it went keeps its division.
            if category.isDeleted { return }
            try await transaction.execute(
                FactStatements.upsertCategory,
                category.userID,
                category.categoryID,
                category.coicop?.rawValue
            )
        default: break
        }
    }
}
