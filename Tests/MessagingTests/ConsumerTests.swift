import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

private let sequences = Statement("select aggregate, sequence from inbox order by aggregate") {
    row in
    (aggregate: try row.string(0), sequence: try row.int64(1))
}
let deadLetters = Statement(
    "select coalesce(producer, '-'), aggregate, sequence, error from dead_letter order by id"
) { row in
    (
        producer: try row.string(0), aggregate: try row.string(1), sequence: try row.int64(2),
        error: try row.string(3)
    )
}
private let damaged = Statement(
    "select aggregate from inbox where damaged_at is not null order by aggregate"
) { row in try row.string(0) }
let parkedCount = Statement("select count(*) from parked_event") { row in
    try row.int64(0)
}

@Suite(.timeLimit(.minutes(3))) struct ConsumerTests {
    @Test func eventsAreAppliedOnceAndInOrder() async throws {
        try await withBench { actor, bench in
            let relay = bench.relay()
            let consumer = bench.consumer()
            // All who wait for commits hear of each.
            var (commits, others) = (0, 0)
            consumer.whenCommitted { commits += 1 }
            consumer.whenCommitted { others += 1 }
            try await running(relay, on: actor) {
                try await running(consumer, on: actor) {
                    for aggregate in 0..<5 {
                        try await bench.write(Array(1...40), of: "account:\(aggregate)")
                    }
                    try await eventually(actor) { try await bench.effects().count == 200 }
                }
            }
            for (_, all) in Dictionary(grouping: try await bench.effects(), by: \.aggregate) {
                #expect(all.map(\.sequence) == Array(1...40))
                #expect(all.map(\.value) == Array(1...40))
            }
            #expect(consumer.metrics.applied == 200)
            #expect(commits > 0 && others == commits)
        }
    }

    /// Two replicas share the durable; neighbours of one aggregate go to either.
    @Test func replicasShareADurableAndApplyEachEventOnce() async throws {
        try await withBench { actor, bench in
            let second = Database(configuration: bench.made.service, loop: actor.loop)
            defer { second.close() }
            let small: (inout ConsumerConfiguration) -> Void = {
                $0.batchMax = 3
                $0.messagesMax = 3
            }
            let consumers = [bench.consumer(small), bench.consumer(small, on: second)]
            try await running(bench.relay(singly), on: actor) {
                try await running(consumers[0], on: actor) {
                    try await running(consumers[1], on: actor) {
                        try await bench.write(Array(1...300), of: "account:1")
                        try await eventually(actor) {
                            try await bench.effects().count >= 300
                        }
                    }
                }
            }
            #expect(try await bench.effects().map(\.sequence) == Array(1...300))
            #expect(consumers.allSatisfy { $0.metrics.applied > 0 })
        }
    }

    /// A replica dies between its commit and the acknowledgement.
    @Test func whatWasAppliedAndNotAcknowledgedIsDroppedTheSecondTime() async throws {
        try await withBench { actor, bench in
            let consumer = bench.consumer { $0.acknowledgeSeconds = 1 }
            try await running(bench.relay(singly), on: actor) {
                try await bench.write(Array(1...20), of: "account:1")
                try await eventually(actor) { try await bench.state().messages == 20 }
            }
            let (stream, name) = (bench.stream, consumer.configuration.durable)
            let bodies = try await bench.administration { administration in
                let subscription = try administration.pull(
                    PullConfiguration(
                        stream: stream.name,
                        durable: name,
                        filter: "ezwallet.ledger.>",
                        acknowledgeSecondsMax: 1,
                        pendingMax: 1_024
                    )
                )
                return try subscription.fetch(12, waitMilliseconds: 60_000).map(\.body)
            }
            let outcome = try await consumer.inbox.apply(bodies.map { try IncomingEvent($0) })
            #expect(outcome.applied == 12)
            try await running(consumer, on: actor) {
                try await eventually(actor) { consumer.metrics.duplicates >= 12 }
                try await eventually(actor) { try await bench.effects().count == 20 }
            }
            #expect(try await bench.effects().map(\.sequence) == Array(1...20))
        }
    }

    @Test func eventsThatComeTooEarlyWaitForTheirTurn() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.write(Array(1...6), of: "account:1")
            let events = try await bench.envelopes("account:1")
            let inbox = bench.consumer().inbox
            #expect(try await inbox.apply([events[4], events[2]]).parked == 2)
            #expect(try await inbox.apply([events[0], events[5]]).applied == 1)
            #expect(try await bench.effects().map(\.sequence) == [1])
            #expect(try await inbox.apply([events[1]]).applied == 2)
            #expect(try await inbox.apply([events[1], events[3]]).applied == 3)
            #expect(try await bench.effects().map(\.sequence) == Array(1...6))
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    @Test func aGapIsAskedForAgainFromTheProducer() async throws {
        try await withBench { actor, bench in
            try await bench.write(Array(1...10), of: "account:1")
            let events = try await bench.envelopes("account:1")
            let consumer = bench.consumer { $0.gapSeconds = 0 }
            _ = try await consumer.inbox.apply([events[0], events[7], events[9]])
            try await running(consumer, on: actor) {
                try await eventually(actor) { try await bench.effects().count == 10 }
            }
            #expect(consumer.metrics.replays >= 1)
            #expect(try await bench.effects().map(\.sequence) == Array(1...10))
        }
    }

    @Test func whatTheProducerHasNoMoreIsRecordedAndPassed() async throws {
        try await withBench { actor, bench in
            try await bench.write(Array(1...5), of: "account:1")
            let events = try await bench.envelopes("account:1")
            let consumer = bench.consumer(
                { $0.gapSeconds = 0 },
                replay: { request in
                    #expect(request.fromSequence == 1)
                    return ReplayAnswer(events: events[2...].map(\.text), lastSequence: 5)
                }
            )
            _ = try await consumer.inbox.apply([events[4]])
            try await running(consumer, on: actor) {
                try await eventually(actor) { try await bench.effects().count == 3 }
            }
            #expect(try await bench.effects().map(\.sequence) == [3, 4, 5])
            #expect(try await bench.database.query(damaged) == ["account:1"])
            #expect(try await bench.database.query(deadLetters).map(\.sequence) == [1])
        }
    }

    @Test(arguments: [[1], [1, 2], [0, 1, 2, 3], [4], [3, 4], [0, 2, 4]])
    func whatNobodyCanReadOfAReplayIsPassedAndTheRestGoesOn(bad: [Int]) async throws {
        try await withBench { actor, bench in
            try await bench.write(Array(1...6), of: "account:1")
            var texts = try await bench.envelopes("account:1").map(\.text)
            let last = try await bench.envelopes("account:1")[5]
            for place in bad { texts[place] = "{" }
            let consumer = bench.consumer(
                { $0.gapSeconds = 0 },
                replay: { request in
                    let first = Int(request.fromSequence) - 1
                    return ReplayAnswer(events: Array(texts[first..<5]), lastSequence: 6)
                }
            )
            _ = try await consumer.inbox.apply([last])
            try await running(consumer, on: actor) {
                try await eventually(actor) { try await bench.effects().last?.sequence == 6 }
            }
            let read = (0..<6).filter { !bad.contains($0) }.map { Int64($0) + 1 }
            #expect(try await bench.effects().map(\.sequence) == read, "\(bad)")
            #expect(try await bench.database.query(damaged) == ["account:1"])
        }
    }

    /// Each replica that asks for it again would end by it.
    @Test func whatEndsItsReaderWhenItIsSentAgainIsPassed() async throws {
        try await withBench { actor, bench in
            try await bench.write(Array(1...4), of: "account:1")
            let events = try await bench.envelopes("account:1")
            try await bench.database.execute(begunToRead)
            let consumer = bench.consumer { $0.gapSeconds = 0 }
            _ = try await consumer.inbox.apply([events[3]])
            try await running(consumer, on: actor) {
                try await eventually(actor) { try await bench.effects().last?.sequence == 4 }
            }
            #expect(try await bench.effects().map(\.sequence) == [1, 3, 4])
            #expect(try await bench.database.query(deadLetters).map(\.sequence) == [2])
        }
    }

    @Test func aPoisonEventBecomesADeadLetterAndTheRestGoesOn() async throws {
        try await withBench { actor, bench in
            struct Poison: Error {}
            var tries = 0
            let consumer = bench.consumer(
                { $0.attemptsMax = 2 },
                before: { event in
                    guard event.aggregate == "account:1", event.sequence == 3 else { return }
                    tries += 1
                    throw Poison()
                }
            )
            try await running(bench.relay(), on: actor) {
                try await running(consumer, on: actor) {
                    for aggregate in 1...3 {
                        try await bench.write(Array(1...6), of: "account:\(aggregate)")
                    }
                    // The others do not wait for it.
                    try await eventually(actor) {
                        try await bench.effects().count { $0.aggregate != "account:1" } == 12
                    }
                    try await eventually(actor) { try await bench.effects().count == 17 }
                }
            }
            let mine = try await bench.effects().filter { $0.aggregate == "account:1" }
            #expect(mine.map(\.sequence) == [1, 2, 4, 5, 6])
            #expect(tries == 2)
            let dead = try await bench.database.query(deadLetters)
            #expect(dead.map(\.sequence) == [3])
            #expect(dead[0].error.contains("Poison"))
            #expect(try await bench.database.query(damaged) == ["account:1"])
            #expect(consumer.metrics.buried == 1)
        }
    }

    @Test func anErrorOfTheHandlersSQLIsTheEventsFault() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.write([1, 2], of: "account:1")
            try await bench.write([3], of: "account:2")
            let events = try await bench.envelopes("account:1") + bench.envelopes("account:2")
            let consumer = EventConsumer(
                ConsumerConfiguration(durable: "d", filter: ">"),
                database: bench.database,
                connection: bench.connection,
                handler: .single { event, transaction in
                    let value: Int64? = event.aggregate == "account:1" ? nil : 1
                    try await transaction.execute(writeEffect, event.aggregate, 1, value)
                },
                replay: { _ in ReplayAnswer(events: [], lastSequence: 0) }
            )
            let outcome = try await consumer.inbox.apply(events)
            #expect(outcome.applied == 1)
            #expect(outcome.failed.count == 1)
            #expect(outcome.failed.values.first?.cause.contains("23502") == true)
            #expect(outcome.parked == 1)
        }
    }

    /// A replica that is still the old one after a migration: its successor applies them.
    @Test func aSchemaThatIsAnotherIsNoEventsFault() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.write([1, 2], of: "account:1")
            let events = try await bench.envelopes("account:1")
            let old = Statement<Void>("insert into effect (aggregate, renamed) values ($1, 1)")
            let consumer = EventConsumer(
                ConsumerConfiguration(durable: "d", filter: ">"),
                database: bench.database,
                connection: bench.connection,
                handler: .single { event, transaction in
                    try await transaction.execute(old, event.aggregate)
                },
                replay: { _ in ReplayAnswer(events: [], lastSequence: 0) }
            )
            await #expect(throws: DatabaseError.self) { try await consumer.inbox.apply(events) }
            #expect(try await bench.database.query(deadLetters).isEmpty)
            #expect(try await bench.database.queryOne(parkedCount) == 0)
            let successor = bench.consumer()
            #expect(try await successor.inbox.apply(events).applied == 2)
        }
    }

    @Test func anUnreadableMessageIsBuriedAndTerminated() async throws {
        try await withBench { actor, bench in
            let (connection, stream) = (bench.connection, bench.stream)
            try await bench.administration { administration in
                _ = try administration.ensureStream(stream)
                let publisher = try JetStreamPublisher(connection, inFlightMax: 4)
                let message = OutgoingMessage(
                    subject: "ezwallet.ledger.odd",
                    id: "odd",
                    body: Array("{\"no\":".utf8) + [0]
                )
                _ = publisher.publish([message], waitMilliseconds: 60_000)
            }
            try await running(bench.consumer(), on: actor) {
                try await eventually(actor) {
                    try await bench.database.query(deadLetters).count == 1
                }
            }
            let dead = try await bench.database.query(deadLetters)
            #expect(dead[0].producer == "-" && dead[0].aggregate == "ezwallet.ledger.odd")
        }
    }

    /// The broker loses all, the consumer's durable among it; what it missed arrives nevertheless.
    @Test func aBrokerThatLostEverythingLosesNobodyAnEvent() async throws {
        try await withBench { actor, bench in
            let consumer = bench.consumer()
            try await running(bench.relay(singly), on: actor) {
                try await running(consumer, on: actor) {
                    try await bench.write(Array(1...20), of: "account:1")
                    try await eventually(actor) { try await bench.effects().count == 20 }
                }
                // Told while nobody listens, and lost before anybody does.
                try await bench.write(Array(21...30), of: "account:1")
                try await eventually(actor) { try await bench.state().lastSequence == 30 }
                bench.nats.crash()
                try bench.nats.wipe()
                try bench.nats.launch()
                try await eventually(actor) { bench.connection.isConnected }
                try await running(bench.consumer(), on: actor) {
                    try await eventually(actor) { try await bench.effects().count >= 30 }
                }
            }
            #expect(try await bench.effects().map(\.sequence) == Array(1...30))
        }
    }

    @Test func aBrokerRestartedWhileListeningIsFoundAgain() async throws {
        try await withBench { actor, bench in
            try await running(bench.relay { $0.acknowledgeMillisecondsMax = 500 }, on: actor) {
                try await running(bench.consumer(), on: actor) {
                    try await bench.write(Array(1...50), of: "account:1")
                    bench.nats.crash()
                    try await bench.write(Array(51...100), of: "account:1")
                    try bench.nats.launch()
                    try await eventually(actor) {
                        try await bench.effects().count >= 100
                    }
                }
            }
            #expect(try await bench.effects().map(\.sequence) == Array(1...100))
        }
    }

    @Test func whatIsBegunIsNotedBeforeItIsTried() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.write([1, 2], of: "account:1")
            let events = try await bench.envelopes("account:1")
            // So do three processes that are killed; the first lets the retry have it.
            let begin = { try await bench.consumer().inbox.begin($0) }
            #expect(try await begin(events[0]))
            #expect(try await !begin(events[0]), "it waits for its time")
            #expect(try await !begin(events[1]), "not its turn")
            let inbox = bench.consumer().inbox
            for _ in 0..<3 {
                #expect(try await inbox.apply([events[0]]).applied == 0, "not with others")
                try await bench.database.execute(makeDue)
                #expect(try await inbox.beginRetry(of: "ledger") == events[0].key)
            }
            let outcome = try await inbox.applyBegun(events[0].key)
            #expect(outcome.buried.count == 1 && outcome.applied == 0)
            #expect(try await inbox.apply([events[1]]).applied == 1)
        }
    }

    @Test func whatWaitedAndWasAppliedOtherwiseIsCleared() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.write([1, 2, 3], of: "account:1")
            let events = try await bench.envelopes("account:1")
            let inbox = bench.consumer().inbox
            _ = try await inbox.apply([events[2]])
            try await bench.database.transaction { transaction in
                try await InboxRows.rebuilt("account:1", of: .ledger, at: 3, in: transaction)
            }
            _ = try await inbox.apply([events[2]])
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    @Test func aDatabaseThatIsAwayCostsNoEventATry() async throws {
        let cluster = try await PostgresCluster.start(durable: true)
        try await withBench(on: cluster) { actor, bench in
            let consumer = bench.consumer { $0.attemptsMax = 1 }
            try await running(bench.relay(), on: actor) {
                try await running(consumer, on: actor) {
                    try await bench.write(Array(1...30), of: "account:1")
                    try await eventually(actor) { try await bench.effects().count > 5 }
                    cluster.crash()
                    try await actor.loop.sleep(nanoseconds: 500_000_000)
                    try await cluster.launch()
                    try await eventually(actor) {
                        (try? await bench.write(Array(31...40), of: "account:2")) != nil
                    }
                    try await eventually(actor) {
                        let applied = try await bench.effects()
                        return applied.count { $0.aggregate == "account:1" } == 30
                            && applied.count { $0.aggregate == "account:2" } >= 10
                    }
                }
            }
            #expect(consumer.metrics.buried == 0)
            let mine = try await bench.effects().filter { $0.aggregate == "account:1" }
            #expect(mine.map(\.sequence) == Array(1...30))
        }
    }

    @Test func whatWasHeldGoesOnWhereItWas() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.write([1, 2], of: "account:1")
            try await bench.write([1], of: "account:2")
            let first = try await bench.envelopes("account:1")
            let second = try await bench.envelopes("account:2")
            let inbox = bench.consumer().inbox
            _ = try await inbox.apply([first[0]])
            let both = ["account:2", "account:1", "account:2"]
            for _ in 0..<2 {
                let held = try await bench.database.transaction { transaction in
                    try await InboxRows.hold(both, of: .ledger, in: transaction)
                }
                #expect(held == ["account:1": 1, "account:2": 0])
            }
            #expect(try await inbox.apply([first[1], second[0]]).applied == 2)
            let found = try await InboxRows.sequences(
                of: both + ["account:3"],
                of: .ledger,
                in: bench.database
            )
            #expect(found == ["account:1": 2, "account:2": 1])
        }
    }

    @Test func aRebuiltCopyGoesOnFromItsSequence() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.write(Array(1...5), of: "account:1")
            let events = try await bench.envelopes("account:1")
            try await bench.database.transaction { transaction in
                try await InboxRows.rebuilt("account:1", of: .ledger, at: 3, in: transaction)
            }
            let outcome = try await bench.consumer().inbox.apply(events)
            #expect(outcome.applied == 2 && outcome.duplicates == 3)
            try await bench.database.transaction { transaction in
                try await InboxRows.erase("account:1", of: .ledger, in: transaction)
                try await Outbox.erase("account:1", in: transaction)
            }
            #expect(try await bench.database.queryOne(countOf) == 0)
        }
    }
}

extension Bench {
    /// The envelopes of an aggregate as its producer still has them.
    func envelopes(_ aggregate: String) async throws -> [IncomingEvent] {
        let request = ReplayRequest(producer: .ledger, aggregate: aggregate, fromSequence: 1)
        return try await Outbox.replay(request, of: .ledger, in: database).events
            .map { try IncomingEvent(Array($0.utf8)) }
    }
}

private let makeDue = Statement("update parked_event set next_try_at = clock_timestamp()")

/// Three processes began to read it, and ended.
private let begunToRead = Statement<Void>(
    """
    insert into parked_event (producer, aggregate, sequence, event, begun, next_try_at)
    values ('', 'replay of ledger account:1', 2, '', 3, 'infinity')
    """
)
