import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Tells, behind the writes, of envelopes that are overspent: once each time that one becomes so.
///
/// Two steps, each of them safe to be killed. The first looks through the journal from a mark on,
/// up to where nothing can still appear (`JournalHorizon`), and notes which
/// envelopes it touches; mark and notes commit together. The second takes the notes of a person and
/// looks at the envelopes, in one state of everything that has at least what the notes are of; what
/// it tells, and that it has told it, commit with the notes' end.
struct BudgetWatch {
    let store: BudgetStore
    let relayBell: RelayBell

    /// Places of the journal that one round looks through at most.
    static let chunk: Int64 = 5_000

    /// Looks through what is new; whether there was anything.
    func lookThrough() async throws -> Bool {
        let settled = try await JournalHorizon.settled(in: store.database)
        return try await store.database.transaction { transaction in
            guard let mark = try await transaction.queryOne(BudgetWatchStatements.mark),
                mark < settled
            else { return false }
            let end = min(settled, mark + Self.chunk)
            if try await transaction.queryOne(BudgetWatchStatements.anyEnvelope) == true {
                try await transaction.execute(BudgetWatchStatements.touch, mark, end)
            }
            try await transaction.execute(BudgetWatchStatements.advance, end)
            return true
        }
    }

    /// Looks at the envelopes of a person that were touched; false where there are none.
    func lookAtOne() async throws -> Bool {
        let database = store.database
        let found = try await database.transaction(BudgetReader.options) { transaction in
            guard let user = try await transaction.queryOne(BudgetWatchStatements.next) else {
                return false
            }
            let touched = try await transaction.query(BudgetWatchStatements.take, user)
            guard let person = try await transaction.queryOne(PeopleStatements.find, user) else {
                return true
            }
            let reader = BudgetReader(
                user: user,
                person: person,
                today: store.people.today(for: person),
                rates: store.rates,
                blocking: store.blocking
            )
            let current = reader.currentMonth
            var months: [Month: Set<CategoryID>] = [:]
            for (category, day) in touched {
                // What changes in a month that is over changes what rolls over into the running.
                let month = max(reader.calendar.month(of: day) ?? current, current)
                // There is no envelope of a month that cannot be planned.
                guard BudgetCalendar.planned.contains(month.year) else { continue }
                months[month, default: []].insert(category)
            }
            for (month, categories) in months.sorted(by: { $0.key < $1.key }) {
                let allocated = try await transaction.query(
                    BudgetStatements.allocations,
                    user,
                    categories.sorted(),
                    month.firstDay
                )
                // One that begins later is none yet.
                let own = categories.intersection(allocated.map(\.category)).sorted()
                let envelopes = try await reader.envelopes(of: own, in: month, transaction)
                for envelope in envelopes {
                    try await reader.note(envelope, cause: .spending, in: transaction)
                }
            }
            return true
        }
        if found { relayBell.ring() }
        return found
    }
}
