import Loops
import Outbound
import Postgres
import ServiceKit
import WalletProtocol

/// Fetches rates for all replicas, and loads what any of them has fetched.
///
/// No request waits for it: those use what is known, and say of which day it is.
final class RateWork {
    /// The document is larger, or the provider slower, than what is waited for.
    static let bytesMax = 16 << 20
    static let waitNanoseconds: UInt64 = 60_000_000_000

    /// The provider answers something else than a document.
    struct Refused: Error, CustomStringConvertible {
        let status: Int
        var description: String { "the provider answers \(status)" }
    }

    private let database: Database
    private let blocking: BlockingPool
    private let loop: EventLoop
    private let store: RateStore
    private let logger: Logger
    /// Nil where nothing is fetched.
    private let url: String?
    /// Who publishes what is fetched.
    private let publisher: String
    private let waitNanoseconds: UInt64
    /// Made at first need: a replica that fetches nothing has none.
    private var client: OutboundClient?

    init(
        database: Database,
        blocking: BlockingPool,
        loop: EventLoop,
        logger: Logger,
        url: String?,
        publisher: String,
        store: RateStore = .shared,
        waitNanoseconds: UInt64 = RateWork.waitNanoseconds
    ) {
        (self.database, self.blocking, self.loop) = (database, blocking, loop)
        (self.logger, self.store, self.waitNanoseconds) = (logger, store, waitNanoseconds)
        self.url = url == LedgerVariables.off ? nil : url
        self.publisher = publisher
    }

    /// Loads what is new; then fetches, where it is time and nobody else does.
    func run() async throws {
        try await load()
        guard let url,
            let failures = try await database.queryOne(RateStatements.claim)
        else { return }
        do {
            try await fetch(url)
            try await load()
        } catch {
            if Task.isCancelled { throw error }
            // A minute, two, four, up to six hours, and never all replicas' suites at once.
            let most: Int64 = min(60 << Int64(min(failures, 9)), 21_600)
            try await database.execute(
                RateStatements.fail,
                Int64.random(in: most / 2...most),
                String(String(describing: error).prefix(500))
            )
            logger.warning("rates are not fetched", [("cause", String(describing: error))])
        }
    }

    /// Takes the rows of the database where there are more than are known here.
    func load() async throws {
        let revision = try await database.queryOne(RateStatements.revision) ?? 0
        guard revision != store.revision else { return }
        let rows = try await database.query(RateStatements.all)
        var days: [Day: DayRates] = [:]
        for row in rows {
            guard let currency = Currency(row.currency) else { continue }
            let empty = DayRates(day: row.day, rates: [:], publisher: row.publisher)
            days[row.day, default: empty].rates[currency] = row.rate
        }
        store.take(
            days.values.sorted { $0.day < $1.day },
            revision: rows.first?.revision ?? revision
        )
    }

    private func fetch(_ url: String) async throws {
        let client = client ?? OutboundClient(loop: loop)
        self.client = client
        let answer = try await client.request(
            OutboundRequest(
                method: "GET",
                url: url,
                headers: [("Accept", "application/xml, application/zip")],
                deadline: monotonicNanoseconds() + waitNanoseconds,
                responseBytesMax: Self.bytesMax
            )
        )
        guard answer.status == 200 else { throw Refused(status: answer.status) }
        let publisher = publisher
        let rows = try await blocking.run {
            try RateDocument.read(answer.body, publisher: publisher)
        }
        let history = try await store.history(on: blocking)
        let today = Day.utc(.now())
        try await database.transaction { transaction in
            _ = try await transaction.queryOne(RateStatements.lock)
            let confirmed = try await transaction.query(RateStatements.confirmed)
            let check = RateCheck(
                history: history,
                confirmed: Set(
                    confirmed.compactMap { row in
                        Currency(row.currency).map {
                            RateCheck.Doubt(day: row.day, currency: $0, rate: row.rate)
                        }
                    }
                )
            )
            let (new, doubts) = check.sort(rows, today: today)
            try await add(new.flatMap(\.figures), in: transaction)
            try await doubt(doubts.map { ($0.day, $0.currency, $0.rate) }, in: transaction)
            if let last = new.last {
                try await transaction.execute(RateStatements.forgetDoubts, last.day)
            }
            try await transaction.execute(
                RateStatements.succeed,
                Self.pause(at: .now(), newest: new.last?.day ?? history.days.last),
                Int64(new.isEmpty ? 0 : 1)
            )
            if !doubts.isEmpty {
                logger.warning("rates are doubted", [("figures", String(doubts.count))])
            }
        }
    }

    private func add(_ figures: [Figure], in transaction: Transaction) async throws {
        guard !figures.isEmpty else { return }
        try await transaction.execute(
            RateStatements.insert,
            figures.map(\.day),
            figures.map(\.currency.code),
            figures.map(\.rate.mantissa),
            figures.map { Int16($0.rate.scale) },
            publisher
        )
    }

    private func doubt(_ figures: [Figure], in transaction: Transaction) async throws {
        guard !figures.isEmpty else { return }
        try await transaction.execute(
            RateStatements.doubt,
            figures.map(\.day),
            figures.map(\.currency.code),
            figures.map(\.rate.mantissa),
            figures.map { Int16($0.rate.scale) }
        )
    }

    /// Seconds to the next fetch: the bank publishes at about 16:00 of Frankfurt on working days,
    /// so after 14:00 UTC every half an hour until the day is there, else the next 14:00 UTC.
    static func pause(at now: Instant, newest: Day?) -> Int64 {
        let today = Day.utc(now)
        let isOpen = today.weekday <= 5
        let begins = today.startUTC.adding(seconds: 14 * 3_600)
        if isOpen, now >= begins, newest.map({ $0 < today }) ?? true {
            return Int64.random(in: 1_500...2_100)
        }
        let next = now < begins ? begins : begins.adding(seconds: 86_400)
        return now.microseconds(to: next) / 1_000_000 + Int64.random(in: 60...1_800)
    }
}

/// What one unit of a currency was published as on a day.
private typealias Figure = (day: Day, currency: Currency, rate: PublishedRate)

extension DayRates {
    fileprivate var figures: [Figure] {
        rates.sorted { $0.key < $1.key }.map { (day, $0.key, $0.value) }
    }
}
