import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Tells parents of what their children do in the ledger.
enum ChildEvents {
    /// Budgets alone: their aggregates have no other events, as sequences count all.
    static let filter = "ezwallet.ledger.wallet.budget.>"

    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        guard event.type == BudgetExceeded.eventType else { return }
        let body = try event.body(as: BudgetExceeded.self)
        guard let family = try await transaction.queryOne(FamilyStatements.ofUser, body.userID),
            family.role == .child
        else { return }
        let members = try await transaction.query(FamilyStatements.members, family.id)
        try await Outbox.append(
            FamilyChildOverspent(
                familyID: family.id,
                childID: body.userID,
                budget: body.budget,
                spent: body.spent,
                userIDs: members.filter { $0.role == .parent }.map(\.user)
            ),
            of: "family:\(family.id.text)",
            in: transaction
        )
    }
}
