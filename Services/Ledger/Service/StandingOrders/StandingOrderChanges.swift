import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Changes what is to come of standing orders, and ends them.
///
/// A change is for all that has not been paid yet: what is due and not paid, for nobody was up to
/// do it, is paid by the order as it is now, or not at all where it is paused or ended.
struct StandingOrderChanges {
    let database: Database
    let people: People
    let proof: StandingOrderProof

    func change(
        _ id: ID<StandingOrder>,
        _ change: StandingOrderChange,
        by user: UserIdentity,
        ifMatch wanted: EntityTags?
    ) async throws -> StandingOrderRow {
        let person = try await people.person(user.id)
        let today = people.today(for: person)
        // Who says another amount or recurrence is asked as who makes an order is.
        let isOrderedAnew = !change.amount.isUnchanged || !change.rule.isUnchanged
        let announced =
            isOrderedAnew ? try await prove(id, change, by: user, ifMatch: wanted) : nil
        let row = try await database.transaction { transaction in
            try await ErasedUsers.hold([user.id], in: transaction)
            var order = try await lock(id, of: user.id, ifMatch: wanted, in: transaction)
            let last = try await transaction.queryOne(StandingOrderStatements.lastDay, id)
            if try order.take(change, last: last, today: today) {
                if isOrderedAnew { order.isProved = user.hasFreshProof }
                try await write(order, zone: person.timeZone, in: transaction)
            }
            guard
                let row = try await transaction.queryOne(StandingOrderStatements.find, user.id, id)
            else { throw APIError.notFound }
            return row
        }
        try await proof.withdraw(announced, of: user.id)
        return row
    }

    /// Ends one; what it has paid stays.
    func remove(
        _ id: ID<StandingOrder>,
        of user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws {
        try await database.transaction { transaction in
            _ = try await lock(id, of: user, ifMatch: wanted, in: transaction)
            try await transaction.execute(StandingOrderStatements.delete, user, id)
        }
    }

    private func prove(
        _ id: ID<StandingOrder>,
        _ change: StandingOrderChange,
        by user: UserIdentity,
        ifMatch wanted: EntityTags?
    ) async throws -> ID<Posting.Operation>? {
        guard let row = try await database.queryOne(StandingOrderStatements.find, user.id, id)
        else { throw APIError.notFound }
        var order = row.order
        try wanted.check(order.version)
        order.amount = change.amount.applied(to: order.amount)
        guard order.amount.currency == row.order.amount.currency else {
            throw APIError(.currencyMismatch)
        }
        return try await proof.check(order, by: user)
    }

    private func lock(
        _ id: ID<StandingOrder>,
        of user: ID<User>,
        ifMatch wanted: EntityTags?,
        in transaction: Transaction
    ) async throws -> StoredOrder {
        guard let order = try await transaction.queryOne(StandingOrderStatements.lock, user, id)
        else { throw APIError.notFound }
        try wanted.check(order.version)
        return order
    }

    private func write(
        _ order: StoredOrder,
        zone: String,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            StandingOrderStatements.change,
            order.user,
            order.id,
            order.amount.minorUnits,
            order.reference,
            Int32(order.rule.every),
            order.rule.unit.rawValue,
            order.rule.until,
            Int32(order.nextNumber),
            order.nextDay,
            order.isActive,
            order.isProved,
            order.lookAt(in: zone)
        )
    }
}
