import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Changes what is to come of schedules, and ends them.
struct RecurrenceChanges {
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// Rounds in one call: more than these are left to the worker, and waited for.
    static let roundsMax = 50

    /// What is due by then is posted as it was.
    func change(
        _ id: ID<WalletProtocol.Recurrence>,
        _ change: RecurrenceChange,
        of user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> RecurrenceRow {
        let person = try await people.person(user)
        let today = people.today(for: person)
        let row = try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            var found = try await lock(id, of: user, ifMatch: wanted, in: transaction)
            try await catchUp(&found, zone: person.timeZone, in: transaction)
            if try await apply(change, to: &found, today, in: transaction) {
                try await write(found, zone: person.timeZone, in: transaction)
            }
            guard let now = try await transaction.queryOne(RecurrenceStatements.find, user, id)
            else { throw APIError.notFound }
            return now
        }
        relayBell.ring()
        return row
    }

    /// Ends a schedule; what it has posted stays.
    func remove(
        _ id: ID<WalletProtocol.Recurrence>,
        of user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws {
        try await database.transaction { transaction in
            _ = try await lock(id, of: user, ifMatch: wanted, in: transaction)
            try await transaction.execute(RecurrenceStatements.delete, user, id)
        }
    }

    private func lock(
        _ id: ID<WalletProtocol.Recurrence>,
        of user: ID<User>,
        ifMatch wanted: EntityTags?,
        in transaction: Transaction
    ) async throws -> Recurring {
        guard let found = try await transaction.queryOne(RecurrenceStatements.lock, user, id)
        else { throw APIError.notFound }
        try wanted.check(found.version)
        return found
    }

    /// Posts what is due by the rule and with the words that were.
    private func catchUp(
        _ found: inout Recurring,
        zone: String,
        in transaction: Transaction
    ) async throws {
        var round = RecurrenceWork.Round(recurring: found, zone: zone, moment: .now())
        var rounds = 0
        while round.isDue {
            guard rounds < Self.roundsMax else { throw TryAgain() }
            try await round.run(in: transaction)
            rounds += 1
        }
        found = round.recurring
    }

    /// Whether there is anything to write.
    private func apply(
        _ body: RecurrenceChange,
        to found: inout Recurring,
        _ today: Day,
        in transaction: Transaction
    ) async throws -> Bool {
        var isChanged = false
        if case .set(let category) = body.categoryID {
            guard
                try await transaction.queryOne(CategoryStatements.find, found.user, category) != nil
            else {
                throw APIError.field("/categoryId", .unknownReference, "is absent or not yours")
            }
            (found.category, found.lines, isChanged) = (category, [], true)
        }
        if case .set(let amount) = body.amount {
            guard amount.currency == found.currency else { throw APIError(.currencyMismatch) }
            guard found.lines.isEmpty || amount.minorUnits == found.amount else {
                throw APIError.field(
                    "/amount",
                    .invalidValue,
                    "is split over categories; name one category with it"
                )
            }
            (found.amount, isChanged) = (amount.minorUnits, true)
        }
        if case .set(let name) = body.name { (found.name, isChanged) = (composed(name), true) }
        if !body.description.isUnchanged {
            found.description = body.description.applied(to: found.description).map(composed)
            isChanged = true
        }
        let resumes = body.isActive == .set(true) && !found.isActive
        if case .set(let isActive) = body.isActive {
            (found.isActive, isChanged) = (isActive, true)
        }
        if case .set(let rule) = body.rule {
            if let fault = rule.fault(from: found.anchor) {
                throw APIError(.invalidBody, errors: [fault])
            }
            (found.rule, isChanged) = (rule, true)
        }
        if resumes || !body.rule.isUnchanged {
            let last = try await transaction.queryOne(RecurrenceStatements.lastDay, found.id)
            found.goOn(from: today, last: last ?? found.anchor)
        }
        return isChanged
    }

    private func write(
        _ found: Recurring,
        zone: String,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            RecurrenceStatements.change,
            found.user,
            found.id,
            found.amount,
            found.category,
            found.name,
            found.description,
            found.lines.map(\.category),
            found.lines.map(\.amount),
            Int32(found.rule.every),
            found.rule.unit.rawValue,
            found.rule.until,
            Int32(found.nextNumber),
            found.nextDay,
            found.isActive,
            found.lookAt(in: zone)
        )
    }
}
