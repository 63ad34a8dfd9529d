import Postgres
import ServiceKit
import WalletProtocol

/// Reads how envelopes were used, from the sums that envelopes are read from.
struct BudgetReportReader {
    let budgets: BudgetStore

    func report(
        _ query: BudgetReportQuery,
        of subject: ReportSubject
    ) async throws -> BudgetReport {
        try await budgets.read(subject.user) { reader, transaction in
            let asked = try await AskedBudgets.read(query, subject, reader, transaction)
            let sums = try await reader.sums(
                of: asked.categories.map(\.id),
                from: asked.before.first ?? asked.months[0],
                through: asked.months[asked.months.count - 1],
                transaction
            )
            return try asked.report(sums, reader)
        }
    }
}

/// What a report of budgets is of, once it is known to be the person's.
private struct AskedBudgets {
    let categories: [CategoryRow]
    /// One at least, in their order.
    let months: [Month]
    /// As many before.
    let before: [Month]

    /// - Throws: 400 `invalid-query` with all that is wrong.
    static func read(
        _ query: BudgetReportQuery,
        _ subject: ReportSubject,
        _ reader: BudgetReader,
        _ transaction: Transaction
    ) async throws -> AskedBudgets {
        var errors: [FieldError] = []
        let to = query.to ?? reader.today
        let last = reader.calendar.month(of: to) ?? to.month
        _ = ReportPeriod(
            from: query.from,
            to: query.to,
            today: reader.today,
            noting: &errors
        )
        let isPeriod = errors.isEmpty
        let first = query.from.map { reader.calendar.month(of: $0) ?? $0.month } ?? last
        let count = (last.year - first.year) * 12 + last.month - first.month + 1
        if isPeriod, count > BudgetReport.monthsMax {
            let detail = "has more than \(BudgetReport.monthsMax) months"
            errors.note("from", .tooMany, "\(detail): ask for fewer")
        }
        _ = try await ReportScope.read(
            subject,
            accounts: [],
            categories: query.categoryIDs,
            transaction,
            noting: &errors
        )
        try errors.check()
        // A category that is gone has no envelope any more.
        var rows = try await transaction.query(
            CategoryStatements.list,
            subject.user,
            "",
            AskedBudgets.categoriesMax
        )
        if !query.categoryIDs.isEmpty {
            rows.removeAll { !query.categoryIDs.contains($0.id) }
        }
        return AskedBudgets(
            categories: rows,
            months: (0..<count).compactMap { first.adding($0) },
            before: (0..<count).reversed().compactMap { first.adding(-1 - $0) }
        )
    }

    /// More than anybody has.
    private static let categoriesMax = 10_000

    func report(_ kept: EnvelopeSums, _ reader: BudgetReader) throws -> BudgetReport {
        var sums = kept
        var used: [[Envelope]] = categories.map { _ in [] }
        for month in months {
            sums.month = month
            for (index, category) in categories.enumerated() {
                used[index].append(try sums.envelope(of: category.id))
            }
        }
        var previous = categories.map { _ in Total.zero(kept.currency) }
        for month in before {
            sums.month = month
            for (index, category) in categories.enumerated() {
                let spent = try sums.envelope(of: category.id).spent
                previous[index] = try previous[index].adding(spent)
            }
        }
        let items = try categories.indices.map { index in
            BudgetUse(
                categoryID: categories[index].id,
                name: categories[index].name,
                months: used[index],
                spent: try Total.sum(used[index].map(\.spent), in: kept.currency),
                previous: previous[index]
            )
        }
        let together = try months.indices.map { index in
            try Self.together(used.map { $0[index] }, months[index], kept.currency, reader.calendar)
        }
        guard let first = together.first, let last = together.last else {
            throw APIError(.internalError)
        }
        return BudgetReport(
            from: first.from,
            to: last.to,
            currency: kept.currency,
            months: together,
            items: items,
            spent: try Total.sum(items.map(\.spent), in: kept.currency),
            previous: try Total.sum(previous, in: kept.currency)
        )
    }

    /// All envelopes of a month: a parent's does not contain its children's, so that they add up.
    private static func together(
        _ envelopes: [Envelope],
        _ month: Month,
        _ currency: Currency,
        _ calendar: BudgetCalendar
    ) throws -> BudgetMonth {
        guard let from = calendar.first(of: month),
            let to = calendar.end(of: month)?.adding(days: -1)
        else { throw APIError(.internalError) }
        let rolledOver = try Total.sum(envelopes.map(\.rolledOver), in: currency)
        let allocated = try Total.sum(envelopes.map(\.allocated), in: currency)
        let spent = try Total.sum(envelopes.map(\.spent), in: currency)
        let budget = try rolledOver.adding(allocated)
        return BudgetMonth(
            month: month,
            from: from,
            to: to,
            rolledOver: rolledOver,
            allocated: allocated,
            spent: spent,
            available: try budget.subtracting(spent),
            percent: Nullable(EnvelopeBalance.percent(spent.minorUnits, of: budget.minorUnits))
        )
    }
}
