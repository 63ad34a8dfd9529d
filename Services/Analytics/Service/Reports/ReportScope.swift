import Postgres
import WalletProtocol

/// Whose figures a report is of.
enum ReportSubject: Hashable {
    case person(ID<User>)
    case group(ID<Group>)

    /// As cells know it.
    var owner: ID<CellOwner> {
        switch self {
        case .person(let user): user.retagged(CellOwner.self)
        case .group(let group): group.retagged(CellOwner.self)
        }
    }
}

/// What a report is of, its defaults filled in.
struct ReportScope {
    let subject: ReportSubject
    /// Read by a parent: what a child books in the wallet of another is between the two.
    var isOfChild = false
    var period: Period
    let currency: Currency
    var accounts: [ID<Account>] = []
    var categories: [CategoryID] = []
    /// Nil: both ways.
    var direction: Direction?
    /// Of a booking, in the report's currency.
    var least: Int64?
    var most: Int64?

    /// Whether each booking must be looked at, for cells do not know how large it was.
    var isByAmount: Bool { least != nil || most != nil }

    /// The same of one way, or of both.
    func going(_ direction: Direction?) -> ReportScope {
        var other = self
        other.direction = direction
        return other
    }

    /// Whether a sum goes the way that the report is of.
    func counts(_ row: ReportRow) -> Bool {
        direction == nil || row.isIncome == (direction == .incoming)
    }

    /// The same of another time.
    func of(_ period: Period) -> ReportScope {
        var other = self
        other.period = period
        return other
    }
}

/// What every report is asked with.
protocol ReportSelection {
    var from: Day? { get }
    var to: Day? { get }
    var minAmount: ExactDecimal? { get }
    var maxAmount: ExactDecimal? { get }
    var currency: Currency? { get }
    /// Any of these; none for all.
    var accounts: [ID<Account>] { get }
    /// Any of these; none for all.
    var categories: [CategoryID] { get }
    /// Nil for both.
    var way: Direction? { get }
    /// What a point is of, in a report over time.
    var step: ReportInterval? { get }
}

extension ReportSelection {
    var step: ReportInterval? { nil }
}

extension SummaryQuery: ReportSelection {
    var accounts: [ID<Account>] { accountIDs }
    var categories: [CategoryID] { categoryIDs }
    var way: Direction? { direction }
}

extension CategoryReportQuery: ReportSelection {
    var accounts: [ID<Account>] { accountIDs }
    var categories: [CategoryID] { categoryIDs }
    var way: Direction? { direction }
}

extension TrendQuery: ReportSelection {
    var accounts: [ID<Account>] { accountIDs }
    var categories: [CategoryID] { categoryIDs }
    var way: Direction? { direction }
    var step: ReportInterval? { interval }
}

extension CashFlowQuery: ReportSelection {
    var accounts: [ID<Account>] { accountIDs }
    var categories: [CategoryID] { categoryIDs }
    var way: Direction? { nil }
    var step: ReportInterval? { interval }
}

/// A group has no accounts.
protocol GroupReportSelection: ReportSelection {
    var categoryIDs: [ID<GroupCategory>] { get }
}

extension GroupReportSelection {
    var accounts: [ID<Account>] { [] }
    var categories: [CategoryID] { categoryIDs.map { $0.retagged(WalletProtocol.Category.self) } }
}

extension GroupSummaryQuery: GroupReportSelection {
    var way: Direction? { direction }
}

extension GroupCategoryReportQuery: GroupReportSelection {
    var way: Direction? { direction }
}

extension GroupTrendQuery: GroupReportSelection {
    var way: Direction? { direction }
    var step: ReportInterval? { interval }
}

extension GroupCashFlowQuery: GroupReportSelection {
    var way: Direction? { nil }
    var step: ReportInterval? { interval }
}

extension ReportScope {
    /// Everything that is wrong with a query is told at once.
    /// - Throws: `.invalidQuery`.
    init(
        _ selection: some ReportSelection,
        of subject: ReportSubject,
        today: Day,
        currency standard: Currency
    ) throws(APIError) {
        var faults: [FieldError] = []
        func take<Value>(_ body: () throws(APIError) -> Value) -> Value? {
            do { return try body() } catch {
                faults += error.errors
                return nil
            }
        }
        let currency = selection.currency ?? standard
        let period = take { () throws(APIError) in
            try Period.ofReport(from: selection.from, to: selection.to, today: today)
        }
        if let period, let step = selection.step {
            _ = take { () throws(APIError) in try Buckets(of: period, by: step) }
        }
        let least = take { () throws(APIError) in
            try Self.units(selection.minAmount, currency, "minAmount")
        }
        let most = take { () throws(APIError) in
            try Self.units(selection.maxAmount, currency, "maxAmount")
        }
        if let least = least ?? nil, let most = most ?? nil, least > most {
            let detail = "must not be below the smallest amount"
            faults.append(FieldError(pointer: "query:maxAmount", code: .outOfRange, detail: detail))
        }
        guard faults.isEmpty, let period, let least, let most else {
            throw APIError(.invalidQuery, errors: faults)
        }
        self.init(
            subject: subject,
            period: period,
            currency: currency,
            accounts: selection.accounts,
            categories: selection.categories,
            direction: selection.way,
            least: least,
            most: most
        )
    }

    private static func units(
        _ amount: ExactDecimal?,
        _ currency: Currency,
        _ parameter: String
    ) throws(APIError) -> Int64? {
        guard let amount else { return nil }
        guard amount.coefficient >= 0 else {
            throw .query(parameter, .negative, "must not be below zero")
        }
        guard let money = amount.money(in: currency) else {
            throw .query(parameter, .invalidAmount, "is no amount of \(currency)")
        }
        return money.minorUnits
    }
}
