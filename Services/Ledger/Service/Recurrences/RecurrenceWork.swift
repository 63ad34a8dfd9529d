import Messaging
import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Posts what is due of recurring transactions, each day of each at most once.
///
/// A schedule is claimed by its row's lock, which ends with the transaction: of two replicas one
/// passes over what the other is at, and whoever is killed leaves nothing half done. What is due is
/// written as rows of days first, which are unique, and posted in the same transaction.
struct RecurrenceWork {
    private let database: Database
    private let relayBell: RelayBell
    private let begun: BegunWork
    /// What time it is; a test moves it.
    var now: () -> Instant

    init(
        database: Database,
        relayBell: RelayBell,
        begun: BegunWork? = nil,
        now: @escaping () -> Instant = { .now() }
    ) {
        self.database = database
        self.relayBell = relayBell
        self.begun = begun ?? BegunWork(database: database)
        self.now = now
    }

    /// Days of one schedule in one transaction, the oldest first; the rest comes behind the others.
    static let daysMax = 20

    /// One schedule that is due; false where there is none.
    func doOne() async throws -> Bool {
        let moment = now()
        guard let next = try await database.queryOne(RecurrenceWorkStatements.next, moment)
        else { return false }
        try await begun.attempt("recurrence", next.id) { attempt in
            if attempt.isHopeless {
                try await database.execute(RecurrenceWorkStatements.setAside, next.id)
            } else {
                try await post(next.id, of: next.user, at: moment)
            }
        }
        return true
    }

    private func post(
        _ id: ID<WalletProtocol.Recurrence>,
        of user: ID<User>,
        at moment: Instant
    ) async throws {
        do {
            try await database.transaction { transaction in
                // It may be another's by now, or not due any more.
                guard
                    let zone = try await transaction.queryOne(
                        RecurrenceWorkStatements.take,
                        id,
                        moment
                    ),
                    let found = try await transaction.queryOne(
                        RecurrenceStatements.lock,
                        user,
                        id
                    )
                else { return }
                var round = Round(recurring: found, zone: zone, moment: moment)
                try await round.run(in: transaction)
            }
            relayBell.ring()
        } catch is TryAgain {
            // Its account is held, or changes under it: others have their turn meanwhile.
            try await putOff(id, moment)
        } catch let error as DatabaseError {
            // What the database cannot take must not keep the others from their turn.
            if case .server = error { try await putOff(id, moment) }
            throw error
        }
    }

    private func putOff(
        _ recurrence: ID<WalletProtocol.Recurrence>,
        _ moment: Instant
    ) async throws {
        try await database.execute(RecurrenceWorkStatements.putOff, recurrence, moment)
    }

    /// What one transaction does of one schedule.
    struct Round {
        var recurring: Recurring
        let zone: String
        let moment: Instant

        /// Whether a day has begun that was not posted.
        var isDue: Bool { recurring.lookAt(in: zone).map { $0 <= moment } ?? false }

        mutating func run(in transaction: Transaction) async throws {
            let due = takeDue()
            guard !due.isEmpty else {
                try await transaction.execute(
                    RecurrenceWorkStatements.lookLater,
                    recurring.id,
                    recurring.lookAt(in: zone)
                )
                return
            }
            try await leaveCategories(in: transaction)
            var postings: [ID<MoneyTransaction>: (posting: Posting, number: Int, day: Day)] = [:]
            let mayFile = try await mayFile(in: transaction)
            for occurrence in due {
                var posting = recurring.posting(on: occurrence.date)
                if !mayFile { posting.folder = nil }
                guard let id = posting.transaction else { continue }
                postings[id] = (posting, occurrence.number, occurrence.date)
            }
            let ordered = postings.values.sorted { $0.day < $1.day }
            let free = try await transaction.query(
                RecurrenceWorkStatements.claim,
                recurring.id,
                ordered.map(\.day),
                ordered.map { Int32($0.number) },
                ordered.compactMap(\.posting.transaction)
            )
            let ours = ordered.filter { free.contains($0.day) }
            let outcomes =
                ours.isEmpty
                ? [] : try await transaction.post(ours.map(\.posting), waits: false)
            var refusals: [(day: Day, status: PostingStatus)] = []
            for (one, outcome) in zip(ours, outcomes) {
                switch outcome.status {
                case .posted: break
                // It will be otherwise in a moment: nothing of this round has happened.
                case .busy, .accountFrozen, .categoryNotFound, .folderNotFound: throw TryAgain()
                case let status: refusals.append((one.day, status))
                }
            }
            try await note(refusals, in: transaction)
            try await transaction.execute(
                RecurrenceWorkStatements.advance,
                recurring.id,
                Int32(recurring.nextNumber),
                recurring.nextDay,
                recurring.isActive,
                recurring.lookAt(in: zone)
            )
        }

        /// Whether the folder takes what is recorded: else it is recorded in none, for nobody is
        /// there to be told.
        private func mayFile(in transaction: Transaction) async throws -> Bool {
            guard let folder = recurring.folder else { return false }
            let writable = try await transaction.query(
                FolderStatements.writable,
                recurring.user,
                [folder]
            )
            return !writable.isEmpty
        }

        /// The days that have begun where the owner is, the oldest first; the schedule goes behind
        /// them.
        private mutating func takeDue() -> [NextOccurrence] {
            var due: [NextOccurrence] = []
            while due.count < RecurrenceWork.daysMax, let day = recurring.nextDay,
                day.start(in: zone) <= moment
            {
                due.append(NextOccurrence(number: recurring.nextNumber, date: day))
                recurring.advance()
            }
            return due
        }

        /// What is in a category that is gone goes to «Others».
        private mutating func leaveCategories(in transaction: Transaction) async throws {
            let named = Set(recurring.lines.map(\.category) + [recurring.category])
            let there = try await transaction.query(
                RecurrenceWorkStatements.categories,
                recurring.user,
                named.sorted()
            )
            let gone = named.subtracting(there).sorted()
            guard !gone.isEmpty else { return }
            guard
                let others = try await transaction.queryOne(
                    CategoryStatements.others,
                    recurring.user
                )
            else { throw TryAgain() }
            for category in gone { recurring.move(category, to: others) }
        }

        /// What was refused is left out, and told; where no later one could do better it rests.
        private mutating func note(
            _ refusals: [(day: Day, status: PostingStatus)],
            in transaction: Transaction
        ) async throws {
            for (day, status) in refusals {
                try await transaction.execute(
                    RecurrenceWorkStatements.skip,
                    recurring.id,
                    day,
                    status.rawValue
                )
                let ends = [.accountClosed, .accountNotFound, .forbidden].contains(status)
                // Of an account that is gone the first is told alone.
                if ends, !recurring.isActive { continue }
                if ends { recurring.isActive = false }
                _ = try await Outbox.append(
                    RecurrenceSkipped(
                        recurrenceID: recurring.id,
                        userID: recurring.user,
                        day: day,
                        amount: Money(minorUnits: recurring.amount, recurring.currency),
                        reason: status.rawValue,
                        rests: ends
                    ),
                    of: "recurrence:\(recurring.id)",
                    in: transaction
                )
            }
        }
    }
}
