import Archives
import WalletProtocol

/// A reference rate as it was published: units of a currency for one euro.
struct PublishedRate: Hashable, Sendable {
    /// Mantissa in the upper 60 bits, digits after the point in the lower 4; 0 is no rate.
    private let bits: UInt64

    /// The digits without the point: more than zero, up to 10 of them.
    var mantissa: Int64 { Int64(bits >> 4) }
    /// How many of them stand after the point, 0 to 8.
    var scale: Int { Int(bits & 0xF) }

    /// More digits are refused: a ratio of two such rates stays in 64 bits, a product in 128.
    static let digitsMax = 10
    static let scaleMax = 8

    /// One euro's own.
    static let one = PublishedRate(mantissa: 1, scale: 0)

    /// No figure.
    static let missing = PublishedRate(mantissa: 0, scale: 0)

    /// The caller has seen to the bounds.
    init(mantissa: UInt64, scale: Int) {
        bits = mantissa << 4 | UInt64(scale)
    }
}

/// Every reference rate since 1999: the European Central Bank's, or whose the ledger fetches.
///
/// Immutable and shared by the loops; a newer file becomes another history. Currencies that
/// ISO 4217 no longer has (kroon, lita, lira) are left out.
/// Shape: one array of cells, a row a day. Cost: 8 bytes a day and currency, 1.8 MB.
struct RateHistory: Sendable {
    /// The days that have rates, ascending: no weekends, no holidays of the bank.
    let days: [Day]
    /// The currencies beside the euro, by code: one column each.
    let currencies: [Currency]
    private let cells: [PublishedRate]
    /// Of days that somebody else than the bank has published, who.
    private let publishers: [Day: String]

    /// Of the bank's file, unpacked.
    private static let fileBytesMax = 64 << 20

    /// Reads the bank's archive, or throws why it is none.
    init(archive: [UInt8]) throws {
        try self.init(csv: try PackedFiles.onlyFile(of: archive, bytesMax: Self.fileBytesMax))
    }

    /// Reads the bank's CSV: a header, then a row a day, the newest first.
    init(csv: [UInt8]) throws(RateFileError) {
        var file = RateFile()
        try file.read(csv.span)
        (days, currencies, cells) = (file.days, file.currencies, file.cells)
        publishers = [:]
    }

    /// The same with all that was fetched, which alone counts on its days.
    ///
    /// So what was told of them stays true under a later executable, whose file reaches further.
    init(_ history: RateHistory, fetched: [DayRates]) {
        guard !fetched.isEmpty else {
            self = history
            return
        }
        let fetchedDays = Set(fetched.map(\.day))
        let currencies = Set(history.currencies).union(fetched.flatMap { $0.rates.keys }).sorted()
        var rows: [(day: Day, publisher: String, rates: (Currency) -> PublishedRate)] = []
        for (at, day) in history.days.enumerated() where !fetchedDays.contains(day) {
            let rates = { history.published($0, at) ?? .missing }
            rows.append((day, history.publisher(of: day), rates))
        }
        rows += fetched.map { one in (one.day, one.publisher, { one.rates[$0] ?? .missing }) }
        rows.sort { $0.day < $1.day }
        days = rows.map(\.day)
        self.currencies = currencies
        cells = rows.flatMap { row in currencies.map(row.rates) }
        // Cannot fire: the shipped days go down line by line, and what is fetched is kept by day.
        publishers = Dictionary(
            uniqueKeysWithValues: rows.lazy.map { ($0.day, $0.publisher) }
                .filter { $0.1 != ExchangeRate.centralBank }
        )
    }

    /// The days behind one, with all that each has.
    func rows(after day: Day) -> [DayRates] {
        days.indices.drop { days[$0] <= day }.map { at in
            var rates: [Currency: PublishedRate] = [:]
            for currency in currencies { rates[currency] = published(currency, at) }
            return DayRates(day: days[at], rates: rates, publisher: publisher(of: days[at]))
        }
    }

    /// The row that counts on this day: the newest on or before it.
    func row(on day: Day) -> RateRow? {
        var low = 0
        var high = days.count
        while low < high {
            let middle = (low + high) / 2
            if days[middle] <= day { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? RateRow(history: self, index: low - 1) : nil
    }

    /// What one unit of `source` is in `target` on this day.
    ///
    /// Nil before 1999, and where the row that counts has no figure for one of the two: a currency
    /// that the bank has ceased to quote is unavailable, not stale. Of a currency to itself it is
    /// one, quoted or not.
    func rate(from source: Currency, to target: Currency, on day: Day) -> ExchangeRate? {
        row(on: day)?.rate(from: source, to: target)
    }

    /// The same, or why there is none.
    /// - Throws: `.unavailable`.
    func required(
        from source: Currency,
        to target: Currency,
        on day: Day
    ) throws(RateError) -> ExchangeRate {
        guard let rate = rate(from: source, to: target, on: day) else {
            throw .unavailable(from: source, to: target, on: day)
        }
        return rate
    }

    fileprivate func publisher(of day: Day) -> String {
        publishers[day] ?? ExchangeRate.centralBank
    }

    fileprivate func published(_ currency: Currency, _ row: Int) -> PublishedRate? {
        if currency == .eur { return .one }
        guard let column = currencies.firstIndex(of: currency) else { return nil }
        let rate = cells[row * currencies.count + column]
        return rate == .missing ? nil : rate
    }
}

/// What was published for a day: units for one euro, of the currencies that have a figure.
struct DayRates: Hashable, Sendable {
    let day: Day
    var rates: [Currency: PublishedRate]
    let publisher: String
}

/// The rates of one day.
struct RateRow: Sendable {
    private let history: RateHistory
    private let index: Int

    fileprivate init(history: RateHistory, index: Int) {
        self.history = history
        self.index = index
    }

    /// The day that they were published for.
    var day: Day { history.days[index] }

    /// Whose figures they are.
    var publisher: String { history.publisher(of: day) }

    /// Units of the currency for one euro, as published; nil where there is no figure.
    func published(_ currency: Currency) -> PublishedRate? {
        history.published(currency, index)
    }

    /// The currencies that have a figure, the euro among them, by code.
    var currencies: [Currency] {
        (history.currencies + [.eur]).filter { published($0) != nil }.sorted()
    }

    /// What one unit of `source` is in `target`; nil where one of the two has no figure.
    func rate(from source: Currency, to target: Currency) -> ExchangeRate? {
        if source == target {
            return exchange(source, .one, target, .one)
        }
        guard let sourceRate = published(source), let targetRate = published(target) else {
            return nil
        }
        return exchange(source, sourceRate, target, targetRate)
    }

    private func exchange(
        _ source: Currency,
        _ sourceRate: PublishedRate,
        _ target: Currency,
        _ targetRate: PublishedRate
    ) -> ExchangeRate {
        ExchangeRate(
            from: source,
            sourceRate,
            to: target,
            targetRate,
            day: day,
            publisher: publisher
        )
    }
}
