import Postgres
import ServiceKit
import WalletProtocol

/// Keeps what facts are read by: the ledger's categories, and who uses which wallet; whatever comes
/// twice or out of order ends the same.
enum FactEvents {
    /// Applies many at once: a statement for all categories, and one for each change of who uses a
    /// wallet, of which there are few.
    static func apply(_ events: [EventEnvelope], in transaction: Transaction) async throws {
        var places: [CategoryKey: Int] = [:]
        var categories: [CategoryChanged] = []
        for event in events {
            switch event.type {
            case CategoryChanged.eventType:
                let category = try event.body(as: CategoryChanged.self)
                // What was booked on a category before it went keeps its division.
                if category.isDeleted { continue }
                let key = CategoryKey(user: category.userID, category: category.categoryID)
                if let place = places[key] {
                    categories[place] = category
                } else {
                    places[key] = categories.count
                    categories.append(category)
                }
            case WalletMemberChanged.eventType:
                let member = try event.body(as: WalletMemberChanged.self)
                try await transaction.execute(
                    FactStatements.upsertMember,
                    member.userID,
                    member.accountID,
                    member.isMember,
                    event.sequence
                )
            default: break
            }
        }
        guard !categories.isEmpty else { return }
        try await transaction.execute(
            FactStatements.upsertCategory,
            categories.map(\.userID),
            categories.map(\.categoryID),
            categories.map { $0.coicop?.rawValue },
            categories.map(\.parentID)
        )
    }
}

private struct CategoryKey: Hashable {
    let user: ID<User>
    let category: CategoryID
}
