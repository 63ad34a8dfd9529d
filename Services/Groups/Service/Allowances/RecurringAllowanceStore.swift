import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Makes recurring allowances with their first, reads them, changes what is to come, and ends them.
///
/// Days begin where the parent is who pays. A change is for the days that have not come.
final class RecurringAllowanceStore {
    private let database: Database
    private let families: FamilyStore
    private let ledger: AllowanceLedger

    init(database: Database, families: FamilyStore, ledger: AllowanceLedger) {
        self.database = database
        self.families = families
        self.ledger = ledger
    }

    // MARK: Making

    /// Whether one can be made; before the first is paid, for that stays.
    /// - Throws: `too-many-recurrences`.
    func checkRoom(of parent: Person) async throws {
        let family = try await families.row(of: parent.id)
        let statement = RecurringAllowanceStatements.count
        let count = try await database.queryOne(statement, family.id, parent.id) ?? 0
        guard count < RecurringAllowance.perParentMax else { throw APIError(.tooManyRecurrences) }
    }

    /// Writes it down, behind its first, which is paid.
    /// - Returns: nil where it cannot be made any more: the child, or the parent, has left, or the
    ///   parent has as many as they may.
    func add(
        _ rule: RecurrenceRule,
        after paid: AllowanceView,
        _ body: NewAllowance,
        by parent: Person,
        isProved: Bool,
        in transaction: Transaction
    ) async throws -> ID<Recurrence>? {
        try await ErasedUsers.hold([parent.id, paid.childID].sorted(), in: transaction)
        let family: FamilyRow
        do { family = try await FamilyStore.lock(parent.id, transaction) } catch let error
            as APIError where error.code == .notFound
        { return nil }
        let members = try await transaction.query(FamilyStatements.members, family.id)
        let count = try await transaction.queryOne(
            RecurringAllowanceStatements.count,
            family.id,
            parent.id
        )
        guard members.contains(where: { $0.user == paid.childID && $0.role == .child }),
            count ?? 0 < RecurringAllowance.perParentMax
        else { return nil }
        let id = ID<Recurrence>.new()
        var made = RecurringAllowance(
            id: id,
            family: family.id,
            child: paid.childID,
            parent: parent.id,
            terms: RecurringAllowance.Terms(
                amount: body.amount,
                account: body.fromAccountID,
                name: body.name,
                isProved: isProved
            ),
            rule: rule,
            anchor: parent.day(at: .now()),
            createdAt: id.instant
        )
        made.nextDay = rule.day(1, from: made.anchor)
        try await insert(made, zone: parent.timeZone, in: transaction)
        try await Self.note(
            made.anchor,
            number: 0,
            of: made,
            as: .paid,
            lookAt: nil,
            paid.transactionID,
            in: transaction
        )
        return id
    }

    private func insert(
        _ made: RecurringAllowance,
        zone: String,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            RecurringAllowanceStatements.insert,
            made.id,
            made.family,
            made.child,
            made.parent,
            made.terms.amount.minorUnits,
            made.terms.amount.currency,
            made.terms.account,
            made.terms.isProved,
            made.terms.name,
            Int32(clamping: made.rule.every),
            made.rule.unit.rawValue,
            made.rule.until,
            made.anchor,
            Int32(clamping: made.nextNumber),
            made.nextDay,
            made.lookAt(in: zone),
            made.createdAt
        )
    }

    /// Writes a day down, with what is paid on it, unless it has been.
    static func note(
        _ day: Day,
        number: Int,
        of allowance: RecurringAllowance,
        as state: AllowanceState,
        lookAt: Instant?,
        _ paid: ID<MoneyTransaction>?,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            RecurringAllowanceStatements.note,
            allowance.id,
            day,
            Int32(clamping: number),
            allowance.terms.amount.minorUnits,
            allowance.terms.account,
            allowance.terms.isProved,
            allowance.terms.name,
            state.rawValue,
            lookAt,
            paid
        )
    }

    // MARK: Reading

    /// A child's, for parents and the child.
    func list(
        _ query: PageQuery,
        of named: ID<User>?,
        for user: ID<User>
    ) async throws -> Page<RecurringAllowanceView> {
        let child = named ?? user
        let family = try await families.family(of: child, for: user, alsoForTheChild: true)
        let before = try query.cursor?.decode(ID<Recurrence>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            RecurringAllowanceStatements.list(
                of: child,
                in: family,
                before: before,
                limit: query.limit + 1
            )
        )
        let views = rows.map { $0.view(for: user) }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    func find(
        _ id: ID<Recurrence>,
        of named: ID<User>?,
        for user: ID<User>
    ) async throws -> RecurringAllowanceRow {
        let child = named ?? user
        let family = try await families.family(of: child, for: user, alsoForTheChild: true)
        return try await Self.find(id, of: child, in: family, database)
    }

    private static func find(
        _ id: ID<Recurrence>,
        of child: ID<User>,
        in family: ID<Family>,
        _ database: some Querying
    ) async throws -> RecurringAllowanceRow {
        let find = RecurringAllowanceStatements.find(id, of: child, in: family)
        guard let row = try await database.queryOne(find) else { throw APIError.notFound }
        return row
    }

    /// The next ten days, and the last ten.
    func occurrences(
        of id: ID<Recurrence>,
        of named: ID<User>?,
        for user: ID<User>
    ) async throws -> AllowanceOccurrences {
        let row = try await find(id, of: named, for: user)
        let past = try await database.query(RecurringAllowanceStatements.past, id)
        return AllowanceOccurrences(items: row.allowance.next(10), past: past.compactMap(\.self))
    }

    // MARK: Changing

    /// Changes what is to come.
    ///
    /// The ledger is asked before the transaction whether more may be ordered; two who change at
    /// once may be asked for what neither of them makes, and still no day passes the ledger for
    /// which it would want a proof.
    /// - Throws: 404, 403, 412, 422, or what the ledger does not agree to.
    func change(
        _ id: ID<Recurrence>,
        of child: ID<User>,
        _ change: AllowanceChange,
        by user: UserIdentity,
        ifMatch: EntityTags?
    ) async throws -> RecurringAllowanceRow {
        let family = try await families.family(of: child, for: user.id, alsoForTheChild: false)
        let isProved = user.hasFreshProof
        let old = try await Self.find(id, of: child, in: family, database)
        try ifMatch.check(old.allowance.version)
        let asked = try old.allowance.taking(change, by: user.id, isProved: isProved)
        if let agreement = asked.agreement { try await agree(to: agreement, id, by: user) }
        return try await database.transaction { transaction in
            let row = try await self.lock(id, of: child, by: user.id, ifMatch, transaction)
            let changed = try row.allowance.taking(change, by: user.id, isProved: isProved)
            guard changed.isAnother else { return row }
            var allowance = changed.allowance
            if changed.goesOn {
                let today = Person.day(at: .now(), in: row.zone)
                allowance.goOn(from: today, last: row.last?.date ?? allowance.anchor)
            }
            try await Self.write(allowance, zone: row.zone, in: transaction)
            return try await Self.find(id, of: child, in: allowance.family, transaction)
        }
    }

    private func agree(
        to agreement: AllowanceAgreement,
        _ id: ID<Recurrence>,
        by user: UserIdentity
    ) async throws {
        do { try await ledger.agree(id, agreement, user) } catch let error as APIError
            where [.notFound, .invalidBody].contains(error.code)
        {
            throw APIError.field("/fromAccountId", .unknownReference, "is absent or not yours")
        }
    }

    private static func write(
        _ allowance: RecurringAllowance,
        zone: String,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            RecurringAllowanceStatements.change,
            allowance.id,
            allowance.terms.amount.minorUnits,
            allowance.terms.account,
            allowance.terms.isProved,
            allowance.terms.name,
            Int32(clamping: allowance.rule.every),
            allowance.rule.unit.rawValue,
            allowance.rule.until,
            Int32(clamping: allowance.nextNumber),
            allowance.nextDay,
            allowance.isActive,
            allowance.lookAt(in: zone)
        )
    }

    /// Ends one; what it has paid stays.
    func remove(
        _ id: ID<Recurrence>,
        of child: ID<User>,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws {
        _ = try await families.family(of: child, for: user, alsoForTheChild: false)
        try await database.transaction { transaction in
            _ = try await self.lock(id, of: child, by: user, ifMatch, transaction)
            try await transaction.execute(RecurringAllowanceStatements.delete, id)
        }
    }

    /// One of the parent's family, which is locked until the transaction's end, and so is it.
    private func lock(
        _ id: ID<Recurrence>,
        of child: ID<User>,
        by user: ID<User>,
        _ ifMatch: EntityTags?,
        _ transaction: Transaction
    ) async throws -> RecurringAllowanceRow {
        let family = try await FamilyStore.lock(user, transaction)
        guard family.role == .parent else { throw APIError(.parentsOnly) }
        // The worker, which does not lock families, is not at it any more.
        try await transaction.execute(RecurringAllowanceStatements.lock, id)
        let row = try await Self.find(id, of: child, in: family.id, transaction)
        try ifMatch.check(row.allowance.version)
        return row
    }
}
