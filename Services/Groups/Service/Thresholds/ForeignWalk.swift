import Postgres
import ServiceKit
import WalletProtocol

extension ForeignExpenseStore {
    /// Expenses that a walk goes by while it holds the group's row.
    static let stepMax = 1_000
    /// Groups of which a round makes a step each.
    static let walksMax = 20

    /// Goes on through the expenses of groups that have set their first limit, which count from
    /// then on, and of those that have none any more, where none does.
    ///
    /// Whoever sets or removes one writes one row, however much the group has spent: what is
    /// behind that row's number counts for nothing at once, and what the walk has not come to is
    /// told as not converted.
    /// - Returns: in how many groups; the rest waits for the next round.
    /// - Throws: the last of what failed, after all have been looked at.
    func walkSome(at now: Instant, step: Int = ForeignExpenseStore.stepMax) async throws -> Int {
        let due = try await database.query(ForeignWalkStatements.due, now, Self.walksMax)
        var failure: (any Error)?
        for (group, lookAt) in due {
            var pause = Self.inUseSeconds
            do {
                let isFree = try await database.transaction { transaction in
                    try await Self.walk(group, step, at: now, in: transaction)
                }
                if isFree { continue }
            } catch {
                (failure, pause) = (error, Self.failedSeconds)
            }
            let later = now.adding(seconds: pause)
            try await database.execute(ForeignWalkStatements.putOff, group, lookAt, later)
        }
        if let failure { throw failure }
        return due.count
    }

    /// - Returns: false where the group is in use.
    private static func walk(
        _ group: ID<Group>,
        _ step: Int,
        at now: Instant,
        in transaction: Transaction
    ) async throws -> Bool {
        guard try await transaction.queryOne(GroupStatements.lockFree, group) != nil else {
            return false
        }
        guard let walk = try await transaction.queryOne(ForeignWalkStatements.find, group, now)
        else { return true }
        let begin = walk.place ?? ID(high: 0, low: 0)
        let passed = try await transaction.query(ForeignWalkStatements.next, group, begin, step)
        if let end = passed.last {
            try await transaction.execute(
                ForeignWalkStatements.drop,
                group,
                begin,
                end,
                walk.number
            )
            if let day = walk.writtenOn {
                try await transaction.execute(
                    ForeignWalkStatements.copy,
                    group,
                    begin,
                    end,
                    walk.number,
                    day
                )
            }
        }
        let isDone = passed.count < step
        if isDone, walk.writtenOn == nil {
            try await transaction.execute(ForeignWalkStatements.delete, group)
        } else {
            try await transaction.execute(
                ForeignWalkStatements.advance,
                group,
                passed.last ?? walk.place,
                isDone ? nil : now
            )
        }
        return true
    }
}
