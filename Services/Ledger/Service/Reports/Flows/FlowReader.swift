import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// What a report by payee or by place is of, its defaults filled in.
struct FlowScope: Sendable {
    let scope: ReportScope
    let period: ReportPeriod
    let currency: Currency
    let direction: Direction
    let least: Int64?
    let most: Int64?

    /// - Throws: 400 `invalid-query` with all that is wrong.
    static func read(
        _ query: FlowReportQuery,
        of subject: ReportSubject,
        _ transaction: Transaction
    ) async throws -> FlowScope {
        var errors: [FieldError] = []
        let period = ReportPeriod(
            from: query.from,
            to: query.to,
            today: subject.today,
            noting: &errors
        )
        let currency = query.currency ?? subject.person.currency
        let least = magnitude(query.minAmount, "minAmount", currency, &errors)
        let most = magnitude(query.maxAmount, "maxAmount", currency, &errors)
        if let least, let most, least > most {
            errors.note("maxAmount", .outOfRange, "must not be below minAmount")
        }
        let scope = try await ReportScope.read(
            subject,
            accounts: query.accountIDs,
            categories: query.categoryIDs,
            transaction,
            noting: &errors
        )
        try errors.check()
        return FlowScope(
            scope: scope,
            period: period,
            currency: currency,
            direction: query.direction,
            least: least,
            most: most
        )
    }

    private static func magnitude(
        _ decimal: ExactDecimal?,
        _ name: String,
        _ currency: Currency,
        _ errors: inout [FieldError]
    ) -> Int64? {
        guard let decimal else { return nil }
        if decimal.coefficient < 0 {
            errors.note(name, .negative, "must not be below zero")
            return nil
        }
        guard let money = decimal.money(in: currency) else {
            errors.note(name, .invalidValue, "is no amount in \(currency.code)")
            return nil
        }
        return money.minorUnits
    }

    /// Whether all that counts on its accounts is in it.
    var isWhole: Bool { scope.categories.isEmpty && least == nil && most == nil }

    func filter(_ period: ReportPeriod) -> CountedFilter {
        CountedFilter(
            scope: scope,
            period: period,
            currency: currency,
            direction: direction,
            least: least,
            most: most
        )
    }
}

/// Sums of a period by payee or by place, in the report's currency.
struct FlowSums<Key: Hashable & Sendable> {
    struct Item {
        var amount: Int128 = 0
        var count: Int64 = 0
        /// What it may be called, and how often it is.
        var names: [String: Int64] = [:]
        /// Of what is split in another currency, each once.
        var split: Set<ID<MoneyTransaction>> = []
    }

    private(set) var items: [Key: Item] = [:]
    private(set) var total: ReportSum
    private(set) var count: Int64 = 0

    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    init(
        _ rows: [CountedRow],
        bounds: (least: Int64?, most: Int64?),
        _ rates: inout ReportRates,
        key: (CountedRow) -> (key: Key, name: String?)
    ) throws {
        total = ReportSum(rates.currency)
        var split: Set<ID<MoneyTransaction>> = []
        for row in rows {
            let (key, name) = key(row)
            guard let foreign = row.foreign else {
                try total.add(row.sum.magnitude128)
                count += row.transactions
                add(row.sum.magnitude128, row.transactions, row.count, name, to: key)
                continue
            }
            guard
                let each = rates.shown(Int128(foreign.each), foreign.currency, on: foreign.day)
            else {
                try total.add(apart: row.sum.magnitude128, foreign.currency)
                continue
            }
            let one = each.magnitude128
            guard one >= Int128(bounds.least ?? 0), bounds.most.map({ one <= $0 }) ?? true
            else { continue }
            // As many of one amount as stand in the books: far from 128 bits.
            let amount = one * Int128(row.count)
            try total.add(amount)
            var transactions = row.count
            if let transaction = foreign.transaction {
                let isNew = items[key, default: Item()].split.insert(transaction).inserted
                transactions = isNew ? 1 : 0
                if split.insert(transaction).inserted { count += 1 }
            } else {
                count += row.count
            }
            add(amount, transactions, row.count, name, to: key)
        }
    }

    private mutating func add(
        _ amount: Int128,
        _ transactions: Int64,
        _ parts: Int64,
        _ name: String?,
        to key: Key
    ) {
        var item = items[key] ?? Item()
        item.amount += amount
        item.count += transactions
        if let name { item.names[name, default: 0] += parts }
        items[key] = item
    }

    /// The largest first, and what is beyond `limit` as one.
    func ranked(
        _ limit: Int,
        by precedes: (Key, Key) -> Bool
    ) throws -> (
        shown: [(key: Key, item: Item, percent: ExactDecimal)], rest: ReportRest
    ) {
        let all = items.sorted { left, right in
            let (one, other) = (left.value, right.value)
            if one.amount != other.amount { return one.amount > other.amount }
            if one.count != other.count { return one.count > other.count }
            return precedes(left.key, right.key)
        }
        let shown = all.prefix(limit)
        var amount: Int128 = 0
        var count: Int64 = 0
        for (_, item) in all.dropFirst(limit) {
            amount += item.amount
            count += item.count
        }
        let percents = try Percentages.of(shown.map(\.value.amount) + [amount])
        let rest = ReportRest(
            items: all.count - shown.count,
            amount: Total(minorUnits: amount, total.sum.currency),
            count: Int(count),
            percent: percents[shown.count]
        )
        return (
            zip(shown, percents).map { ($0.key, $0.value, $1) }, rest
        )
    }

    func previous(_ period: ReportPeriod) -> PeriodBefore {
        PeriodBefore(
            from: period.from,
            to: period.to,
            total: total.sum,
            count: Int(count),
            unconverted: total.unconverted
        )
    }

    func amount(of key: Key) -> Total {
        Total(minorUnits: items[key]?.amount ?? 0, total.sum.currency)
    }
}

extension FlowSums.Item {
    /// The commonest of its names, of several the first.
    var name: String? {
        names.min { left, right in (right.value, left.key) < (left.value, right.key) }?.key
    }
}

extension Int128 {
    /// Without its sign: sums of stored amounts are far from the one value that has none.
    fileprivate var magnitude128: Int128 { self < 0 ? -self : self }
}

/// A place, to a thousandth of a degree.
struct ReportPlace: Hashable, Comparable, Sendable {
    let north: Int32
    let east: Int32

    static func < (left: ReportPlace, right: ReportPlace) -> Bool {
        (left.north, left.east) < (right.north, right.east)
    }
}

/// Reads what went where, and to whom.
struct FlowReader {
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool
    /// From how many lines on an account's sums are kept.
    var linesMin = KeptSums.linesMin

    /// Everything of an answer is of one moment.
    static let snapshot = TransactionOptions(isolation: .repeatableRead, readOnly: true)

    func payees(_ query: FlowReportQuery, of subject: ReportSubject) async throws -> PayeeReport {
        let (flow, now, before) = try await sums(query, of: subject, by: .payee) { row in
            (row.name.map(TextFolding.caseFolded), row.name)
        }
        let (shown, rest) = try now.ranked(query.limit) { ($0 ?? "") < ($1 ?? "") }
        return PayeeReport(
            from: flow.period.from,
            to: flow.period.to,
            currency: flow.currency,
            total: now.total.sum,
            count: Int(now.count),
            items: shown.map { key, item, percent in
                PayeeShare(
                    name: item.name,
                    amount: now.amount(of: key),
                    count: Int(item.count),
                    percent: percent,
                    previous: before.amount(of: key)
                )
            },
            rest: rest,
            previous: before.previous(flow.period.before),
            unconverted: now.total.unconverted
        )
    }

    func places(_ query: FlowReportQuery, of subject: ReportSubject) async throws -> PlaceReport {
        let (flow, now, before) = try await sums(query, of: subject, by: .place) { row in
            (ReportPlace(north: row.north ?? 0, east: row.east ?? 0), row.label)
        }
        let (shown, rest) = try now.ranked(query.limit, by: <)
        return PlaceReport(
            features: shown.map { key, item, percent in
                PlaceFeature(
                    geometry: GeoPoint(
                        longitude: Double(key.east) / 1_000,
                        latitude: Double(key.north) / 1_000
                    ),
                    properties: PlaceProperties(
                        label: item.name,
                        amount: now.amount(of: key),
                        count: Int(item.count),
                        percent: percent,
                        previous: before.amount(of: key)
                    )
                )
            },
            from: flow.period.from,
            to: flow.period.to,
            currency: flow.currency,
            total: now.total.sum,
            count: Int(now.count),
            rest: rest,
            previous: before.previous(flow.period.before),
            unconverted: now.total.unconverted
        )
    }

    private func sums<Key: Hashable & Sendable>(
        _ query: FlowReportQuery,
        of subject: ReportSubject,
        by counted: CountedKey,
        key: (CountedRow) -> (key: Key, name: String?)
    ) async throws -> (flow: FlowScope, now: FlowSums<Key>, before: FlowSums<Key>) {
        let (flow, now, before) = try await database.transaction(BudgetReader.options) {
            transaction in
            let flow = try await FlowScope.read(query, of: subject, transaction)
            let kept = try await kept(flow, of: subject, transaction)
            func rows(_ period: ReportPeriod) async throws -> [CountedRow] {
                try await CountedReader.rows(flow.filter(period), counted, kept, transaction)
            }
            return (flow, try await rows(flow.period), try await rows(flow.period.before))
        }
        let isForeign = (now + before).contains { $0.foreign != nil }
        var rates = ReportRates(
            to: flow.currency,
            isForeign ? try await self.rates.history(on: blocking) : nil
        )
        let bounds = (flow.least, flow.most)
        return (
            flow, try FlowSums(now, bounds: bounds, &rates, key: key),
            try FlowSums(before, bounds: bounds, &rates, key: key)
        )
    }

    /// The sums of ended months, where they serve: of accounts in the report's currency, and of all
    /// that counts there.
    private func kept(
        _ flow: FlowScope,
        of subject: ReportSubject,
        _ transaction: Transaction
    ) async throws -> KeptSums {
        let running = subject.today.month.firstDay
        guard flow.isWhole,
            flow.period.months(before: running) ?? flow.period.before.months(before: running) != nil
        else { return KeptSums() }
        let accounts = flow.scope.accounts.filter { $0.currency == flow.currency }
        return try await KeptSums.read(accounts, of: subject, from: linesMin, transaction)
    }
}
