import Postgres
import ServiceKit
import WalletProtocol

/// What writes schedules, for whoever records a first transaction.
enum RecurrenceStore {
    /// As many may one person have.
    static let perPersonMax: Int64 = 500
    /// As many days may have passed already when one is made.
    static let passedMax = 1_000

    /// Writes the schedule in the transaction that posts its first transaction.
    ///
    /// The posting must name it (`recurrence`), so that the transaction tells of it.
    /// - Throws: `.tooManyRecurrences`.
    static func insert(
        _ new: Recurring,
        first transaction: ID<MoneyTransaction>,
        zone: String,
        in database: Transaction
    ) async throws {
        try await ErasedUsers.hold([new.user], in: database)
        guard
            let count = try await database.queryOne(RecurrenceStatements.count, new.user),
            count < perPersonMax
        else { throw APIError(.tooManyRecurrences) }
        try await database.execute(
            RecurrenceStatements.insert,
            new.id,
            new.user,
            new.account,
            new.currency.code,
            new.amount,
            new.category,
            new.name,
            new.description,
            new.tags,
            new.location?.latitude,
            new.location?.longitude,
            new.placeName,
            new.folder,
            new.lines.map(\.category),
            new.lines.map(\.amount),
            Int32(new.rule.every),
            new.rule.unit.rawValue,
            new.rule.until,
            new.anchor,
            Int32(new.nextNumber),
            new.nextDay,
            new.lookAt(in: zone)
        )
        _ = try await database.query(
            RecurrenceWorkStatements.claim,
            new.id,
            [new.anchor],
            [Int32(0)],
            [transaction]
        )
    }

    /// What named a category that goes away names another from now on.
    static func move(
        _ gone: CategoryID,
        to other: CategoryID,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws {
        for var found in try await transaction.query(RecurrenceStatements.ofCategory, user, gone) {
            found.move(gone, to: other)
            try await transaction.execute(
                RecurrenceStatements.recategorise,
                found.id,
                found.category,
                found.lines.map(\.category),
                found.lines.map(\.amount)
            )
        }
    }
}
