import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// A schedule and the last of its days.
struct RecurrenceRow: Sendable {
    let recurring: Recurring
    let last: PastOccurrence?

    var view: RecurrenceView { recurring.view(last: last) }
    var tag: String { String(recurring.version) }
}

/// Reads schedules, and writes them for whoever records a first transaction.
struct RecurrenceStore {
    let database: Database

    /// As many may one person have.
    static let perPersonMax: Int64 = 500
    /// As many days may have passed already when one is made.
    static let passedMax = 1_000

    /// The newest first.
    func list(_ query: PageQuery, of user: ID<User>) async throws -> Page<RecurrenceView> {
        let last = try query.cursor?.decode(ID<WalletProtocol.Recurrence>.self)
        let rows = try await database.query(
            RecurrenceStatements.list,
            user,
            last ?? ID(high: .max, low: .max),
            query.limit + 1
        )
        return Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) }
    }

    func find(
        _ id: ID<WalletProtocol.Recurrence>,
        of user: ID<User>
    ) async throws -> RecurrenceRow {
        guard let row = try await database.queryOne(RecurrenceStatements.find, user, id) else {
            throw APIError.notFound
        }
        return row
    }

    /// The next ten days, and the last ten.
    func occurrences(
        of id: ID<WalletProtocol.Recurrence>,
        of user: ID<User>
    ) async throws -> OccurrenceList {
        let row = try await find(id, of: user)
        let past = try await database.query(RecurrenceStatements.past, id)
        return OccurrenceList(items: row.recurring.next(10), past: past.compactMap(\.self))
    }

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
