import Foundation
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

/// What is bad, or large, or slow holds up nobody else, and costs no more than its share.
@Suite(.timeLimit(.minutes(3))) struct PoisonTests {
    struct Poison: Error {}

    @Test func manyBadEventsCostNoRoundOfAllEach() async throws {
        try await withBench(natsUp: false) { actor, bench in
            let names = (100..<228).map { "account:\($0)" }
            try await bench.writeAtOnce(2, of: names)
            var events: [IncomingEvent] = []
            for name in names { events += try await bench.envelopes(name) }
            var handed = 0
            let consumer = bench.together(before: { events in
                handed += events.count
                let bad = events.contains { Int($0.aggregate.dropFirst(8))! % 2 == 1 }
                if bad { throw Poison() }
            })
            let outcome = try await consumer.inbox.apply(events)
            #expect(outcome.applied == 128)
            #expect(outcome.failed.count == 64 && outcome.parked == 64)
            #expect(handed < 256 * 10, "\(handed) handed to the handler")
            #expect(try await bench.effects().count == 128)
        }
    }

    /// One bad of many, for a handler of one: two rounds, as the bad one is known at once.
    @Test func aBadEventOfManyIsCountedOnce() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.writeAtOnce(50, of: ["account:1", "account:2"])
            var events = try await bench.envelopes("account:1")
            events += try await bench.envelopes("account:2")
            var tries = 0
            let consumer = bench.consumer(before: { event in
                guard event.aggregate == "account:1", event.sequence == 20 else { return }
                tries += 1
                throw Poison()
            })
            // Twice the same, as a broker may deliver it.
            let outcome = try await consumer.inbox.apply(events + events)
            #expect(tries == 1)
            #expect(outcome.failed.count == 1)
            #expect(try await bench.effects().count == 69)
            #expect(try await bench.database.queryOne(triesOfWaiting) == 1)
        }
    }

    @Test func anEventThatNoTableTakesIsBuriedAlone() async throws {
        try await withBench { actor, bench in
            try await bench.write([1, 2], of: "account:1")
            try await bench.write([1], of: "account:2")
            let events = try await bench.envelopes("account:1")
            let other = try await bench.envelopes("account:2")[0].text
            func changed(_ old: String, _ new: [UInt8]) -> [UInt8] {
                let parts = other.components(separatedBy: old)
                return Array(parts[0].utf8) + new + Array(parts[1].utf8)
            }
            let data = #""data":{"#
            let lines = [
                Array(events[0].text.utf8),
                changed(data, Array(#""data":{"a":"\#u{0}","#.utf8)),
                changed(data, Array(#""data":{"a":""#.utf8) + [0xFF] + Array(#"","#.utf8)),
                changed("account:2", Array(#"account:\u0000"#.utf8)),
                changed("account:2", Array(("x:" + String(repeating: "9", count: 9_000)).utf8)),
                Array(events[1].text.utf8),
            ]
            try await bench.publish([Array(lines.joined(separator: [lineFeed]))])
            try await running(bench.consumer(), on: actor) {
                try await eventually(actor, seconds: 30) { try await bench.effects().count == 2 }
            }
            #expect(try await bench.database.query(deadLetters).count == 4)
        }
    }

    @Test func aBodyOfOddLinesIsOneDeadLetter() async throws {
        try await withBench { actor, bench in
            try await bench.write([1], of: "account:1")
            let good = Array(try await bench.envelopes("account:1")[0].text.utf8)
            try await bench.publish([
                [UInt8](repeating: lineFeed, count: 1_000),
                Array(String(repeating: "x\n", count: 20).utf8),
                Array(String(repeating: "x\n", count: 700).utf8),
                // Empty lines are no events, and no fault.
                [lineFeed] + good + [lineFeed, lineFeed],
            ])
            try await running(bench.consumer(), on: actor) {
                try await eventually(actor) { try await bench.effects().count == 1 }
            }
            #expect(try await bench.database.query(deadLetters).count == 3)
        }
    }

    /// Longer than the broker waits, chunk by chunk: it delivers nothing twice.
    @Test func aLongBatchIsNotDeliveredAgain() async throws {
        try await withBench { actor, bench in
            let consumer = bench.consumer(
                {
                    $0.acknowledgeSeconds = 4
                    $0.batchMax = 1
                },
                before: { _ in usleep(500_000) }
            )
            try await running(bench.relay(singly), on: actor) {
                try await bench.write(Array(1...12), of: "account:1")
                try await eventually(actor) { try await bench.state().messages == 12 }
                try await running(consumer, on: actor) {
                    try await eventually(actor) { try await bench.effects().count == 12 }
                    try await actor.loop.sleep(nanoseconds: 4_500_000_000)
                }
            }
            #expect(try await bench.effects().map(\.sequence) == Array(1...12))
            #expect(consumer.metrics.duplicates == 0)
        }
    }

    /// What came several times is tried one by one only where it is still to come.
    @Test func suspectsThatWereAppliedAreDroppedTogether() async throws {
        try await withBench { actor, bench in
            let consumer = bench.consumer { $0.deliveriesMax = 0 }
            try await bench.writeAtOnce(300, of: ["account:1"])
            let events = try await bench.allEnvelopes("account:1")
            _ = try await consumer.inbox.apply(Array(events[..<250]))
            try await running(bench.relay(), on: actor) {
                try await running(consumer, on: actor) {
                    try await eventually(actor) { try await bench.effects().count == 300 }
                }
            }
            #expect(try await bench.effects().map(\.sequence) == Array(1...300))
            #expect(consumer.metrics.duplicates >= 250 && consumer.metrics.applied == 50)
        }
    }

    /// A stop comes between chunks; what was not begun goes back at once.
    @Test func aStopWaitsForOneChunkOnly() async throws {
        try await withBench { actor, bench in
            let change: (inout ConsumerConfiguration) -> Void = {
                $0.batchMax = 1
                // What is kept back would come too late.
                $0.acknowledgeSeconds = 300
            }
            let consumer = bench.consumer(change, before: { _ in usleep(50_000) })
            try await running(bench.relay(singly), on: actor) {
                try await bench.write(Array(1...60), of: "account:1")
                try await eventually(actor) { try await bench.state().messages == 60 }
                try await running(consumer, on: actor) {
                    try await eventually(actor) { try await bench.effects().count >= 1 }
                }
                #expect(try await bench.effects().count < 60)
                try await running(bench.consumer { $0.acknowledgeSeconds = 300 }, on: actor) {
                    try await eventually(actor) {
                        try await bench.effects().count == 60
                    }
                }
            }
            #expect(try await bench.effects().map(\.sequence) == Array(1...60))
        }
    }

    @Test func aHotStuckAggregateHidesNobodysParkedEvents() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.writeAtOnce(1_201, of: ["account:1"])
            try await bench.writeAtOnce(2, of: ["account:2"])
            let hot = try await bench.allEnvelopes("account:1")
            let other = try await bench.envelopes("account:2")
            let inbox = bench.together().inbox
            _ = try await inbox.apply(Array(hot[1...]))
            _ = try await inbox.apply([other[1]])
            #expect(try await inbox.apply([hot[1_200], other[0]]).applied == 2)
            // And its own are applied in one go, however many.
            #expect(try await inbox.apply([hot[0]]).applied == 1_201)
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    /// Late answers to a request that was given up lie there before the next: none is lost, and
    /// nothing is written behind the end of the library's list.
    @Test(arguments: [24, 40, 64]) func whatLiesThereIsTakenFirst(late: Int) async throws {
        try await withBench { actor, bench in
            try await bench.publish((0..<120).map { Array("\($0)".utf8) })
            let stream = bench.stream
            let sequences = try await bench.administration { administration in
                let pull = PullConfiguration(
                    stream: stream.name,
                    durable: "late",
                    filter: "ezwallet.ledger.>",
                    acknowledgeSecondsMax: 60,
                    pendingMax: 1_000
                )
                let subscription = try administration.pull(pull)
                var taken = try subscription.request(late, 1, waits: true)
                usleep(300_000)
                while taken.count < 120 {
                    let next = try subscription.fetch(32, events: 2_048, waitMilliseconds: 2_000)
                    if next.isEmpty { break }
                    taken += next
                }
                return taken.map(\.streamSequence)
            }
            #expect(sequences.sorted() == Array(1...120))
        }
    }

    /// What the reader by hand passes over, `data` aside, is found when the body is asked for.
    @Test func aFieldAfterTheDataIsPassedOver() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.write([7], of: "account:1")
            let text = try await bench.envelopes("account:1")[0].text
            let longer = Array((text.dropLast() + #","subject":"x"}"#).utf8)
            #expect(try EventEnvelope.read(longer).body(as: Ticked.self).value == 7)
            let twice = Array((text.dropLast() + #","data":{"value":8}}"#).utf8)
            #expect(throws: APIError.self) {
                try EventEnvelope.read(twice).body(as: Ticked.self)
            }
        }
    }
}

private let triesOfWaiting = Statement(
    "select tries::int8 from parked_event where next_try_at is not null"
) { row in try row.int64(0) }

extension Bench {
    /// Writes `count` events of each aggregate, in one transaction.
    func writeAtOnce(_ count: Int, of aggregates: [String]) async throws {
        try await database.transaction { transaction in
            for name in aggregates {
                for value in 1...count {
                    let body = Ticked(value: Int64(value))
                    _ = try await Outbox.append(body, of: name, in: transaction)
                }
            }
        }
    }

    /// The envelopes of an aggregate, page by page.
    func allEnvelopes(_ aggregate: String) async throws -> [IncomingEvent] {
        var all: [IncomingEvent] = []
        while true {
            let request = ReplayRequest(
                producer: .ledger,
                aggregate: aggregate,
                fromSequence: Int64(all.count) + 1
            )
            let page = try await Outbox.replay(request, of: .ledger, in: database).events
            if page.isEmpty { return all }
            all += try page.map { try IncomingEvent(Array($0.utf8)) }
        }
    }

    /// Puts messages of any body into the stream.
    func publish(_ bodies: [[UInt8]]) async throws {
        let (connection, stream) = (connection, stream)
        try await administration { administration in
            _ = try administration.ensureStream(stream)
            let publisher = try JetStreamPublisher(connection, inFlightMax: 16)
            let messages = bodies.enumerated().map { number, body in
                OutgoingMessage(
                    subject: "ezwallet.ledger.test.ticked.v1",
                    id: "message \(number)",
                    body: body
                )
            }
            _ = publisher.publish(messages, waitMilliseconds: 60_000)
        }
    }
}
