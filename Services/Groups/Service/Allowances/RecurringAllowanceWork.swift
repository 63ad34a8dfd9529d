import Messaging
import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Pays what is due of recurring allowances, each day of each at most once.
///
/// In three steps, after each of which a process may die:
///
/// 1. `noteOne`: a day that has begun where the parent is who pays is written down, with what is
///    paid and from where as it is agreed to now, and the allowance moves on, in one transaction
///    that holds its row. A day has one row, whatever the clock says next.
/// 2. `payAll`: whoever claims the day has it for a minute, and asks the ledger, under an id made
///    of allowance and day: to pay it, or say once and for all why not. That it does not answer, or
///    refuses anything but that payment, says nothing of the day, which is claimed again, later
///    each time.
/// 3. Under the family's lock what the ledger said is written, and told of.
///
/// Days of downtime are paid late, in their order, and booked on the day on which they are.
struct RecurringAllowanceWork {
    private let database: Database
    private let effects: KeyedEffects
    private let ledger: AllowanceLedger
    /// What time it is; a test moves it.
    var now: () -> Instant

    init(
        database: Database,
        effects: KeyedEffects,
        ledger: AllowanceLedger,
        now: @escaping () -> Instant = { .now() }
    ) {
        self.database = database
        self.effects = effects
        self.ledger = ledger
        self.now = now
    }

    /// Where no later day could do better: it rests, and who pays is told.
    private static let pausing: Set<ErrorCode> = [
        .notFound, .invalidBody, .forbidden, .accountClosed, .accountKind, .currencyMismatch,
    ]

    /// Writes a day down that has come; false where there is none.
    func noteOne() async throws -> Bool {
        let moment = now()
        var reached: ID<Recurrence>?
        do {
            try await database.transaction { transaction in
                let due = RecurringAllowanceStatements.due(at: moment)
                guard let row = try await transaction.queryOne(due) else { return }
                reached = row.allowance.id
                try await Self.note(row, at: moment, in: transaction)
            }
        } catch let error as DatabaseError {
            // What the database cannot take must not keep the others from their turn.
            if case .server = error, let reached {
                let putOff = RecurringAllowanceStatements.putOff
                try await database.execute(putOff, reached, moment)
            }
            throw error
        }
        return reached != nil
    }

    private static func note(
        _ row: RecurringAllowanceRow,
        at moment: Instant,
        in transaction: Transaction
    ) async throws {
        var allowance = row.allowance
        if let day = allowance.nextDay, day.start(in: row.zone) <= moment {
            try await RecurringAllowanceStore.note(
                day,
                number: allowance.nextNumber,
                of: allowance,
                as: .pending,
                lookAt: moment,
                nil,
                in: transaction
            )
            allowance.advance()
        }
        try await transaction.execute(
            RecurringAllowanceStatements.advance,
            allowance.id,
            Int32(clamping: allowance.nextNumber),
            allowance.nextDay,
            // Behind all that is due: who has many days to catch up holds up nobody.
            allowance.lookAt(in: row.zone).map { max($0, moment) }
        )
    }

    /// Asks the ledger for all that has come.
    /// - Throws: the last of what failed, after all have been asked for.
    func payAll() async throws {
        var failure: (any Error)?
        while let due = try await database.queryOne(RecurringAllowanceStatements.claim, now()) {
            do { try await pay(due) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func pay(_ due: DueAllowance) async throws {
        let outcome = try await ledger.decide(due.order, due.payment)
        let isPaid = outcome.transactionID != nil
        try await effects.run { transaction in
            // Gone with the family, with the child's place in it, or by a parent's wish.
            guard try await transaction.queryOne(FamilyStatements.lock, due.family) != nil,
                try await transaction.execute(
                    RecurringAllowanceStatements.finish,
                    due.recurrence,
                    due.day,
                    (isPaid ? AllowanceState.paid : .skipped).rawValue,
                    outcome.transactionID,
                    isPaid ? nil : outcome.refusal ?? ErrorCode.internalError.text
                ) == 1
            else { return }
            if isPaid {
                // Of a transfer the ledger tells the child.
                if outcome.transferID == nil { try await Self.tell(of: due, in: transaction) }
            } else {
                try await Self.skip(due, for: outcome.refusal, in: transaction)
            }
        }
    }

    private static func tell(of due: DueAllowance, in transaction: Transaction) async throws {
        try await Outbox.append(
            FamilyAllowancePaid(
                familyID: due.family,
                recurrenceID: due.recurrence,
                userID: due.child,
                paidBy: due.parent,
                day: due.day,
                amount: due.terms.amount
            ),
            of: "family:\(due.family.text)",
            in: transaction
        )
    }

    private static func skip(
        _ due: DueAllowance,
        for refusal: String?,
        in transaction: Transaction
    ) async throws {
        let code = refusal.flatMap { ErrorCode.named($0) } ?? .internalError
        var isPaused = false
        if pausing.contains(code) {
            isPaused =
                try await transaction.execute(
                    RecurringAllowanceStatements.pause,
                    due.recurrence,
                    due.terms.account
                ) == 1
        }
        try await Outbox.append(
            FamilyAllowanceSkipped(
                familyID: due.family,
                recurrenceID: due.recurrence,
                userID: due.parent,
                childID: due.child,
                day: due.day,
                amount: due.terms.amount,
                reason: code.text,
                isPaused: isPaused
            ),
            of: "family:\(due.family.text)",
            in: transaction
        )
    }
}
