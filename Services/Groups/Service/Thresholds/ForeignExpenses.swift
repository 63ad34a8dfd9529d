import Postgres
import ServiceKit
import WalletProtocol

/// Keeps which expenses of a group with limits are in another currency than the group's.
///
/// Nobody is asked for a rate here: an expense counts for nothing until `ForeignExpenseStore` has
/// converted it, and from then on as what that came to. The caller holds the group's row.
enum ForeignExpenses {
    /// Rows of one statement, which looks up the expense of each when it ends.
    private static let chunk = 500

    /// What an expense counts as from now on, and what the one that it replaces has counted as; of
    /// one that counts as it did, nothing either way.
    static func count(
        _ expense: SpentExpense,
        replacing old: SpentExpense?,
        in group: GroupRow,
        today: Day,
        _ transaction: Transaction
    ) async throws -> (now: Int128, before: Int128) {
        if expense.amount == old?.amount, expense.day == old?.day { return (0, 0) }
        let isOldForeign = old.map { $0.amount.currency != group.currency } ?? false
        guard expense.amount.currency == group.currency else {
            let own = isOldForeign ? 0 : old?.amount.minorUnits ?? 0
            let converted = try await track([expense], in: group.id, today: today, transaction)
            return (converted.first ?? 0, Int128(own))
        }
        let now = Int128(expense.amount.minorUnits)
        guard let old else { return (now, 0) }
        guard isOldForeign else { return (now, Int128(old.amount.minorUnits)) }
        return (now, try await release(old.id, of: group.id, transaction))
    }

    /// Has some counted; what is not known already, once it is converted.
    /// - Returns: what each counts as; nothing of those that wait.
    @discardableResult
    static func track(
        _ expenses: [SpentExpense],
        in group: ID<Group>,
        today: Day,
        _ transaction: Transaction
    ) async throws -> [Int128] {
        var counted: [Int128] = []
        var rest = expenses[...]
        while !rest.isEmpty {
            let some = rest.prefix(chunk)
            counted += try await transaction.query(
                ForeignExpenseStatements.track,
                group,
                some.map(\.id),
                some.map(\.amount.minorUnits),
                some.map(\.amount.currency),
                some.map(\.day),
                today
            )
            rest = rest.dropFirst(chunk)
        }
        return counted
    }

    /// Has one count no more.
    /// - Returns: what it counted as.
    private static func release(
        _ id: ID<Expense>,
        of group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> Int128 {
        try await transaction.query(ForeignExpenseStatements.release, group, [id])
            .reduce(0) { $0 + $1.amount }
    }

    /// Has some that were removed count no more.
    /// - Returns: by how much the group has spent more without each.
    static func release(
        _ expenses: [SpentExpense],
        in group: GroupRow,
        _ transaction: Transaction
    ) async throws -> [SpendingRise] {
        let own = expenses.filter { $0.amount.currency == group.currency }.map {
            SpendingRise(day: $0.day, amount: -Int128($0.amount.minorUnits))
        }
        guard own.count < expenses.count else { return own }
        let released = try await transaction.query(
            ForeignExpenseStatements.release,
            group.id,
            expenses.map(\.id)
        )
        return own + released.map { SpendingRise(day: $0.day, amount: -$0.amount) }
    }
}
