import Foundation
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

/// What ends the process is found out and set aside; what was merely near it loses nothing.
@Suite(.timeLimit(.minutes(5))) struct CrashTests {
    /// Packed with 199 others: the first process dies of a batch, three of it alone.
    @Test func whatEndsTheProcessIsBuriedAndNoneOfItsNeighbours() async throws {
        try await withBench { actor, bench in
            let names = (1...5).map { "account:\($0)" }
            try await running(bench.relay(), on: actor) {
                try await bench.writeAtOnce(40, of: names)
                try await eventually(actor) { try await bench.state().messages > 0 }
            }
            let place = Place(bench, aggregate: "account:3", sequence: 20)
            try await place.endFourProcesses(on: actor, bench)
            try await running(bench.consumer(), on: actor) {
                try await eventually(actor) { try await bench.effects().count == 199 }
            }
            let effects = try await bench.effects()
            for name in names {
                let own = effects.filter { $0.aggregate == name }.map(\.sequence)
                #expect(own == (1...40).filter { name != "account:3" || $0 != 20 })
            }
            #expect(try await bench.database.query(buriedKeys) == ["account:3 20"])
            #expect(try await bench.database.query(damaged) == ["account:3"])
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    /// It waits for one before it, which brings it along and must not be blamed.
    @Test func whatEndsTheProcessOnceItsTurnHasComeIsBuriedItself() async throws {
        try await withBench { actor, bench in
            try await bench.write([1, 2, 3], of: "account:1")
            let texts = try await bench.envelopes("account:1").map { Array($0.text.utf8) }
            try await bench.publish([texts[1], texts[2], texts[0]])
            let place = Place(bench, aggregate: "account:1", sequence: 2)
            try await place.endFourProcesses(on: actor, bench)
            try await running(bench.consumer(), on: actor) {
                try await eventually(actor) { try await bench.effects().count == 2 }
            }
            #expect(try await bench.effects().map(\.sequence) == [1, 3])
            #expect(try await bench.database.query(buriedKeys) == ["account:1 2"])
        }
    }

    /// Begun, and the database fails each time: that is an end, which its own process tells of.
    @Test func whatTheDatabaseFailsIsNotTakenForACrash() async throws {
        try await withBench { actor, bench in
            try await bench.writeAtOnce(3, of: ["account:1"])
            var failures = 0
            let consumer = bench.consumer(
                { $0.deliveriesMax = 0 },
                before: { event in
                    guard event.sequence == 2, failures < 8 else { return }
                    failures += 1
                    throw DatabaseError.connectionLost(duringCommit: false)
                }
            )
            try await running(bench.relay(), on: actor) {
                try await running(consumer, on: actor) {
                    try await eventually(actor) { try await bench.effects().count == 3 }
                }
            }
            #expect(failures == 8)
            #expect(consumer.metrics.buried == 0 && consumer.metrics.failures == 0)
            #expect(try await bench.effects().map(\.sequence) == [1, 2, 3])
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    /// Replicas that end in order give everything back: it was delivered often, and never begun.
    @Test func whatWasDeliveredOftenAndNeverBegunIsApplied() async throws {
        try await withBench { actor, bench in
            try await bench.writeAtOnce(20, of: ["account:1", "account:2"])
            try await running(bench.relay(), on: actor) {
                try await eventually(actor) { try await bench.state().messages > 0 }
            }
            let stream = bench.stream
            for _ in 0..<12 {
                try await bench.administration { administration in
                    let pull = PullConfiguration(
                        stream: stream.name,
                        durable: "test",
                        filter: "ezwallet.ledger.>",
                        acknowledgeSecondsMax: 15,
                        pendingMax: 1_024
                    )
                    let messages = try administration.pull(pull).fetch(8, waitMilliseconds: 5_000)
                    for message in messages { message.settle(.again(afterMilliseconds: 0)) }
                }
            }
            let consumer = bench.consumer()
            try await running(consumer, on: actor) {
                try await eventually(actor) { try await bench.effects().count == 40 }
            }
            #expect(consumer.metrics.buried == 0 && consumer.metrics.parked == 0)
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    @Test func aMessageThatNobodyComesToTheEndOfReadingIsBuried() async throws {
        try await withBench { actor, bench in
            try await bench.write([1], of: "account:1")
            let good = Array(try await bench.envelopes("account:1")[0].text.utf8)
            try await bench.publish([good, good])
            // So do three processes that die of reading the first.
            for _ in 0..<3 {
                let times = BeginningStatements.beginReading
                _ = try await bench.database.queryOne(times, "test", Int64(1))
            }
            try await running(bench.consumer { $0.deliveriesMax = 0 }, on: actor) {
                try await eventually(actor) { try await bench.effects().count == 1 }
                try await eventually(actor) {
                    try await bench.database.query(buriedKeys).count == 1
                }
            }
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    /// The database was away; whoever read lives.
    @Test func whatIsBegunToBeReadAgainByOneWhoLivesIsNotCounted() async throws {
        try await withBench(natsUp: false) { _, bench in
            let inbox = bench.consumer().inbox
            let reading = Reading(name: "test", sequence: 1)
            for _ in 0..<5 { #expect(try await inbox.beginReading(reading)) }
            try await inbox.giveBackAll()
            #expect(try await bench.database.queryOne(parkedCount) == 0)
            // Of others, who ended by it, it stands.
            for _ in 0..<3 { #expect(try await bench.consumer().inbox.beginReading(reading)) }
            #expect(try await !inbox.beginReading(reading))
            try await inbox.giveBackAll()
            #expect(try await !inbox.beginReading(reading))
        }
    }

    /// The table is the service's; another consumer's handler would pass over what it knows not.
    @Test func whatWaitsIsTriedByItsOwnConsumerAlone() async throws {
        try await withBench { actor, bench in
            try await bench.write([1, 2], of: "account:1")
            let events = try await bench.envelopes("account:1")
            var isBad = true
            let own = bench.consumer(before: { _ in if isBad { throw PoisonTests.Poison() } })
            _ = try await own.inbox.apply(events)
            isBad = false
            let other = bench.consumer {
                $0.durable = "other"
                $0.filter = "ezwallet.auth.>"
            }
            try await running(other, on: actor) {
                try await actor.loop.sleep(nanoseconds: 3_500_000_000)
            }
            #expect(try await bench.effects().isEmpty)
            try await running(own, on: actor) {
                try await eventually(actor) { try await bench.effects().count == 2 }
            }
            #expect(other.metrics.applied == 0)
        }
    }
}

/// What the other process runs; in the tests' own there is nothing to do.
@Suite(.enabled(if: Place.told != nil)) struct CrashChild {
    @Test func listens() async throws {
        guard let place = Place.told else { return }
        try await place.listen()
    }
}

/// Where a process of its own listens, and of which event it dies.
private struct Place: Codable, Sendable {
    let host: String
    let port: UInt16
    let database: String
    let user: String
    let nats: String
    let aggregate: String
    let sequence: Int64

    init(_ bench: Bench, aggregate: String, sequence: Int64) {
        host = bench.made.cluster.host
        port = bench.made.cluster.port
        database = bench.made.name
        user = bench.made.serviceRole
        nats = bench.nats.url
        self.aggregate = aggregate
        self.sequence = sequence
    }

    /// One dies of a batch, three of the event alone; each leaves a note of it and of no other.
    func endFourProcesses(on actor: isolated LoopActor, _ bench: Bench) async throws {
        for ended in 0..<4 {
            let status = try await run()
            #expect([128 + SIGTRAP, 128 + SIGILL].contains(status))
            let notes = try await bench.database.query(begunKeys)
            #expect(notes == (ended == 0 ? [] : ["\(aggregate) \(sequence) \(ended) times"]))
        }
        #expect(try await bench.database.query(buriedKeys).isEmpty)
    }

    /// This very program, with one test of it; the status that it ends with.
    private func run() async throws -> Int32 {
        let place = try String(decoding: JSONEncoder().encode(self), as: UTF8.self)
        let arguments = [
            "env", "\(Self.variable)=\(place)", "SWIFT_BACKTRACE=enable=no",
            CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter",
            "MessagingTests.CrashChild",
        ]
        let pool = BlockingPool(threads: 1, queueMax: 1)
        defer { pool.stop() }
        return try await pool.run { try Subprocess(arguments).wait() }
    }

    static let variable = "EZWALLET_TEST_LISTEN"

    /// Where this process was told to listen, by another.
    static var told: Place? {
        ProcessInfo.processInfo.environment[variable].flatMap {
            try? JSONDecoder().decode(Place.self, from: Data($0.utf8))
        }
    }

    /// Listens for half a minute, unless the event comes.
    func listen() async throws {
        let server: DatabaseConfiguration.Server =
            host.hasPrefix("/")
            ? .unixSocket(folder: host, port: port) : .address(host, port: port)
        let group = LoopGroup(count: 1)
        group.startAll()
        try await group.loops[0].actor.run { actor in
            let database = Database(
                configuration: DatabaseConfiguration(
                    server: server,
                    database: database,
                    user: user
                ),
                loop: actor.loop
            )
            let connection = NatsConnection(NatsConfiguration(urls: [nats], name: "child"))
            connection.start()
            var configuration = ConsumerConfiguration(
                durable: "test",
                filter: "ezwallet.ledger.>"
            )
            configuration.stream.maxBytes = 64 << 20
            configuration.fetchMilliseconds = 200
            configuration.tickMilliseconds = 50
            configuration.acknowledgeSeconds = 1
            let consumer = EventConsumer(
                configuration,
                database: database,
                connection: connection,
                handler: .together { events, transaction in
                    for event in events {
                        if event.aggregate == aggregate, event.sequence == sequence {
                            fatalError("of a handler, on purpose")
                        }
                        let body = try event.body(as: Ticked.self)
                        try await transaction.execute(
                            writeEffect,
                            event.aggregate,
                            event.sequence,
                            body.value
                        )
                    }
                },
                replay: { _ in ReplayAnswer(events: [], lastSequence: 0) }
            )
            let bound = LoopBound(consumer, to: actor)
            actor.spawn { actor in await bound.on(actor).run() }
            try await actor.loop.sleep(nanoseconds: 30_000_000_000)
        }
    }
}

private let begunKeys = Statement(
    """
    select aggregate || ' ' || sequence || ' ' || begun || ' times' from parked_event
    where begun > 0 or tries > 0
    """
) { row in try row.string(0) }
private let buriedKeys = Statement(
    "select aggregate || ' ' || sequence from dead_letter order by id"
) { row in try row.string(0) }
private let damaged = Statement(
    "select aggregate from inbox where damaged_at is not null"
) { row in try row.string(0) }
