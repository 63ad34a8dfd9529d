import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

@Suite(.timeLimit(.minutes(3))) struct BatchTests {
    /// A handler of many is given them one by one once it failed, and the bad one is found.
    @Test func aPoisonEventAmongManyIsFound() async throws {
        try await withBench { actor, bench in
            struct Poison: Error {}
            var sizes: [Int] = []
            let consumer = bench.together(
                { $0.attemptsMax = 1 },
                before: { events in
                    sizes.append(events.count)
                    if events.contains(where: { $0.aggregate == "account:2" && $0.sequence == 3 }) {
                        throw Poison()
                    }
                }
            )
            for aggregate in 1...4 {
                try await bench.write(Array(1...10), of: "account:\(aggregate)")
            }
            try await running(bench.relay(), on: actor) {
                try await running(consumer, on: actor) {
                    try await eventually(actor) { try await bench.effects().count == 39 }
                }
            }
            for (name, all) in Dictionary(grouping: try await bench.effects(), by: \.aggregate) {
                let expected = Array(1...10).filter { name != "account:2" || $0 != 3 }
                #expect(all.map(\.sequence) == expected.map(Int64.init))
            }
            #expect(sizes.contains { $0 > 1 } && sizes.contains(1))
            #expect(try await bench.database.query(deadLetters).map(\.sequence) == [3])
        }
    }

    /// Replicas that are given the same and overlapping batches at once, in any order.
    @Test(arguments: 0..<6) func whateverComesAtOnceIsAppliedOnceAndInOrder(seed: Int) async throws
    {
        try await withBench(natsUp: false) { actor, bench in
            let counts = 40
            for aggregate in 0..<6 {
                try await bench.database.transaction { transaction in
                    for value in 1...counts {
                        _ = try await Outbox.append(
                            Ticked(value: Int64(value)),
                            of: "account:\(aggregate)",
                            in: transaction
                        )
                    }
                }
            }
            var all: [IncomingEvent] = []
            for aggregate in 0..<6 { all += try await bench.envelopes("account:\(aggregate)") }
            let (events, configuration) = (all, bench.made.service)
            let group = LoopGroup(count: 3)
            group.startAll()
            defer { group.stop() }
            let tasks = (0..<3).map { replica in
                group.loops[replica].actor.spawn { actor in
                    let database = Database(configuration: configuration, loop: actor.loop)
                    defer { database.close() }
                    let inbox = Inbox(
                        database: database,
                        attemptsMax: 5,
                        beginningsMax: 3,
                        handlerMillisecondsMax: 60_000,
                        handler: .together { try await writeAll($0, in: $1) }
                    )
                    var random = SeededGenerator(seed: UInt64(seed * 100 + replica))
                    for _ in 0..<60 {
                        let start = Int.random(in: 0..<events.count, using: &random)
                        let end = min(events.count, start + Int.random(in: 1...50, using: &random))
                        var batch = Array(events[start..<end])
                        if Bool.random(using: &random) { batch.shuffle(using: &random) }
                        do { _ = try await inbox.apply(batch) } catch {
                            Issue.record("replica \(replica): \(error)")
                        }
                    }
                }
            }
            for task in tasks { await task.value }
            // Whoever comes last with everything leaves nothing out, and nothing parked.
            _ = try await bench.together().inbox.apply(events)
            let effects = try await bench.effects()
            #expect(effects.count == 6 * counts)
            for (_, all) in Dictionary(grouping: effects, by: \.aggregate) {
                #expect(all.map(\.sequence) == Array(1...Int64(counts)))
            }
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    /// A message of several lines, one of which is no envelope.
    @Test func anUnreadableLineAmongOthersIsBuriedAlone() async throws {
        try await withBench { actor, bench in
            try await bench.write([1, 2], of: "account:1")
            let events = try await bench.envelopes("account:1")
            let body = Array("\(events[0].text)\n{odd\n\(events[1].text)".utf8)
            let (connection, stream) = (bench.connection, bench.stream)
            try await bench.administration { administration in
                _ = try administration.ensureStream(stream)
                let publisher = try JetStreamPublisher(connection, inFlightMax: 4)
                let message = OutgoingMessage(
                    subject: "ezwallet.ledger.test.ticked.v1",
                    id: "several",
                    body: body
                )
                _ = publisher.publish([message], waitMilliseconds: 60_000)
            }
            try await running(bench.consumer(), on: actor) {
                try await eventually(actor) { try await bench.effects().count == 2 }
            }
            #expect(try await bench.database.query(deadLetters).count == 1)
        }
    }
}

/// Who sends little is told soon, and who sends much in few transactions.
@Test func moreIsGatheredWhereMuchComes() {
    var configuration = ConsumerConfiguration(durable: "test", filter: "ezwallet.ledger.>")
    (configuration.gatherMilliseconds, configuration.gatherManyMilliseconds) = (5, 70)
    configuration.manyEvents = 3
    let waits = (0...4).map { configuration.gatherMilliseconds(after: $0) }
    #expect(waits == [5, 5, 5, 70, 70])
}

extension Bench {
    /// A consumer whose handler writes many events at once.
    func together(
        _ change: (inout ConsumerConfiguration) -> Void = { _ in },
        before: @escaping ([EventEnvelope]) throws -> Void = { _ in }
    ) -> EventConsumer {
        var configuration = ConsumerConfiguration(durable: "test", filter: "ezwallet.ledger.>")
        configuration.stream = stream
        configuration.fetchMilliseconds = 200
        configuration.tickMilliseconds = 50
        change(&configuration)
        return EventConsumer(
            configuration,
            database: database,
            connection: connection,
            handler: .together { events, transaction in
                try before(events)
                try await writeAll(events, in: transaction)
            },
            replay: { _ in ReplayAnswer(events: [], lastSequence: 0) },
            report: { trace("consumer: \($0)") }
        )
    }
}

private func writeAll(_ events: [EventEnvelope], in transaction: Transaction) async throws {
    try await transaction.execute(
        writeEffects,
        events.map(\.aggregate),
        events.map(\.sequence),
        try events.map { try $0.body(as: Ticked.self).value }
    )
}

private let writeEffects = Statement(
    """
    insert into effect (aggregate, sequence, value)
    select aggregate, sequence, value
    from unnest($1::text[], $2::int8[], $3::int8[]) with ordinality
        as told (aggregate, sequence, value, nr)
    order by nr
    """
)
