import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

/// A journal such as the ledger's, and what a test's handler makes of it.
func journalTables(for role: String) -> String {
    """
    create table entry (
        id uuid primary key,
        place bigint generated always as identity,
        account uuid not null,
        nth bigint not null,
        traceparent text,
        recorded_at timestamptz not null default clock_timestamp()
    );
    create unique index entry_place_key on entry (place);
    create table applied (place bigint primary key, account uuid not null, nth bigint not null);
    grant select, insert on entry to \(role);
    grant select, insert, delete on applied to \(role);
    """
}

let testJournal = JournalSource(
    places: Statement(
        "select place from entry where place between $1 and $2 order by place limit $3"
    ) { row in try row.int64(0) },
    holes: Statement(
        """
        with snapshot as (select pg_snapshot_xmin(pg_current_snapshot()) as xmin)
        select snapshot.xmin, found.place
        from snapshot
        left join (
            select place from unnest($1::int8[], $2::int8[]) as hole (low, high)
            join entry on place between low and high
            order by place limit $3
        ) as found on true
        order by found.place
        """
    ) { row in (xmin: try row.value(0), place: try row.value(1)) },
    postings: Statement(
        """
        select id, place, account, nth, traceparent, recorded_at from entry
        where place = any ($1) order by place
        """
    ) { row in
        let instant: PostgresInstant = try row.value(5)
        return posting(
            JournalLine(
                entryID: identifier(try row.value(0)),
                place: try row.value(1),
                sequence: try row.value(3),
                traceParent: try row.value(4)
            ),
            account: identifier(try row.value(2)),
            at: Instant(microseconds: instant.microseconds)
        )
    },
    span: Statement("select coalesce(min(place), 0), coalesce(max(place), 0) from entry") { row in
        (low: try row.int64(0), high: try row.int64(1))
    },
    isOlder: Statement(
        """
        select recorded_at < clock_timestamp() - make_interval(secs => $2::int8)
        from entry where place >= $1 order by place limit 1
        """
    ) { row in try row.bool(0) },
    waiting: Statement("select count(*), 0::int8 from entry where place > $1") { row in
        (entries: try row.int64(0), milliseconds: try row.int64(1))
    }
)

private func identifier<Entity>(_ value: PostgresUUID) -> ID<Entity> {
    ID(high: value.high, low: value.low)
}

private let someDay: Day = {
    guard let day = Day(daysSince1970: 20_000) else { fatalError("a day of 2024") }
    return day
}()

/// A posting of one cent.
func posting(
    _ source: JournalLine,
    account: ID<Account> = .new(),
    at moment: Instant = .now()
) -> TransactionPosted {
    TransactionPosted(
        source: source,
        transactionID: ID(high: source.entryID.high, low: source.entryID.low),
        version: 1,
        kind: .posted,
        userID: .new(),
        accountID: account,
        accountKind: .current,
        amount: Money(minorUnits: 1, .eur),
        day: someDay,
        categoryID: .new(),
        recordedAt: moment
    )
}

/// The account's counter is its lock, and gives the transaction its id before the place is drawn.
private let writeEntry = Statement<Void>(
    """
    with next as (
        insert into aggregate_sequence as held (aggregate, sequence) values ($2::uuid::text, 1)
        on conflict (aggregate) do update set sequence = held.sequence + 1
        returning sequence
    )
    insert into entry (id, account, nth, traceparent)
    select $1, $2, next.sequence, $3 from next
    """
)
private let writeApplied = Statement<Void>(
    """
    insert into applied (place, account, nth)
    select * from unnest($1::int8[], $2::uuid[], $3::int8[]) on conflict do nothing
    """
)
let missingOrForeign = Statement(
    """
    select count(*) from entry full join applied using (place, account, nth)
    where entry.id is null or applied.account is null or entry.place is null
    """
) { row in try row.int64(0) }
let countOfEntries = Statement("select count(*) from entry") { row in try row.int64(0) }
let countOfApplied = Statement("select count(*) from applied") { row in try row.int64(0) }
let highestPlace = Statement("select coalesce(max(place), 0) from entry") { row in
    try row.int64(0)
}
/// Deleted, not truncated: what is under way waits for rows, and not for the table.
let emptyConsumer = Statement<Void>("delete from journal_mark")
let emptyApplied = Statement<Void>("delete from applied")

func postEntry(
    to account: ID<Account>,
    _ trace: String? = nil,
    in transaction: Transaction
) async throws {
    let id = ID<JournalEntry>.new()
    try await transaction.execute(
        writeEntry,
        PostgresUUID(high: id.high, low: id.low),
        PostgresUUID(high: account.high, low: account.low),
        trace
    )
}

extension Bench {
    func relayOfJournal(_ change: (inout RelayConfiguration) -> Void = { _ in }) -> OutboxRelay {
        var configuration = RelayConfiguration(service: .ledger)
        configuration.stream = stream
        configuration.leadMilliseconds = 100
        change(&configuration)
        return OutboxRelay(
            configuration,
            journal: testJournal,
            database: database,
            connection: connection
        ) { trace("relay: \($0)") }
    }

    /// A consumer that writes each posting into `applied`.
    func follower(
        _ change: (inout JournalConsumerConfiguration) -> Void = { _ in },
        replay: JournalConsumer.Replay? = nil,
        report: @escaping (MessagingEvent) -> Void = { _ in },
        before: @escaping ([TransactionPosted]) async throws -> Void = { _ in }
    ) -> JournalConsumer {
        var configuration = JournalConsumerConfiguration(durable: "follower", producer: .ledger)
        configuration.stream = stream
        configuration.fetchMilliseconds = 200
        configuration.tickMilliseconds = 50
        configuration.gapSeconds = 1
        change(&configuration)
        let source = database
        return JournalConsumer(
            configuration,
            database: database,
            connection: connection,
            handler: { postings, transaction in
                try await before(postings)
                try await transaction.execute(
                    writeApplied,
                    postings.map(\.source.place),
                    postings.map { PostgresUUID(high: $0.accountID.high, low: $0.accountID.low) },
                    postings.map { $0.source.sequence ?? 0 }
                )
            },
            replay: replay ?? { request in
                try await testJournal.page(
                    from: request.first,
                    through: request.last,
                    in: source
                )
            },
            report: {
                trace("follower: \($0)")
                report($0)
            }
        )
    }

    /// Posts to accounts, each in a transaction of its own.
    func post(_ count: Int, to accounts: [ID<Account>], trace: String? = nil) async throws {
        for number in 0..<count {
            try await database.transaction { transaction in
                try await post(to: accounts[number % accounts.count], trace, in: transaction)
            }
        }
    }

    func post(
        to account: ID<Account>,
        _ trace: String? = nil,
        in transaction: Transaction
    ) async throws {
        try await postEntry(to: account, trace, in: transaction)
    }

    /// Draws a place that nothing will ever stand at.
    func postNothing() async throws {
        struct GiveUp: Error {}
        do {
            try await database.transaction { transaction in
                try await post(to: .new(), in: transaction)
                throw GiveUp()
            }
        } catch is GiveUp {}
    }

    /// Whether exactly the journal's entries are applied, and known to be.
    func isExact() async throws -> Bool {
        let highest = try await database.queryOne(highestPlace) ?? 0
        let window = try await window()
        return try await database.queryOne(missingOrForeign) == 0 && window.mark >= highest
    }

    /// What the journal's followers have applied.
    func window() async throws -> AppliedWindow {
        try await database.queryOne(JournalMarkStatements.read, "ledger") ?? AppliedWindow()
    }

    /// The messages of the journal that lie in the stream, by a consumer of its own.
    func journalMessages(_ durable: String) async throws -> [Postings] {
        try await streamed(durable).filter { $0.type == Postings.eventType }
            .map { try $0.body(as: Postings.self) }
    }
}

func running<Value>(
    _ consumer: JournalConsumer,
    on actor: isolated LoopActor,
    _ body: () async throws -> Value
) async throws -> Value {
    let bound = LoopBound(consumer, to: actor)
    let task = actor.spawn { actor in await bound.on(actor).run() }
    do {
        let value = try await body()
        await consumer.stop()
        await task.value
        return value
    } catch {
        await consumer.stop()
        throw error
    }
}

/// Eight writers, transactions that end out of order, some rolled back, a long one over all.
func writeOutOfOrder(
    _ bench: Bench,
    accounts: [ID<Account>],
    rounds: Int = 60,
    on actor: isolated LoopActor
) async {
    let group = LoopGroup(count: 2)
    group.startAll()
    defer { group.stop() }
    let configuration = bench.made.service
    let long = actor.spawn { actor in
        let database = Database(configuration: configuration, loop: actor.loop)
        defer { database.close() }
        _ = try? await database.transaction { transaction in
            for _ in 0..<20 { try await postEntry(to: .new(), in: transaction) }
            try await actor.loop.sleep(nanoseconds: 1_500_000_000)
        }
    }
    let writers = (0..<8).map { writer in
        group.loops[writer % 2].actor.spawn { actor in
            let database = Database(configuration: configuration, loop: actor.loop)
            defer { database.close() }
            var random = SeededGenerator(seed: UInt64(writer))
            struct GiveUp: Error {}
            for round in 0..<rounds {
                let pause = UInt64.random(in: 0...6_000_000, using: &random)
                let own = Set((0..<3).compactMap { _ in accounts.randomElement(using: &random) })
                do {
                    try await database.transaction { transaction in
                        for account in own.sorted(by: { $0.text < $1.text }) {
                            try await postEntry(to: account, in: transaction)
                        }
                        try await actor.loop.sleep(nanoseconds: pause)
                        if round % 10 == 9 { throw GiveUp() }
                    }
                } catch is GiveUp {
                } catch {
                    Issue.record("writer \(writer): \(error)")
                }
            }
        }
    }
    for writer in writers { await writer.value }
    await long.value
}
