import Postgres
import ServiceKit
import WalletProtocol

/// Keeps the facts by the ledger's events; whatever comes twice or out of order ends the same.
enum FactEvents {
    /// Applies many at once: three statements at most, whatever their number, and one for each
    /// change of who uses a wallet, of which there are few.
    ///
    /// A posting and its reversal may come in either order, so all postings may come first.
    static func apply(_ events: [EventEnvelope], in transaction: Transaction) async throws {
        var posted: [TransactionPosted] = []
        var reversed: [TransactionPosted] = []
        var places: [CategoryKey: Int] = [:]
        var categories: [CategoryChanged] = []
        for event in events {
            switch event.type {
            case TransactionPosted.eventType:
                let fact = try event.body(as: TransactionPosted.self)
                switch fact.kind {
                case .posted: posted.append(fact)
                case .reversed: reversed.append(fact)
                }
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
        try await write(posted, by: FactStatements.post, in: transaction)
        try await write(unique(reversed), by: FactStatements.reverse, in: transaction)
        guard !categories.isEmpty else { return }
        try await transaction.execute(
            FactStatements.upsertCategory,
            categories.map(\.userID),
            categories.map(\.categoryID),
            categories.map { $0.coicop?.rawValue }
        )
    }

    private static func write(
        _ facts: [TransactionPosted],
        by statement: Statement<Void>,
        in transaction: Transaction
    ) async throws {
        guard !facts.isEmpty else { return }
        let parts = facts.flatMap { Part.all(of: $0) }
        try await transaction.execute(
            statement,
            parts.map(\.fact.userID),
            parts.map(\.fact.transactionID),
            parts.map(\.fact.version),
            parts.map(\.fact.isOwnTransfer),
            parts.map(\.fact.accountID),
            parts.map(\.fact.accountKind.rawValue),
            parts.map(\.fact.day),
            parts.map(\.amount.minorUnits),
            parts.map(\.amount.currency.code),
            parts.map(\.category),
            parts.map { $0.coicop?.rawValue },
            parts.map { Int32(clamping: $0.number) }
        )
    }

    /// What is booked on one category: all of it, or a line of what is split.
    private struct Part {
        let fact: TransactionPosted
        let number: Int
        let amount: Money
        let category: CategoryID
        let coicop: Coicop?

        static func all(of fact: TransactionPosted) -> [Part] {
            guard let lines = fact.lines, !lines.isEmpty else {
                return [
                    Part(
                        fact: fact,
                        number: 0,
                        amount: fact.amount,
                        category: fact.categoryID,
                        coicop: fact.coicop
                    )
                ]
            }
            return lines.enumerated().map { number, line in
                Part(
                    fact: fact,
                    number: number,
                    amount: line.amount,
                    category: line.categoryID,
                    coicop: line.coicop
                )
            }
        }
    }

    /// One of each: a statement cannot change a row twice.
    private static func unique(_ facts: [TransactionPosted]) -> [TransactionPosted] {
        var seen: Set<FactKey> = []
        return facts.filter { fact in
            let key = FactKey(
                user: fact.userID,
                transaction: fact.transactionID,
                version: fact.version
            )
            return seen.insert(key).inserted
        }
    }
}

private struct FactKey: Hashable {
    let user: ID<User>
    let transaction: ID<MoneyTransaction>
    let version: Int
}

private struct CategoryKey: Hashable {
    let user: ID<User>
    let category: CategoryID
}
