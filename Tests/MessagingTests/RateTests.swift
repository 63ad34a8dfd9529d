import Foundation
import Loops
import Postgres
import Testing
import WalletProtocol

@testable import Messaging

/// Rates, for whoever asks: `EZWALLET_TEST_RATES=1`, in release.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["EZWALLET_TEST_RATES"] != nil))
struct RateTests {
    private static let fill = Statement(
        """
        with made as (
            select 'account:' || (n % 1000) as aggregate, n / 1000 + 1 as sequence
            from generate_series(0, $1::int8 - 1) as n
        )
        insert into outbox (aggregate, sequence, type, event_id, payload)
        select aggregate, sequence, 'test.ticked.v1', gen_random_uuid(),
            jsonb_build_object('value', sequence)
        from made
        """
    )

    @Test func relayAndConsumer() async throws {
        try await withBench { actor, bench in
            let count = 50_000
            try await bench.database.execute(Self.fill, count)
            var started = monotonicNanoseconds()
            let relay = bench.relay()
            try await running(relay, on: actor) {
                try await eventually(actor, seconds: 60) {
                    relay.metrics.published >= UInt64(count)
                }
            }
            report("relay", count, since: started)
            let consumer = bench.consumer()
            started = monotonicNanoseconds()
            try await running(consumer, on: actor) {
                try await eventually(actor, seconds: 120) {
                    consumer.metrics.applied >= UInt64(count)
                }
            }
            report("consumer", count, since: started)
            #expect(consumer.metrics.applied == UInt64(count))
        }
    }

    private func report(_ name: String, _ count: Int, since started: UInt64) {
        let seconds = Double(monotonicNanoseconds() - started) / 1e9
        print("\(name): \(Int(Double(count) / seconds)) events/s")
    }
}
