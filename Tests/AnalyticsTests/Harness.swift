import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// Analytics on one loop with a database of its own and made-up exchange rates.
struct Bench {
    let database: Database
    let reports: ReportStore
    let insights: InsightStore
    let usage: UsageStore
    let releases: ReleaseStore
    let made: TestDatabase

    /// Insights need this many users here.
    static let usersMin = 3

    /// Tells everybody's figures as they are now.
    @discardableResult
    func release(at moment: Instant = .now()) async throws -> Release {
        try await releases.make(at: moment)
    }

    /// Lends the database to what its service may not do.
    func owner(on loop: EventLoop, _ body: (Database) async throws -> Void) async throws {
        let owner = Database(configuration: made.owner, loop: loop)
        defer { owner.close() }
        try await body(owner)
    }

    /// Applies events and postings as the consumers do, a batch in one transaction.
    func apply(_ events: [EventEnvelope]) async throws {
        try await database.transaction { transaction in
            var told: [EventEnvelope] = []
            var posted: [TransactionPosted] = []
            try await UsageEvents.apply(
                events.filter { $0.source.hasSuffix("groups") },
                in: transaction
            )
            try await GroupEvents.apply(
                events.filter { $0.source.hasSuffix("groups") },
                in: transaction
            )
            for event in events where !event.source.hasSuffix("groups") {
                if event.source.hasSuffix("auth") {
                    try await FactEvents.apply(told, in: transaction)
                    try await Facts.apply(posted, in: transaction)
                    try await UsageEvents.apply(told, in: transaction)
                    try await FirstStep.note(FirstStep.all(of: posted), in: transaction)
                    (told, posted) = ([], [])
                    try await PeopleEvents.apply(event, in: transaction)
                    try await UsageEvents.apply(event, in: transaction)
                } else if event.type == Postings.eventType {
                    posted += try event.body(as: Postings.self).rows()
                } else {
                    told.append(event)
                }
            }
            try await FactEvents.apply(told, in: transaction)
            try await Facts.apply(posted, in: transaction)
            try await UsageEvents.apply(told, in: transaction)
            try await FirstStep.note(FirstStep.all(of: posted), in: transaction)
        }
    }
}

/// An event as its producer sends it.
func envelope(
    _ body: some EventBody,
    from source: ServiceName = .ledger,
    at time: Instant = .now()
) -> EventEnvelope {
    EventEnvelope(
        id: .new(),
        source: source,
        time: time,
        aggregate: "test:1",
        sequence: 1,
        body: body
    )
}

/// A message of one posting.
func envelope(_ posting: TransactionPosted) -> EventEnvelope {
    let place = posting.source.place
    return envelope(Postings(covers: [place...place], rows: [posting]))
}

/// Runs `body` on a fresh loop with an empty, migrated database.
func withBench<Value: Sendable>(
    rates: @escaping @Sendable (Day) throws(APIError) -> RateTable = { _ throws(APIError) in
        throw APIError(.rateUnavailable)
    },
    _ body: @escaping @Sendable (isolated LoopActor, Bench) async throws -> Value
) async throws -> Value {
    let made = try await PostgresCluster.shared().makeDatabase("ana", template: "analytics") {
        made in
        try await onLoop { actor in
            let owner = Database(configuration: made.owner, loop: actor.loop)
            defer { owner.close() }
            let settings = [(name: "ezwallet.service_role", value: made.serviceRole)]
            _ = try await Migrations(files: analyticsService.migrations, settings: settings)
                .run(on: owner)
        }
    }
    return try await onLoop { actor in
        var configuration = made.service
        configuration.searchPath = ["analytics", "pg_temp"].compactMap { Identifier($0) }
        let database = Database(configuration: configuration, loop: actor.loop)
        defer { database.close() }
        // As `ServiceLoop.longDatabase()`: a release may work for long between two statements.
        configuration.statementTimeoutMilliseconds = 0
        configuration.idleInTransactionMilliseconds = 0
        let patient = Database(configuration: configuration, loop: actor.loop)
        defer { patient.close() }
        let store = RateStore(database: database) { day throws(APIError) in try rates(day) }
        let blocking = BlockingPool(threads: 1, queueMax: 8)
        let settings = ReleaseSettings(
            usersMin: Bench.usersMin,
            currencies: ["EUR", "USD", "JPY", "CHF", "IDR"].compactMap { Currency($0) }
        )
        let bench = Bench(
            database: database,
            reports: ReportStore(
                database: database,
                rates: store,
                people: PersonReader(database: database)
            ),
            insights: InsightStore(database: database, blocking: blocking, settings: settings),
            usage: UsageStore(database: database, settings: settings),
            releases: ReleaseStore(
                database: patient,
                rates: store,
                blocking: blocking,
                settings: settings,
                also: [
                    ReleasePart(name: "usage") { release, connection in
                        let usage = UsageRelease(
                            release: release,
                            blocking: blocking,
                            connection: connection
                        )
                        try await usage.run()
                    }
                ],
                note: { part, error in Issue.record("a release without \(part): \(error)") }
            ),
            made: made
        )
        return try await body(actor, bench)
    }
}

extension ReleaseStore {
    /// The same where more people are needed.
    func needing(_ usersMin: Int) -> ReleaseStore {
        ReleaseStore(
            database: database,
            rates: rates,
            blocking: blocking,
            settings: ReleaseSettings(usersMin: usersMin, currencies: settings.currencies),
            also: also,
            note: note
        )
    }
}

/// What somebody has booked: a purchase of food, in euro, where nothing else is said.
func posting(
    by user: ID<User> = .new(),
    _ amount: Int64 = -1_000,
    _ division: Coicop = .food,
    on day: String = "2023-05-17",
    in currency: Currency = .eur,
    kind: AccountKind = .wallet
) throws -> TransactionPosted {
    TransactionPosted(
        source: JournalLine(entryID: .new(), place: 1),
        transactionID: .new(),
        version: 1,
        kind: .posted,
        userID: user,
        accountID: .new(),
        accountKind: kind,
        amount: Money(minorUnits: amount, currency),
        day: try #require(Day(day)),
        categoryID: .new(),
        coicop: division,
        recordedAt: .now()
    )
}

/// That it is taken back.
func reversal(of posting: TransactionPosted) -> TransactionPosted {
    TransactionPosted(
        source: JournalLine(entryID: .new(), place: 1),
        transactionID: posting.transactionID,
        version: posting.version,
        kind: .reversed,
        userID: posting.userID,
        accountID: posting.accountID,
        accountKind: posting.accountKind,
        amount: posting.amount,
        day: posting.day,
        categoryID: posting.categoryID,
        coicop: posting.coicop,
        transferID: posting.transferID,
        isOwnTransfer: posting.isOwnTransfer,
        lines: posting.lines,
        recordedAt: posting.recordedAt
    )
}
