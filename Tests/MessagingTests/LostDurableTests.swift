import Loops
import Postgres
import TestKit
import Testing

@testable import Messaging

/// Durables that vanish from the broker, against a real one.
@Suite(.timeLimit(.minutes(3))) struct LostDurableTests {
    /// A request to a durable that is gone is answered by nobody.
    @Test func silentDurableIsAskedAboutAndMadeAgain() async throws {
        try await withBench { actor, bench in
            let wanted = PullConfiguration(
                stream: bench.stream.name,
                durable: "quiet",
                filter: "ezwallet.ledger.>",
                acknowledgeSecondsMax: 15,
                pendingMax: 64
            )
            let fetcher = MessageFetcher(
                wanted,
                stream: bench.stream,
                connection: bench.connection,
                bell: Doorbell(on: actor.loop)
            )
            defer { fetcher.stop() }
            var lost = 0
            fetcher.whenLost = { lost += 1 }
            for round in 1...3 {
                _ = try await fetcher.fetch(1, waitMilliseconds: 200)
                let name = bench.stream.name
                try await bench.administration { try $0.deleteConsumer("quiet", of: name) }
                try await eventually(actor) {
                    do { _ = try await fetcher.fetch(1, waitMilliseconds: 200) } catch {
                        fetcher.forget()
                    }
                    return lost == round
                }
                let isThere = try await bench.administration {
                    try $0.hasConsumer("quiet", of: name)
                }
                #expect(isThere)
            }
        }
    }

    /// A durable that is gone takes events again within ten seconds, whoever deleted it.
    @Test func lostDurableTakesEventsAgain() async throws {
        try await withBench { actor, bench in
            let consumer = bench.consumer()
            let (stream, name) = (bench.stream, consumer.configuration.durable)
            try await running(bench.relay(singly), on: actor) {
                try await running(consumer, on: actor) {
                    try await bench.write(Array(1...3), of: "account:1")
                    try await eventually(actor) { try await bench.effects().count == 3 }
                    try await bench.administration { try $0.deleteConsumer(name, of: stream.name) }
                    try await eventually(actor, seconds: 10) { consumer.metrics.lost == 1 }
                    try await bench.write(Array(4...6), of: "account:1")
                    try await eventually(actor) { try await bench.effects().count == 6 }
                }
            }
            #expect(try await bench.effects().map(\.sequence) == Array(1...6))
        }
    }
}
