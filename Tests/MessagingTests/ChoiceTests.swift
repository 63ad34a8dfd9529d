import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

/// Consumers that take some events of their aggregates alone.
@Suite(.timeLimit(.minutes(3))) struct ChoiceTests {
    private static func even(_ event: EventEnvelope) -> Bool {
        guard let body = try? event.body(as: Ticked.self) else { return true }
        return body.value.isMultiple(of: 2)
    }

    @Test func whatIsChosenIsAppliedOnceThoughOthersOfItsAggregateAreNot() async throws {
        try await withBench { actor, bench in
            let consumer = bench.consumer { $0.choice = EventChoice(Self.even) }
            try await running(bench.relay(), on: actor) {
                try await running(consumer, on: actor) {
                    try await bench.write(Array(1...40), of: "account:1")
                    try await eventually(actor) { try await bench.effects().count == 20 }
                    // What nobody chooses is done with, too.
                    try await bench.write([41, 43, 45], of: "account:2")
                    try await bench.write([46], of: "account:2")
                    try await eventually(actor) { try await bench.effects().count == 21 }
                }
            }
            let effects = try await bench.effects()
            let wanted = Set(stride(from: Int64(2), through: 40, by: 2)).union([46])
            #expect(Set(effects.map(\.value)) == wanted)
            #expect(Set(effects.map(\.aggregate)).count == 21)
            #expect(effects.allSatisfy { $0.sequence == 1 && $0.aggregate.hasPrefix("event:") })
            #expect(try await bench.database.queryOne(parkedCount) == 0)
            #expect(consumer.metrics.replays == 0)
        }
    }

    /// The broker delivers again what was not settled in time.
    @Test func whatIsDeliveredAgainIsAppliedOnce() async throws {
        try await withBench { actor, bench in
            try await running(bench.relay(singly), on: actor) {
                try await bench.write(Array(1...10), of: "account:1")
                try await eventually(actor) { try await bench.state().messages == 10 }
            }
            let consumers = (1...2).map { place in
                bench.consumer {
                    $0.durable = "test-\(place)"
                    $0.choice = EventChoice(Self.even)
                }
            }
            for consumer in consumers {
                try await running(consumer, on: actor) {
                    try await eventually(actor) {
                        consumer.metrics.applied + consumer.metrics.duplicates >= 5
                    }
                }
            }
            #expect(try await bench.effects().count == 5)
            #expect(consumers.map(\.metrics.duplicates) == [0, 5])
        }
    }

    @Test func oneThatFailsIsTriedAgainAndBuriedAloneAndHoldsUpNoOther() async throws {
        struct Poison: Error {}
        try await withBench { actor, bench in
            let consumer = bench.consumer(
                {
                    $0.choice = EventChoice(Self.even)
                    $0.attemptsMax = 2
                },
                before: { if try $0.body(as: Ticked.self).value == 4 { throw Poison() } }
            )
            try await running(bench.relay(), on: actor) {
                try await running(consumer, on: actor) {
                    try await bench.write(Array(1...8), of: "account:1")
                    try await eventually(actor) { consumer.metrics.buried == 1 }
                    try await eventually(actor) { try await bench.effects().count == 3 }
                }
            }
            #expect(Set(try await bench.effects().map(\.value)) == [2, 6, 8])
            let dead = try await bench.database.query(deadLetters)
            #expect(dead.count == 1 && dead.allSatisfy { $0.aggregate.hasPrefix("event:") })
        }
    }
}
