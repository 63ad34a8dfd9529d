import Postgres
import ServiceKit
import WalletProtocol

/// Keeps the facts by the ledger's postings; whatever comes twice or out of order ends the same.
enum Facts {
    /// Applies many at once: four statements at most, whatever their number.
    ///
    /// What changed by it changes in the cells, too, all in one statement at the end: so two who
    /// do it at once never wait in a ring.
    static func apply(_ postings: [TransactionPosted], in transaction: Transaction) async throws {
        try await Cells.apply(take(postings, in: transaction), in: transaction)
    }

    /// Takes postings up, and tells what cells change by it.
    ///
    /// A posting and its reversal may come in either order, so all postings may come first. Of
    /// transfers between somebody's own accounts there is no fact, nor of what others owe or have
    /// paid back.
    static func take(
        _ postings: [TransactionPosted],
        in transaction: Transaction
    ) async throws -> [CellChange] {
        let posted = postings.filter { $0.kind == .posted }.flatMap { FactPart.all(of: $0) }
        let reversed = unique(postings.filter { $0.kind == .reversed })
            .flatMap { FactPart.all(of: $0) }
        let made = try await write(posted, by: FactStatements.post, in: transaction)
        let isAllNew = made.first.map { $0.count == posted.count } ?? true
        var changes =
            isAllNew ? posted.map(\.change) : made.compactMap(\.change)
        try await write(reversed, by: FactStatements.foresee, in: transaction)
        changes += try await write(reversed, by: FactStatements.reverse, in: transaction)
        return changes
    }

    /// - Returns: what the statement tells of.
    @discardableResult
    private static func write<Row>(
        _ parts: [FactPart],
        by statement: Statement<Row>,
        in transaction: Transaction
    ) async throws -> [Row] {
        guard !parts.isEmpty else { return [] }
        return try await transaction.query(
            statement,
            parts.map(\.fact.userID),
            parts.map(\.fact.transactionID),
            parts.map(\.fact.version),
            parts.map(\.number),
            parts.map(\.fact.accountID),
            parts.map(\.fact.accountKind.rawValue),
            parts.map(\.fact.day),
            parts.map(\.amount.minorUnits),
            parts.map(\.amount.currency.code),
            parts.map(\.category),
            parts.map { $0.coicop?.rawValue }
        )
    }

    /// One of each: a statement cannot change a row twice.
    private static func unique(_ facts: [TransactionPosted]) -> [TransactionPosted] {
        var seen: Set<PostedVersion> = []
        return facts.filter { fact in
            let version = PostedVersion(
                user: fact.userID,
                transaction: fact.transactionID,
                version: fact.version
            )
            return seen.insert(version).inserted
        }
    }
}

/// What is booked on one category: all of it, or a line of what is split.
struct FactPart {
    let fact: TransactionPosted
    /// From 0.
    let number: Int32
    let amount: Money
    let category: CategoryID
    let coicop: Coicop?

    /// Those of a posting; none where it is no income and no expense.
    static func all(of fact: TransactionPosted) -> [FactPart] {
        guard !fact.isOwnTransfer, !fact.isUncounted else { return [] }
        guard let lines = fact.lines, !lines.isEmpty else {
            return [
                FactPart(
                    fact: fact,
                    number: 0,
                    amount: fact.amount,
                    category: fact.categoryID,
                    coicop: fact.coicop
                )
            ]
        }
        return lines.enumerated().map { number, line in
            FactPart(
                fact: fact,
                number: Int32(clamping: number),
                amount: line.amount,
                category: line.categoryID,
                coicop: line.coicop
            )
        }
    }
}

extension FactPart {
    /// That it counts from now on.
    fileprivate var change: CellChange {
        CellChange(
            owner: fact.userID.retagged(CellOwner.self),
            account: fact.accountID,
            category: category,
            amount: amount,
            day: fact.day,
            part: number,
            sign: 1
        )
    }
}

private struct PostedVersion: Hashable {
    let user: ID<User>
    let transaction: ID<MoneyTransaction>
    let version: Int
}
