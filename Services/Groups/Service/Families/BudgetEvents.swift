import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Tells parents of what happens to their children's budgets and their own in the ledger.
enum BudgetEvents {
    /// Budgets alone: their aggregates have no other events, as sequences count all.
    static let filter = "ezwallet.ledger.wallet.budget.>"

    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case BudgetExceeded.eventType:
            try await tell(of: event.body(as: BudgetExceeded.self), in: transaction)
        case HouseholdBudgetExceeded.eventType:
            try await tell(of: event.body(as: HouseholdBudgetExceeded.self), in: transaction)
        default: break
        }
    }

    private static func parents(
        of family: ID<Family>,
        _ transaction: Transaction
    ) async throws -> [ID<User>] {
        let members = try await transaction.query(FamilyStatements.members, family)
        return members.filter { $0.role == .parent }.map(\.user)
    }

    private static func tell(
        of body: HouseholdBudgetExceeded,
        in transaction: Transaction
    ) async throws {
        let parents = try await parents(of: body.familyID, transaction)
        // The family has ended since.
        guard !parents.isEmpty else { return }
        try await Outbox.append(
            FamilyBudgetExceeded(
                familyID: body.familyID,
                envelopeID: body.envelopeID,
                budget: body.budget,
                spent: body.spent,
                userIDs: parents
            ),
            of: "family:\(body.familyID.text)",
            in: transaction
        )
    }

    private static func tell(
        of body: BudgetExceeded,
        in transaction: Transaction
    ) async throws {
        guard let family = try await transaction.queryOne(FamilyStatements.ofUser, body.userID),
            family.role == .child
        else { return }
        try await Outbox.append(
            FamilyChildOverspent(
                familyID: family.id,
                childID: body.userID,
                budget: body.budget,
                spent: body.spent,
                userIDs: try await parents(of: family.id, transaction)
            ),
            of: "family:\(family.id.text)",
            in: transaction
        )
    }
}
