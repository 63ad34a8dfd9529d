import Messaging
import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Writes down what is due of recurring expenses, each day of each at most once.
///
/// One day of one is written in a transaction that holds the group's row and the recurrence's: the
/// expense, the day's row, which is unique, and the recurrence that moves on. Of two replicas one
/// passes over the group that the other is at, and whoever is killed leaves nothing half done. Days
/// of downtime are made up for, in their order and dated as they were due, the next one behind
/// whatever else is due for longer; what is made has `RecurringExpense.passedMax` of them at most.
/// Of several that are due at once members are told of the newest alone.
struct ExpenseRecurrenceWork {
    private let database: Database
    private let effects: KeyedEffects
    private let expenses: ExpenseStore
    private let begun: BegunWork
    /// What time it is; a test moves it.
    var now: () -> Instant

    init(
        database: Database,
        effects: KeyedEffects,
        expenses: ExpenseStore,
        begun: BegunWork? = nil,
        now: @escaping () -> Instant = { .now() }
    ) {
        self.database = database
        self.effects = effects
        self.expenses = expenses
        self.begun = begun ?? BegunWork(database: database)
        self.now = now
    }

    /// Why a day is left out, and whether no later day could do better.
    struct Refusal: Sendable, Hashable {
        let reason: String
        let pauses: Bool

        /// - Returns: nil where the day may still be written down, by whoever asks again.
        init?(_ error: APIError) {
            guard error.code.status < 500, error.code.status != 429 else { return nil }
            reason = error.errors.first?.code.text ?? error.code.text
            // Somebody named has left, or its maker may not any more: not what the sums are now.
            pauses = reason != FieldCode.outOfRange.text
        }

        /// Of what ends the process each time.
        static let hopeless = Refusal(reason: ErrorCode.internalError.text, pauses: true)

        private init(reason: String, pauses: Bool) {
            (self.reason, self.pauses) = (reason, pauses)
        }
    }

    /// A day of one that is due; false where there is none.
    func doOne() async throws -> Bool {
        let moment = now()
        guard let next = try await database.queryOne(ExpenseRecurrenceStatements.next, moment)
        else { return false }
        try await begun.attempt("expense-recurrence", next.id) { attempt in
            try await write(next, at: moment, refused: attempt.isHopeless ? .hopeless : nil)
        }
        return true
    }

    private func write(_ due: DueRecurrence, at moment: Instant, refused: Refusal?) async throws {
        do {
            let isDone: Bool
            do {
                isDone = try await attempt(due, at: moment, refused: refused)
            } catch let error as APIError {
                guard let refused = Refusal(error) else { throw error }
                // Nothing of it stands; the day is left out by a transaction of its own.
                isDone = try await attempt(due, at: moment, refused: refused)
            }
            // Its group is in use: others have their turn meanwhile.
            if !isDone { try await putOff(due, moment) }
        } catch {
            // Whatever it is, it must not keep the others from their turn. Where the database is
            // away nobody has one.
            try? await putOff(due, moment)
            throw error
        }
    }

    private func putOff(_ due: DueRecurrence, _ moment: Instant) async throws {
        try await database.execute(
            ExpenseRecurrenceStatements.putOff,
            due.group,
            due.id,
            moment
        )
    }

    /// - Returns: false where somebody holds the group.
    private func attempt(
        _ due: DueRecurrence,
        at moment: Instant,
        refused: Refusal?
    ) async throws -> Bool {
        let (id, group) = (due.id, due.group)
        return try await effects.run { transaction in
            let isHeld =
                if refused == nil {
                    try await transaction.queryOne(GroupStatements.lockFree, group) == nil
                } else {
                    // The refused attempt's own lock may take a moment to go.
                    try await transaction.queryOne(GroupStatements.lock, group) == nil
                }
            guard !isHeld else { return false }
            let zone = try await ExpenseRecurrenceStore.zone(of: due.user, in: transaction)
            // It may be another's by now, or not due any more.
            guard
                try await transaction.queryOne(
                    ExpenseRecurrenceStatements.take,
                    group,
                    id,
                    moment
                ) != nil,
                let found = try await transaction.queryOne(
                    ExpenseRecurrenceStatements.find,
                    group,
                    id
                )
            else { return true }
            var recurring = found.recurring
            if let day = recurring.nextDay, day.start(in: zone) <= moment {
                let pauses = try await self.settle(
                    day,
                    of: recurring,
                    refused: refused,
                    today: Person.day(at: moment, in: zone),
                    in: transaction
                )
                recurring.advance()
                if pauses {
                    recurring.isActive = false
                    recurring.version += 1
                }
            }
            try await transaction.execute(
                ExpenseRecurrenceStatements.advance,
                group,
                id,
                Int32(clamping: recurring.nextNumber),
                recurring.nextDay,
                recurring.isActive,
                // Behind all that is due: who has a thousand days to catch up holds up nobody.
                recurring.lookAt(in: zone).map { max($0, moment) },
                recurring.version
            )
            return true
        }
    }

    /// - Returns: whether it rests from now on.
    private func settle(
        _ day: Day,
        of recurring: RecurringExpense,
        refused: Refusal?,
        today: Day,
        in transaction: Transaction
    ) async throws -> Bool {
        let (group, id) = (recurring.group, recurring.id)
        if try await transaction.queryOne(ExpenseRecurrenceStatements.hasDay, group, id, day)
            == true
        {
            return false
        }
        var made: ID<Expense>?
        if let refused {
            try await Outbox.append(
                GroupExpenseSkipped(
                    recurrenceID: id,
                    groupID: group,
                    userID: recurring.user,
                    day: day,
                    amount: recurring.expense.amount,
                    reason: refused.reason,
                    isPaused: refused.pauses
                ),
                of: group.aggregate,
                in: transaction
            )
        } else {
            var next = recurring
            next.advance()
            made = try await expenses.add(
                recurring.expense(on: day),
                to: group,
                by: recurring.user,
                today: today,
                recurrence: id,
                isMadeUpFor: next.nextDay.map { $0 <= today } ?? false,
                in: transaction
            ).id
        }
        try await transaction.execute(
            ExpenseRecurrenceStatements.note,
            group,
            id,
            day,
            Int32(clamping: recurring.nextNumber),
            made,
            refused?.reason
        )
        return refused?.pauses ?? false
    }
}
