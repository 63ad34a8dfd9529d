import Postgres
import ServiceKit
import WalletProtocol

/// Keeps the facts by the ledger's postings; whatever comes twice or out of order ends the same.
enum Facts {
    /// Applies many at once: four statements at most, whatever their number.
    ///
    /// A posting and its reversal may come in either order, so all postings may come first. Of
    /// transfers between somebody's own accounts there is no fact, nor of what others owe or have
    /// paid back. What changed by it changes in the cells, too, all in one statement at the end:
    /// so two who do it at once never wait in a ring.
    static func apply(_ postings: [TransactionPosted], in transaction: Transaction) async throws {
        let told = postings.filter { !$0.isOwnTransfer && !$0.isUncounted }
        let posted = told.filter { $0.kind == .posted }
        let reversed = unique(told.filter { $0.kind == .reversed })
        var changes = try await write(posted, by: FactStatements.post, in: transaction)
        try await write(reversed, by: FactStatements.foresee, in: transaction)
        changes += try await write(reversed, by: FactStatements.reverse, in: transaction)
        try await Cells.apply(changes, in: transaction)
    }

    /// - Returns: what the statement tells of.
    @discardableResult
    private static func write<Row>(
        _ facts: [TransactionPosted],
        by statement: Statement<Row>,
        in transaction: Transaction
    ) async throws -> [Row] {
        guard !facts.isEmpty else { return [] }
        let parts = facts.flatMap { Part.all(of: $0) }
        return try await transaction.query(
            statement,
            parts.map(\.fact.userID),
            parts.map(\.fact.transactionID),
            parts.map(\.fact.version),
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
