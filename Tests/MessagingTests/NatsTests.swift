import Foundation
import Loops
import TestKit
import Testing

@testable import Messaging

@Suite(.timeLimit(.minutes(2))) struct NatsTests {
    private func message(_ id: String, _ text: String = "x") -> OutgoingMessage {
        OutgoingMessage(subject: "ezwallet.test.a", id: id, body: Array(text.utf8))
    }

    @Test func publishedMessagesAreAcknowledgedFetchedAndSettled() async throws {
        try await withBench { actor, bench in
            let (connection, stream) = (bench.connection, bench.stream)
            try await bench.administration { administration in
                let first = try administration.ensureStream(stream)
                #expect(try administration.ensureStream(stream) == first)
                let publisher = try JetStreamPublisher(connection, inFlightMax: 100)
                let many = (0..<250).map { message("id-\($0)", "text \($0)") }
                let outcomes = publisher.publish(many, waitMilliseconds: 60_000)
                #expect(outcomes == (1...250).map { .stored($0) })
                // Twice within the window: the first one's place.
                #expect(
                    publisher.publish([many[7]], waitMilliseconds: 60_000) == [.stored(8)]
                )
                #expect(try administration.state(of: stream.name).messages == 250)
                #expect(try administration.messageID(at: 8, of: stream.name) == "id-7")

                let pull = PullConfiguration(
                    stream: stream.name,
                    durable: "d",
                    filter: "ezwallet.test.>",
                    acknowledgeSecondsMax: 60,
                    pendingMax: 1_000
                )
                let subscription = try administration.pull(pull)
                let messages = try subscription.fetch(10, waitMilliseconds: 60_000)
                #expect(messages.map(\.body) == (0..<10).map { Array("text \($0)".utf8) })
                #expect(messages[0].deliveries == 1)
                messages[0].settle(.again(afterMilliseconds: 0))
                for message in messages[1..<9] { message.settle(.acknowledged) }
                messages[9].settle(.terminated)
                let next = try (0..<3).flatMap { _ in
                    try subscription.fetch(20, waitMilliseconds: 300)
                }
                let again = try #require(next.first { $0.streamSequence == 1 })
                #expect(again.deliveries == 2)
                #expect(!next.contains { (2...10).contains($0.streamSequence) })
            }
        }
    }

    /// A fetch of many ends with the first that comes, and leaves the broker with no request.
    @Test func aFetchOfManyEndsWithTheFirst() async throws {
        try await withBench { actor, bench in
            let (connection, stream) = (bench.connection, bench.stream)
            try await bench.administration { administration in
                _ = try administration.ensureStream(stream)
                let pull = PullConfiguration(
                    stream: stream.name,
                    durable: "d",
                    filter: "ezwallet.test.>",
                    acknowledgeSecondsMax: 60,
                    pendingMax: 1_000
                )
                let subscription = try administration.pull(pull)
                let publisher = try JetStreamPublisher(connection, inFlightMax: 1)
                let only = message("id")
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: 0.5)
                    _ = publisher.publish([only], waitMilliseconds: 60_000)
                }
                let started = monotonicNanoseconds()
                let first = try subscription.fetch(32, waitMilliseconds: 60_000)
                #expect(first.count == 1)
                #expect(monotonicNanoseconds() - started < 30_000_000_000)
                for _ in 0..<10 {
                    let before = monotonicNanoseconds()
                    let none = try subscription.fetch(32, waitMilliseconds: 200)
                    #expect(none.isEmpty)
                    #expect(monotonicNanoseconds() - before > 100_000_000, "its whole time")
                    // As the consumer does: what comes late is passed over.
                    Thread.sleep(forTimeInterval: 0.05)
                }
            }
        }
    }

    @Test func aChangedConfigurationIsPutRight() async throws {
        try await withBench { actor, bench in
            var other = bench.stream
            other.maxAgeSeconds = 3_600
            let (first, second) = (bench.stream, other)
            try await bench.administration { administration in
                let before = try administration.ensureStream(first)
                let after = try administration.ensureStream(second)
                #expect(before.created == after.created)
            }
        }
    }

    @Test func aFetchEndsAtOnceWhenTheSubscriptionStops() async throws {
        try await withBench { actor, bench in
            let stream = bench.stream
            try await bench.administration { administration in
                _ = try administration.ensureStream(stream)
                let subscription = try administration.pull(
                    PullConfiguration(
                        stream: stream.name,
                        durable: "d",
                        filter: "ezwallet.>",
                        acknowledgeSecondsMax: 1,
                        pendingMax: 10
                    )
                )
                startThread { subscription.stop() }
                let started = monotonicNanoseconds()
                #expect(throws: NatsError.closed) {
                    while true { _ = try subscription.fetch(1, waitMilliseconds: 100_000) }
                }
                #expect(monotonicNanoseconds() - started < 60_000_000_000)
            }
        }
    }

    @Test func withoutAStreamEachMessageFailsAtOnce() async throws {
        try await withBench { actor, bench in
            let connection = bench.connection
            try await bench.administration { _ in
                let publisher = try JetStreamPublisher(connection, inFlightMax: 10)
                let outcomes = publisher.publish([message("a")], waitMilliseconds: 60_000)
                #expect(outcomes == [.failed(.notFound)])
            }
        }
    }

    @Test func theConnectionComesBackByItself() async throws {
        try await withBench(natsUp: false) { actor, bench in
            #expect(!bench.connection.isConnected)
            try await actor.loop.sleep(nanoseconds: 300_000_000)
            try bench.nats.launch()
            try await eventually(actor) { bench.connection.isConnected }
            let generation = bench.connection.generation
            bench.nats.crash()
            try await eventually(actor) { !bench.connection.isConnected }
            try bench.nats.launch()
            try await eventually(actor) { bench.connection.isConnected }
            #expect(bench.connection.generation > generation)
        }
    }

    @Test func aPersonsEventsArePurgedBySubject() async throws {
        try await withBench { actor, bench in
            let (connection, stream) = (bench.connection, bench.stream)
            try await bench.administration { administration in
                _ = try administration.ensureStream(stream)
                let publisher = try JetStreamPublisher(connection, inFlightMax: 10)
                let messages = (0..<6).map { index in
                    OutgoingMessage(
                        subject: "ezwallet.auth.user.\(index % 2)",
                        id: "\(index)",
                        body: [UInt8(index)]
                    )
                }
                _ = publisher.publish(messages, waitMilliseconds: 60_000)
            }
            let purge = EventPurge(connection, stream: stream)
            let subject = "ezwallet.auth.user.1"
            let newest = try await purge.newest(of: subject)
            #expect(newest?.data == [5])
            try await purge.purge(subject: subject, before: try #require(newest?.sequence))
            let still = try await purge.newest(of: subject)
            #expect(still?.data == [5])
            let nobody = try await purge.newest(of: "ezwallet.auth.user.7")
            #expect(nobody == nil)
            let state = try await bench.administration { try $0.state(of: stream.name) }
            #expect(state.messages == 4)
        }
    }
}
