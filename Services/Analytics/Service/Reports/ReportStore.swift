import Postgres
import ServiceKit
import WalletProtocol

/// Reads the figures of somebody, or of a group.
struct ReportStore {
    let database: Database
    let rates: RateStore
    let people: PersonReader

    /// What a person's report is of; what was left out is theirs: the month up to their today, and
    /// their currency.
    func scope(
        _ selection: some ReportSelection,
        of person: ID<User>
    ) async throws -> ReportScope {
        let settings = try await people.settings(of: person)
        return try ReportScope(
            selection,
            of: .person(person),
            today: Period.today(at: .now(), in: settings.timeZone),
            currency: settings.currency
        )
    }

    /// The same of a child, for a parent.
    func scope(
        _ selection: some ReportSelection,
        ofChild child: ID<User>
    ) async throws -> ReportScope {
        var scope = try await scope(selection, of: child)
        scope.isOfChild = true
        return scope
    }

    /// What a group's report is of, in the group's currency, up to the reader's today.
    func scope(
        _ selection: some ReportSelection,
        of group: ID<Group>,
        in currency: Currency?,
        for reader: ID<User>
    ) async throws -> ReportScope {
        let settings = try await people.settings(of: reader)
        return try ReportScope(
            selection,
            of: .group(group),
            today: Period.today(at: .now(), in: settings.timeZone),
            currency: currency ?? settings.currency
        )
    }

    func summary(_ scope: ReportScope) async throws -> SummaryView {
        let rows = try await sums(scope)
        let flow = ReportFlow(rows)
        return SummaryView(
            from: scope.period.from,
            to: scope.period.to,
            currency: scope.currency,
            income: Total(minorUnits: flow.income, scope.currency),
            expenses: Total(minorUnits: flow.expenses, scope.currency),
            net: try flow.net(in: scope.currency),
            count: Int(try await count(scope, rows)),
            unconverted: rows.unconverted,
            previous: try await previous(scope)
        )
    }

    func categories(_ scope: ReportScope) async throws -> CategoryReport {
        let rollUp = try await rollUp(scope.subject)
        let flows = try await sums(scope.going(nil), byCategory: true)
        let rows = flows.filter { scope.counts($0) }
        let before = try await scope.period.previous.asyncMap { period in
            (period: period, rows: try await sums(scope.of(period), byCategory: true))
        }
        let items = try rollUp.shares(
            rows,
            before: before?.rows ?? [],
            nets: rollUp.nets(of: flows),
            in: scope.currency
        )
        return CategoryReport(
            from: scope.period.from,
            to: scope.period.to,
            currency: scope.currency,
            total: try Total.sum(items.map(\.amount), in: scope.currency),
            net: try ReportFlow(flows).net(in: scope.currency),
            items: items,
            unconverted: rows.unconverted.map { total in
                Total(minorUnits: abs(total.minorUnits), total.currency)
            },
            previous: before.map { period, rows in
                PreviousTotal(
                    from: period.from,
                    to: period.to,
                    total: Total(minorUnits: ReportFlow(rows).both, scope.currency)
                )
            }
        )
    }

    /// - Throws: `.invalidQuery` where all series would have too many points.
    func trends(
        _ scope: ReportScope,
        by interval: ReportInterval,
        _ grouping: ReportGrouping?
    ) async throws -> TrendReport {
        let buckets = try Buckets(of: scope.period, by: interval)
        let rows = try await sums(scope, in: buckets, byCategory: grouping != nil)
        let series = TimeSeries(buckets: buckets, currency: scope.currency)
        let all =
            switch grouping {
            case nil: [try series.series(of: rows, nil)]
            case .category: try series.byCategory(rows, try await rollUp(scope.subject))
            }
        return TrendReport(
            from: scope.period.from,
            to: scope.period.to,
            currency: scope.currency,
            interval: interval,
            series: all,
            unconverted: rows.unconverted,
            previous: try await previous(scope)
        )
    }

    func cashFlow(_ scope: ReportScope, by interval: ReportInterval) async throws -> CashFlowReport
    {
        let buckets = try Buckets(of: scope.period, by: interval)
        let rows = try await sums(scope, in: buckets)
        let flow = ReportFlow(rows)
        return CashFlowReport(
            from: scope.period.from,
            to: scope.period.to,
            currency: scope.currency,
            interval: interval,
            inflow: Total(minorUnits: flow.income, scope.currency),
            outflow: Total(minorUnits: flow.expenses, scope.currency),
            net: try flow.net(in: scope.currency),
            points: try TimeSeries(buckets: buckets, currency: scope.currency).cashFlow(rows),
            unconverted: rows.unconverted,
            previous: try await previous(scope)
        )
    }

    private func previous(_ scope: ReportScope) async throws -> PreviousFlow? {
        try await scope.period.previous.asyncMap { period in
            let flow = ReportFlow(try await sums(scope.of(period)))
            return PreviousFlow(
                from: period.from,
                to: period.to,
                income: Total(minorUnits: flow.income, scope.currency),
                expenses: Total(minorUnits: flow.expenses, scope.currency),
                net: try flow.net(in: scope.currency)
            )
        }
    }

    /// The sums of a period, once all rates are there that it needs.
    /// - Throws: `.invalidQuery` where too much must be looked at one by one, or told apart by day.
    private func sums(
        _ scope: ReportScope,
        in buckets: Buckets? = nil,
        byCategory: Bool = false
    ) async throws -> [ReportRow] {
        let all = try await database.query(ReportStatements.currencies, scope.subject.owner)
        let others = scope.isByAmount ? all : all.filter { $0 != scope.currency }
        if !others.isEmpty {
            let days = try await database.query(ReportStatements.days(scope, in: others))
            guard days.reduce(0, { $0 + $1.bookings }) <= Reports.bookingsMax else {
                throw APIError.tooManyBookings(of: scope)
            }
            try await rates.ensure(days.filter(\.isConverted).map(\.day))
        }
        let periods = buckets?.periods ?? [scope.period]
        let inputs = try await database.query(
            ReportStatements.sums(
                scope,
                of: Stretches(scope.period, by: buckets?.interval),
                from: periods.map(\.from),
                byCategory: byCategory,
                others: others
            )
        )
        guard inputs.count(where: \.isCell) <= Reports.cellsMax else {
            throw APIError.tooManyCells(of: scope)
        }
        return inputs.rows(of: periods)
    }

    /// How many transactions: of one that is split over several categories, or ways, each part is
    /// in a cell of its own.
    private func count(_ scope: ReportScope, _ rows: [ReportRow]) async throws -> Int64 {
        if scope.isByAmount {
            let all = try await database.query(ReportStatements.currencies, scope.subject.owner)
            return try await database.queryOne(ReportStatements.count(scope, in: all)) ?? 0
        }
        let isWhole = scope.categories.isEmpty && scope.direction == nil
        guard !isWhole, case .person(let user) = scope.subject else {
            return rows.reduce(0) { $0 + $1.transactions }
        }
        let further = try await database.queryOne(ReportStatements.furtherParts(scope, of: user))
        return rows.reduce(0) { $0 + $1.parts } - (further ?? 0)
    }

    private func rollUp(_ subject: ReportSubject) async throws -> CategoryRollUp {
        let pairs =
            switch subject {
            case .person(let user): try await database.query(ReportStatements.parents, user)
            case .group(let group): try await database.query(ReportStatements.groupParents, group)
            }
        return CategoryRollUp(
            parents: Dictionary(pairs.map { ($0.child, $0.parent) }) { first, _ in first }
        )
    }
}

extension APIError {
    fileprivate static func tooManyCells(of scope: ReportScope) -> APIError {
        .query(
            "from",
            .tooMany,
            "from \(scope.period.from) to \(scope.period.to) more than \(Reports.cellsMax) months "
                + "of a category on an account must be told apart by day: ask for a shorter time, "
                + "or for some of the accounts or categories"
        )
    }

    fileprivate static func tooManyBookings(of scope: ReportScope) -> APIError {
        let reason = scope.isByAmount ? "by their amounts" : "in other currencies"
        return .query(
            "from",
            .tooMany,
            "from \(scope.period.from) to \(scope.period.to) more than \(Reports.bookingsMax) "
                + "bookings must be looked at one by one, \(reason): ask for a shorter time"
        )
    }
}

extension Optional {
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async throws -> Value?
    {
        guard let self else { return nil }
        return try await body(self)
    }
}
