import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads envelopes, in a transaction that sees one state of everything (repeatable read).
///
/// Cost, with k categories shown and m months since the first allocation: one look-up for each
/// change since the sums of ended months were made (500 at most, then they are made anew); the rows
/// of a month that is over once when it ends, and once more for each time that one of them was
/// changed; k·m kept sums (and of other currencies one a day); the rows of the running month. The
/// rows of all the years before are not read.
struct BudgetReader {
    let user: ID<User>
    /// As it is now, not as it was a while ago.
    let person: Person
    let today: Day
    let rates: RateStore
    let blocking: BlockingPool

    /// Beyond so many changes the mark is moved, though none of them was of a month that is over.
    static let changesMax: Int64 = 500
    /// Every statement sees the same; whoever has written meanwhile lets it begin anew.
    static let options = TransactionOptions(isolation: .repeatableRead, attemptsMax: 10)

    var calendar: BudgetCalendar { BudgetCalendar(monthStart: person.monthStart) }

    /// The month that it is where the person is.
    var currentMonth: Month { calendar.month(of: today) ?? today.month }

    /// The envelopes of these categories in a month.
    func envelopes(
        of categories: [CategoryID],
        in month: Month,
        _ transaction: Transaction
    ) async throws -> [Envelope] {
        guard let from = calendar.first(of: month), let end = calendar.end(of: month) else {
            throw APIError(.invalidQuery, "there is no such month")
        }
        let allocations = try await transaction.query(
            BudgetStatements.allocations,
            user,
            categories,
            month.firstDay
        )
        var spending: [BudgetFigure] = []
        let first = allocations.lazy.map(\.month).filter { $0 < month }.min()
        let kept = try await keptMonths(for: first ?? month, in: transaction)
        // Of what is kept, and then of the rows themselves, where the sums end.
        var open = first.flatMap(calendar.first(of:)) ?? from
        if let kept, open >= kept.openedFrom, open < kept.closedBefore {
            spending = try await transaction.query(
                BudgetStatements.kept,
                user,
                (first ?? month).firstDay,
                month.firstDay,
                categories
            )
            open = min(kept.closedBefore, end)
        }
        if open < end {
            let some = categories.count <= 3 ? categories : nil
            spending += try await transaction.query(
                BudgetStatements.spent(
                    by: user,
                    from: open,
                    before: end,
                    calendar,
                    in: person.currency,
                    categories: some
                )
            )
        }
        let isForeign = (allocations + spending).contains { $0.currency != person.currency }
        let sums = EnvelopeSums(
            month: month,
            currency: person.currency,
            rates: isForeign ? try await rates.history(on: blocking) : nil,
            allocations: allocations,
            spending: spending
        )
        return try categories.map { try sums.envelope(of: $0) }
    }

    // MARK: Months that are over

    /// Which months have their sums kept, all changes until now in them; nil where nothing is to be
    /// rolled over.
    private func keptMonths(
        for first: Month,
        in transaction: Transaction
    ) async throws -> BudgetClosing? {
        guard
            let oldest = try await transaction.queryOne(BudgetStatements.firstMonth, user) ?? nil,
            let start = calendar.first(of: oldest.month),
            let running = calendar.first(of: currentMonth), start < running
        else { return nil }
        var known = try await transaction.queryOne(BudgetStatements.closing, user)
        if let found = known,
            found.monthStart != person.monthStart || found.currency != person.currency
                || found.openedFrom > start
        {
            known = nil
        }
        guard let known else {
            try await transaction.execute(BudgetStatements.forgetAll, user)
            return try await keep([(start, running)], from: start, until: running, in: transaction)
        }
        guard
            let changes = try await transaction.queryOne(
                BudgetStatements.changes,
                user,
                known.mark,
                known.openedFrom,
                known.closedBefore
            )
        else { return nil }
        var stale = Set(changes.days.compactMap(calendar.month(of:))).sorted().compactMap { month in
            calendar.first(of: month).flatMap { first in
                calendar.end(of: month).map { (first, $0) }
            }
        }
        if known.closedBefore < running { stale.append((known.closedBefore, running)) }
        guard !stale.isEmpty || changes.count > Self.changesMax else { return known }
        return try await keep(
            stale,
            from: known.openedFrom,
            // Who has gone west may be a month back: what is closed stays so.
            until: max(known.closedBefore, running),
            in: transaction
        )
    }

    /// Makes the sums of some runs of days anew, each of whole months.
    private func keep(
        _ runs: [(from: Day, before: Day)],
        from start: Day,
        until end: Day,
        in transaction: Transaction
    ) async throws -> BudgetClosing {
        guard let mark = try await transaction.queryOne(BudgetStatements.horizon) else {
            throw APIError(.internalError)
        }
        let closing = BudgetClosing(
            monthStart: person.monthStart,
            currency: person.currency,
            openedFrom: start,
            closedBefore: end,
            mark: mark
        )
        for run in runs {
            var months: [Day] = []
            var month = calendar.month(of: run.from)
            while let one = month, let first = calendar.first(of: one), first < run.before {
                months.append(one.firstDay)
                month = one.adding(1)
            }
            try await transaction.execute(BudgetStatements.forgetMonths, user, months)
            let figures = try await transaction.query(
                BudgetStatements.spent(
                    by: user,
                    from: run.from,
                    before: run.before,
                    calendar,
                    in: person.currency
                )
            )
            try await transaction.execute(
                BudgetStatements.keep,
                user,
                figures.map(\.month.firstDay),
                figures.map(\.category),
                figures.map(\.day),
                figures.map(\.currency.code),
                figures.map(\.amount)
            )
        }
        try await transaction.execute(
            BudgetStatements.close,
            user,
            Int16(clamping: closing.monthStart),
            closing.currency.code,
            start,
            end,
            mark
        )
        return closing
    }
}
