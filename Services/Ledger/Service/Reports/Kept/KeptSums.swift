import Postgres
import ServiceKit
import WalletProtocol

/// Sees to the sums of months that are over, in a transaction that sees one state of everything
/// (repeatable read): whoever reads has them made anew as far as something has changed.
///
/// Cost: one look-up for each change since they were made (500 at most, then the mark is moved);
/// the rows of a month once when it ends, and once more for each reading before which one of them
/// was changed. The rows of all the years before are not read.
struct KeptSums: Sendable {
    /// Before which day the sums of an account are kept.
    private(set) var closedBefore: [ID<Account>: Day] = [:]

    /// Of an account of fewer lines nothing is kept: they are read as quickly.
    static let linesMin: Int64 = 2_000
    /// Beyond so many changes the mark is moved, though none of them was of a month that is over.
    static let changesMax: Int64 = 500
    /// Before everything that anybody books.
    static let dawn = Day(daysSince1970: -719_162)

    /// Those of one's own accounts, up to date.
    static func read(
        _ accounts: [ReportAccount],
        of subject: ReportSubject,
        from linesMin: Int64 = linesMin,
        _ transaction: Transaction
    ) async throws -> KeptSums {
        var sums = KeptSums()
        let own = accounts.filter(\.isOwn).map(\.id)
        let states = try await transaction.query(KeptStatements.state, own)
        let running = subject.today.month.firstDay
        for state in states where state.closedBefore != nil || state.lines >= linesMin {
            // Who has gone west may be a month back: what is closed stays so.
            let end = max(state.closedBefore ?? running, running)
            let stale = stale(state, end)
            if !stale.isEmpty || state.changes > changesMax {
                try await keep(stale, of: state.account, subject.user, before: end, transaction)
            }
            sums.closedBefore[state.account] = end
        }
        return sums
    }

    /// The runs of days whose sums are to be made anew, each of whole months.
    private static func stale(
        _ state: KeptState,
        _ end: Day
    ) -> [(from: Day, before: Day)] {
        guard let closed = state.closedBefore else { return dawn.map { [($0, end)] } ?? [] }
        var runs: [(from: Day, before: Day)] = []
        for month in Set(state.days.map(\.month)).sorted() {
            let next = month.adding(1)?.firstDay ?? closed
            if let last = runs.last, last.before == month.firstDay {
                runs[runs.count - 1].before = next
            } else {
                runs.append((month.firstDay, next))
            }
        }
        if closed < end { runs.append((closed, end)) }
        return runs
    }

    private static func keep(
        _ runs: [(from: Day, before: Day)],
        of account: ID<Account>,
        _ user: ID<User>,
        before end: Day,
        _ transaction: Transaction
    ) async throws {
        guard let mark = try await transaction.queryOne(BudgetStatements.horizon) else {
            throw APIError(.internalError)
        }
        try await transaction.execute(KeptStatements.close, account, user, end, mark)
        // Who has been erased since this began is seen by no statement of it, but by this lock.
        _ = try await transaction.queryOne(KeptStatements.holdOwner, user)
        for (from, before) in runs {
            try await transaction.execute(KeptStatements.forgetDays, account, from, before)
            try await transaction.execute(KeptStatements.keepDays, account, from, before)
            try await transaction.execute(KeptStatements.forgetMonths, account, from, before)
            try await transaction.execute(KeptStatements.keepNames, account, user, from, before)
            try await transaction.execute(KeptStatements.keepPlaces, account, user, from, before)
        }
    }
}

extension ReportPeriod {
    /// The whole months that it has before a month's first day; nil where there are none.
    func months(before end: Day) -> ReportPeriod? {
        let first = from == from.month.firstDay ? from : from.month.adding(1)?.firstDay
        let behind = min(to.adding(days: 1) ?? to, end).month.firstDay
        guard let first, let last = behind.adding(days: -1), first <= last else { return nil }
        return ReportPeriod(first, last)
    }
}
