import Foundation
import Loops
import Postgres
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

/// Everything that a test of events needs, on one loop.
struct Bench {
    let actor: LoopActor
    let database: Database
    let connection: NatsConnection
    let nats: NatsServer
    let made: TestDatabase
    /// A stream of the test's own.
    var stream = StreamConfiguration()
}

/// The SQL that the module's README gives to migrations.
func messagingSchema() throws -> String {
    let readme = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Shared/Messaging/README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    let start = try #require(text.range(of: "```sql\n"))
    let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
    return String(text[start.upperBound..<end.lowerBound])
}

func script(_ text: String) throws -> SQLScript {
    let bytes = Array(text.utf8)
    return try #require(bytes.withUnsafeBufferPointer { SQLScript(embedded: $0) })
}

/// What a test's handler writes: one row an event.
private let effectTable = """
    create table effect (
        n bigint generated always as identity primary key,
        aggregate text not null,
        sequence bigint not null,
        value bigint not null
    );
    """

func makeMessagingDatabase(on cluster: PostgresCluster?) async throws -> TestDatabase {
    let server: PostgresCluster
    if let cluster { server = cluster } else { server = try await PostgresCluster.shared() }
    return try await server.makeDatabase("msg", template: "messaging") { database in
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let owner = Database(configuration: database.owner, loop: actor.loop)
            defer { owner.close() }
            let setting = "set ezwallet.service_role = '\(database.serviceRole)';"
            let grant = "grant select, insert on effect to \(database.serviceRole);"
            let journal = journalTables(for: database.serviceRole)
            let whole = try script(
                setting + (try messagingSchema()) + effectTable + grant + journal
            )
            try await owner.lease { try await $0.executeScript(whole) }
        }
    }
}

/// Runs `body` on a fresh loop with a database and a broker of its own.
func withBench<Value: Sendable>(
    natsUp: Bool = true,
    on cluster: PostgresCluster? = nil,
    _ body: @escaping @Sendable (isolated LoopActor, Bench) async throws -> Value
) async throws -> Value {
    let made = try await makeMessagingDatabase(on: cluster)
    let nats = try NatsServer(launched: natsUp)
    let group = LoopGroup(count: 1)
    group.startAll()
    defer { group.stop() }
    return try await group.loops[0].actor.run { actor in
        let database = Database(configuration: made.service, loop: actor.loop)
        let connection = NatsConnection(NatsConfiguration(urls: [nats.url], name: "test"))
        connection.start()
        defer {
            connection.close()
            database.close()
        }
        var bench = Bench(
            actor: actor,
            database: database,
            connection: connection,
            nats: nats,
            made: made
        )
        bench.stream.maxBytes = 64 << 20
        if natsUp { try await eventually(actor) { connection.isConnected } }
        return try await body(actor, bench)
    }
}

/// Waits on the loop until `condition` holds.
func eventually(
    _ actor: isolated LoopActor,
    seconds: Double = 90,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = monotonicNanoseconds() + UInt64(seconds * 1e9)
    while try await !condition() {
        guard monotonicNanoseconds() < deadline else {
            Issue.record("it did not come to pass within \(seconds) s")
            throw CancellationError()
        }
        try await actor.loop.sleep(nanoseconds: 5_000_000)
    }
}

/// An event for tests.
struct Ticked: JSONObject, EventBody {
    let value: Int64
    static let eventType = "test.ticked.v1"
    static let json = Object(Ticked.init(value:), Field("value", \.value))
    init(value: Int64) { self.value = value }
}

/// A message an event, for tests that count messages.
func singly(_ configuration: inout RelayConfiguration) { configuration.eventsPerMessageMax = 1 }

extension Bench {
    func relay(_ change: (inout RelayConfiguration) -> Void = { _ in }) -> OutboxRelay {
        var configuration = RelayConfiguration(service: .ledger)
        configuration.stream = stream
        configuration.leadMilliseconds = 100
        change(&configuration)
        return OutboxRelay(configuration, database: database, connection: connection) {
            trace("relay: \($0)")
        }
    }

    /// A consumer that writes each event into `effect`.
    func consumer(
        _ change: (inout ConsumerConfiguration) -> Void = { _ in },
        on database: Database? = nil,
        replay: EventConsumer.Replay? = nil,
        before: @escaping (EventEnvelope) throws -> Void = { _ in }
    ) -> EventConsumer {
        var configuration = ConsumerConfiguration(durable: "test", filter: "ezwallet.ledger.>")
        configuration.stream = stream
        configuration.fetchMilliseconds = 200
        configuration.tickMilliseconds = 50
        change(&configuration)
        let source = self.database
        return EventConsumer(
            configuration,
            database: database ?? self.database,
            connection: connection,
            handler: .single { event, transaction in
                try before(event)
                let body = try event.body(as: Ticked.self)
                try await transaction.execute(
                    writeEffect,
                    event.aggregate,
                    event.sequence,
                    body.value
                )
            },
            replay: replay ?? { request in
                #expect(request.producer == .ledger)
                return try await Outbox.replay(request, of: .ledger, in: source)
            },
            report: { trace("consumer: \($0)") }
        )
    }

    /// Writes events one by one, each in a transaction of its own.
    func write(_ values: [Int64], of aggregate: String) async throws {
        for value in values {
            _ = try await database.transaction { transaction in
                try await Outbox.append(Ticked(value: value), of: aggregate, in: transaction)
            }
        }
    }

    func effects() async throws -> [(aggregate: String, sequence: Int64, value: Int64)] {
        try await database.query(readEffects)
    }

    /// What lies in the stream, by a consumer of its own.
    func streamed(_ durable: String) async throws -> [EventEnvelope] {
        let (connection, stream) = (connection, stream)
        let pool = BlockingPool(threads: 1, queueMax: 1)
        defer { pool.stop() }
        let bodies = try await pool.run {
            let administration = try JetStream(connection)
            _ = try administration.ensureStream(stream)
            let subscription = try administration.pull(
                PullConfiguration(
                    stream: stream.name,
                    durable: durable,
                    filter: "ezwallet.>",
                    acknowledgeSecondsMax: 30,
                    pendingMax: 10_000
                )
            )
            var bodies: [[UInt8]] = []
            while true {
                let messages = try subscription.fetch(500, waitMilliseconds: 300)
                if messages.isEmpty { return bodies }
                for message in messages {
                    bodies.append(message.body)
                    message.settle(.acknowledged)
                }
            }
        }
        let lines = bodies.flatMap { $0.split(separator: lineFeed) }
        return try lines.map { try EventEnvelope.read(Array($0)) }
    }

    func administration<Value: Sendable>(
        _ body: @escaping @Sendable (JetStream) throws -> Value
    ) async throws -> Value {
        let connection = connection
        let pool = BlockingPool(threads: 1, queueMax: 1)
        defer { pool.stop() }
        return try await pool.run { try body(try JetStream(connection)) }
    }
}

let writeEffect = Statement("insert into effect (aggregate, sequence, value) values ($1, $2, $3)")
let readEffects = Statement("select aggregate, sequence, value from effect order by n") { row in
    (aggregate: try row.string(0), sequence: try row.int64(1), value: try row.int64(2))
}
let countOf = Statement("select count(*) from outbox") { row in try row.int64(0) }

/// Runs something with `run` on the loop while `body` lasts, then stops it.
func running<Value>(
    _ relay: OutboxRelay,
    on actor: isolated LoopActor,
    _ body: () async throws -> Value
) async throws -> Value {
    let bound = LoopBound(relay, to: actor)
    let task = actor.spawn { actor in await bound.on(actor).run() }
    do {
        let value = try await body()
        await relay.stop()
        await task.value
        return value
    } catch {
        await relay.stop()
        throw error
    }
}

func running<Value>(
    _ consumer: EventConsumer,
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

/// Lines for whoever looks for a fault: `EZWALLET_TEST_TRACE=1`.
func trace(_ text: String) {
    guard ProcessInfo.processInfo.environment["EZWALLET_TEST_TRACE"] != nil else { return }
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
