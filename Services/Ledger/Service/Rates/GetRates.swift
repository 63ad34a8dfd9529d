import Loops
import ServiceKit
import WalletProtocol

/// The reference rates of a day, for one unit of any currency that has a figure in its row.
struct GetRates: Handler {
    static let endpoint = Rates.get
    let rates: RateStore
    let blocking: BlockingPool

    func handle(
        _ request: Request<RateQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<RateTable> {
        guard let today = Day(utc: .now()) else { throw APIError(.rateUnavailable) }
        let history = try await rates.history(on: blocking)
        return .ok(try Self.table(request.query, of: history, today: today))
    }

    /// The rates of the newest row on or before the day asked for, else on or before today.
    static func table(
        _ query: RateQuery,
        of history: RateHistory,
        today: Day
    ) throws(APIError) -> RateTable {
        let (base, day) = (query.base, query.date ?? today)
        guard let row = history.row(on: day), let table = RateTable(row, base: base, asked: day)
        else {
            throw APIError(.rateUnavailable, "no rate of \(base.code) on \(day.text)")
        }
        return table
    }
}

/// Every currency that money can be in.
struct ListCurrencies: Handler {
    static let endpoint = Rates.currencies

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<CurrencyView>> {
        .ok(Page(items: Self.views, nextCursor: nil))
    }

    static let views = Currency.all.map { CurrencyView($0) }
}

extension RateTable {
    /// Every other currency of the row for one of the base; nil where the row has no such base.
    init?(_ row: RateRow, base: Currency, asked: Day) {
        guard row.published(base) != nil else { return nil }
        var rates: [String: ExactDecimal] = [:]
        for currency in row.currencies where currency != base {
            rates[currency.code] = row.rate(from: base, to: currency)?.value
        }
        self.init(
            base: base,
            day: row.day,
            source: row.publisher,
            ageDays: row.day.days(to: asked),
            rates: rates
        )
    }
}

extension RateHistory {
    /// The rate at which money is moved on a day: the newest, unless that is too old.
    ///
    /// What is shown is converted by a rate of any age, and says its day; what is moved would be
    /// moved at a price that nobody has any more.
    /// - Parameter daysMax: after how many days a rate is too old; nil: never.
    /// - Throws: `rate-unavailable`, `rate-stale`.
    func moving(
        from source: Currency,
        to target: Currency,
        on today: Day = .utc(.now()),
        daysMax: Int?
    ) throws(APIError) -> ExchangeRate {
        let rate: ExchangeRate
        do throws(RateError) {
            rate = try required(from: source, to: target, on: today)
        } catch { throw APIError(error) }
        guard let daysMax, rate.day.days(to: today) > daysMax else {
            return rate
        }
        throw APIError(
            .rateStale,
            "the newest rate is of \(rate.day.text), more than \(daysMax) days ago",
            retryAfterSeconds: 3_600
        )
    }
}

extension APIError {
    /// The refusal that a conversion which is none becomes.
    init(_ error: RateError) {
        switch error {
        case .unavailable(let source, let target, let day):
            self.init(
                .rateUnavailable,
                "no rate from \(source.code) to \(target.code) on \(day.text)"
            )
        case .overflow: self.init(.balanceOverflow, "the converted amount is too large")
        }
    }
}
