import JSONCodec
import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Makes recurring expenses with their first, reads them, changes what is to come, and ends them.
///
/// Days begin where the maker is. A change is for all that has not been written down yet.
final class ExpenseRecurrenceStore {
    private let database: Database
    private let expenses: ExpenseStore

    init(database: Database, expenses: ExpenseStore) {
        self.database = database
        self.expenses = expenses
    }

    /// Writes an expense down, and the schedule of those to come where it is to come again.
    func add(
        _ body: NewExpense,
        to group: ID<Group>,
        by person: Person,
        in transaction: Transaction
    ) async throws -> ExpenseView {
        let today = person.day(at: .now())
        let id = body.rule.map { _ in ID<Recurrence>.new() }
        let made = try await expenses.add(
            body,
            to: group,
            by: person.id,
            today: today,
            recurrence: id,
            in: transaction
        )
        guard let id, let rule = body.rule else { return made }
        var recurring = RecurringExpense(
            id: id,
            group: group,
            member: made.addedBy,
            user: person.id,
            expense: body.named(body.categoryID == .others(of: group) ? nil : body.categoryID),
            rule: rule,
            anchor: made.date,
            createdAt: id.instant
        )
        recurring.nextDay = rule.day(1, from: made.date)
        try await insert(recurring, first: made.id, in: transaction)
        return made
    }

    /// Where its maker is, who is locked: whoever writes when it is looked at again does so in the
    /// zone that they have then, and whoever moves them finds it written (`look_again`).
    ///
    /// Behind the group's row, before the recurrence's.
    static func zone(of maker: ID<User>, in transaction: Transaction) async throws -> String {
        try await transaction.queryOne(PeopleStatements.lock, maker) ?? "UTC"
    }

    /// - Throws: `.tooManyRecurrences`.
    private func insert(
        _ new: RecurringExpense,
        first expense: ID<Expense>,
        in transaction: Transaction
    ) async throws {
        let zone = try await Self.zone(of: new.user, in: transaction)
        guard
            let count = try await transaction.queryOne(
                ExpenseRecurrenceStatements.count,
                new.user
            ), count < RecurringExpense.perPersonMax
        else { throw APIError(.tooManyRecurrences) }
        try await transaction.execute(
            ExpenseRecurrenceStatements.insert,
            new.group,
            new.id,
            new.member,
            new.user,
            JSON.text(new.expense.named(nil)),
            new.expense.categoryID,
            Int32(clamping: new.rule.every),
            new.rule.unit.rawValue,
            new.rule.until,
            new.anchor,
            Int32(clamping: new.nextNumber),
            new.nextDay,
            new.lookAt(in: zone),
            new.createdAt
        )
        try await transaction.execute(
            ExpenseRecurrenceStatements.note,
            new.group,
            new.id,
            new.anchor,
            Int32(0),
            expense,
            String?.none
        )
    }

    // MARK: Reading

    func list(
        _ query: PageQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<ExpenseRecurrenceView> {
        _ = try await Membership.find(user, in: group, database)
        let before = try query.cursor?.decode(ID<Recurrence>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            ExpenseRecurrenceStatements.list,
            group,
            before,
            query.limit + 1
        )
        return Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) }
    }

    func find(
        _ id: ID<Recurrence>,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> RecurringExpenseRow {
        _ = try await Membership.find(user, in: group, database)
        return try await Self.find(id, of: group, database)
    }

    private static func find(
        _ id: ID<Recurrence>,
        of group: ID<Group>,
        _ database: some Querying
    ) async throws -> RecurringExpenseRow {
        guard
            let row = try await database.queryOne(ExpenseRecurrenceStatements.find, group, id)
        else { throw APIError.notFound }
        return row
    }

    /// The next ten days, and the last ten.
    func occurrences(
        of id: ID<Recurrence>,
        in group: ID<Group>,
        for user: ID<User>
    ) async throws -> ExpenseOccurrences {
        let row = try await find(id, of: group, for: user)
        let past = try await database.query(ExpenseRecurrenceStatements.past, group, id)
        return ExpenseOccurrences(items: row.recurring.next(10), past: past.compactMap(\.self))
    }

    // MARK: Changing

    /// Changes what is to come; any member may who may write.
    /// - Parameter faults: what the change's shape tells of it already.
    /// - Throws: 422 naming every bad field; who is to pay or bear it must be in the group.
    func change(
        _ id: ID<Recurrence>,
        of group: ID<Group>,
        _ change: ExpenseRecurrenceChange,
        faults: [FieldError] = [],
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> RecurringExpenseRow {
        try await database.transaction { transaction in
            let membership = try await Membership.lock(user, in: group, to: .write, transaction)
            let row = try await Self.find(id, of: group, transaction)
            try ifMatch.check(row.recurring.version)
            var found = row.recurring
            let zone = try await Self.zone(of: found.user, in: transaction)
            let today = Person.day(at: .now(), in: zone)
            let isAnother = found.take(change)
            let resumes = change.isActive == .set(true) && !found.isActive
            found.isActive = change.isActive.applied(to: found.isActive)
            found.rule = change.rule.applied(to: found.rule)
            if isAnother || resumes || !change.rule.isUnchanged || !faults.isEmpty {
                try await check(found, faults, in: membership.group, transaction)
            }
            if resumes || !change.rule.isUnchanged {
                found.goOn(from: today, last: row.last?.date ?? found.anchor)
            }
            guard
                isAnother || !change.isActive.isUnchanged || !change.rule.isUnchanged
            else { return row }
            try await write(found, zone: zone, in: transaction)
            return try await Self.find(id, of: group, transaction)
        }
    }

    /// What it would be on a day is an expense that its maker could write down.
    private func check(
        _ found: RecurringExpense,
        _ faults: [FieldError],
        in group: GroupRow,
        _ transaction: Transaction
    ) async throws {
        let members = try await transaction.query(GroupStatements.present, group.id)
        let categories = try await ExpenseStore.categories(
            found.expense.categoryID,
            of: group.id,
            transaction
        )
        let maker = Membership(
            group: group,
            member: found.member,
            role: .editor,
            user: found.user
        )
        try group.checkIsJoined(by: members.count)
        let draft = try ExpenseDraft(
            found.expense(on: found.anchor, by: found.rule),
            faults: faults,
            by: maker,
            members: Set(members.map(\.id)),
            categories: Set(categories.map(\.id)),
            // What has passed was counted when it was made.
            today: found.anchor
        )
        try await PlaceChanges(adding: draft).check(by: maker, transaction)
    }

    private func write(
        _ found: RecurringExpense,
        zone: String,
        in transaction: Transaction
    ) async throws {
        let category = found.expense.categoryID
        try await transaction.execute(
            ExpenseRecurrenceStatements.change,
            found.group,
            found.id,
            JSON.text(found.expense.named(nil)),
            category == .others(of: found.group) ? nil : category,
            Int32(clamping: found.rule.every),
            found.rule.unit.rawValue,
            found.rule.until,
            Int32(clamping: found.nextNumber),
            found.nextDay,
            found.isActive,
            found.lookAt(in: zone)
        )
    }

    /// Ends one; what it has written down stays.
    func remove(
        _ id: ID<Recurrence>,
        from group: ID<Group>,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws {
        try await database.transaction { transaction in
            _ = try await Membership.lock(user, in: group, to: .write, transaction)
            let row = try await Self.find(id, of: group, transaction)
            try ifMatch.check(row.recurring.version)
            try await transaction.execute(ExpenseRecurrenceStatements.delete, group, id)
        }
    }
}
