import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Tells parents of what happens to their children's budgets and accounts, and to their own budget,
/// in the ledger.
enum BudgetEvents {
    /// Budgets and children's accounts: their aggregates have no other events, as sequences count
    /// all.
    static let filters = ["ezwallet.ledger.wallet.budget.>", "ezwallet.ledger.wallet.allowance.>"]

    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case BudgetExceeded.eventType:
            try await tell(of: event.body(as: BudgetExceeded.self), in: transaction)
        case HouseholdBudgetExceeded.eventType:
            try await tell(of: event.body(as: HouseholdBudgetExceeded.self), in: transaction)
        case AllowanceNoticed.eventType:
            try await tell(of: event.body(as: AllowanceNoticed.self), in: transaction)
        default: break
        }
    }

    private static func tell(
        of body: AllowanceNoticed,
        in transaction: Transaction
    ) async throws {
        try await tell(
            FamilyChildNoticed(
                familyID: body.familyID,
                childID: body.userID,
                notice: body.notice,
                amount: body.amount,
                userIDs: try await parents(of: body.familyID, transaction)
            ),
            in: transaction
        )
    }

    /// Tells the parents that a child's limits have ended with its user account.
    static func tellOfLoss(in family: ID<Family>, _ transaction: Transaction) async throws {
        try await tell(
            FamilyChildNoticed(
                familyID: family,
                notice: .lost,
                userIDs: try await parents(of: family, transaction)
            ),
            in: transaction
        )
    }

    private static func tell(
        _ event: FamilyChildNoticed,
        in transaction: Transaction
    ) async throws {
        // The family has ended since.
        guard !event.userIDs.isEmpty else { return }
        let family = event.familyID.text
        try await Outbox.append(event, of: "family:\(family)", in: transaction)
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
