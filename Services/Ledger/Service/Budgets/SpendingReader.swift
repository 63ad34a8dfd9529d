import Postgres
import ServiceKit
import WalletProtocol

/// Reads what somebody has spent by category and month, in a transaction that sees one state of
/// everything (repeatable read): for their own envelopes, or for those of their family.
///
/// Cost, with k categories asked for and m months since the first that is kept: one look-up for
/// each change since the sums of ended months were made (500 at most, then they are made anew); the
/// rows of a month that is over once when it ends, and once more for each time that one of them was
/// changed; k·m kept sums (and of other currencies one a day); the rows of the running month. The
/// rows of all the years before are not read.
struct SpendingReader {
    let user: ID<User>
    /// Sums are kept once for the person and once for the family, each in its currency and by its
    /// own months.
    let isForHousehold: Bool
    let calendar: BudgetCalendar
    let currency: Currency
    let currentMonth: Month

    /// Beyond so many changes the mark is moved, though none of them was of a month that is over.
    static let changesMax: Int64 = 500

    /// What was spent of some categories in some months.
    /// - Parameter oldest: the first month that anything can ever be asked for; nil where nothing
    ///   but a single month is.
    func figures(
        of categories: [CategoryID],
        from first: Month,
        through month: Month,
        keepingFrom oldest: Month?,
        in transaction: Transaction
    ) async throws -> [BudgetFigure] {
        // Of what is kept, and then of the rows themselves, where the sums end.
        guard var open = calendar.first(of: first), let end = calendar.end(of: month) else {
            throw APIError(.invalidQuery, "there is no such month")
        }
        var spending: [BudgetFigure] = []
        let kept = try await keptMonths(from: oldest, in: transaction)
        if let kept, kept.openedFrom < end, open < kept.closedBefore {
            spending = try await spent(
                of: categories,
                from: open,
                before: kept.openedFrom,
                transaction
            )
            spending += try await transaction.query(
                BudgetStatements.kept,
                user,
                first.firstDay,
                month.firstDay,
                categories,
                isForHousehold
            )
            open = min(kept.closedBefore, end)
        }
        return spending + (try await spent(of: categories, from: open, before: end, transaction))
    }

    /// Of the rows themselves; nothing where there is no day between.
    private func spent(
        of categories: [CategoryID],
        from: Day,
        before end: Day,
        _ transaction: Transaction
    ) async throws -> [BudgetFigure] {
        guard from < end else { return [] }
        return try await transaction.query(
            BudgetStatements.spent(
                by: user,
                from: from,
                before: end,
                calendar,
                in: currency,
                categories: categories.count <= 3 ? categories : nil
            )
        )
    }

    // MARK: Months that are over

    /// Which months have their sums kept, all changes until now in them; nil where nothing is to be
    /// rolled over.
    private func keptMonths(
        from oldest: Month?,
        in transaction: Transaction
    ) async throws -> BudgetClosing? {
        guard let oldest, let start = calendar.first(of: oldest),
            let running = calendar.first(of: currentMonth), start < running
        else { return nil }
        var known = try await transaction.queryOne(BudgetStatements.closing, user, isForHousehold)
        if let found = known,
            found.monthStart != calendar.monthStart || found.currency != currency
                || found.openedFrom > start
        {
            known = nil
        }
        guard let known else {
            try await transaction.execute(BudgetStatements.forgetAll, user, isForHousehold)
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
            monthStart: calendar.monthStart,
            currency: currency,
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
            try await transaction.execute(
                BudgetStatements.forgetMonths,
                user,
                months,
                isForHousehold
            )
            let figures = try await transaction.query(
                BudgetStatements.spent(
                    by: user,
                    from: run.from,
                    before: run.before,
                    calendar,
                    in: currency
                )
            )
            try await transaction.execute(
                BudgetStatements.keep,
                user,
                figures.map(\.figure.month.firstDay),
                figures.map(\.category),
                figures.map(\.figure.day),
                figures.map(\.figure.currency.code),
                figures.map(\.figure.amount),
                isForHousehold
            )
        }
        try await transaction.execute(
            BudgetStatements.close,
            user,
            Int16(clamping: closing.monthStart),
            closing.currency.code,
            start,
            end,
            mark,
            isForHousehold
        )
        return closing
    }
}
