import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

@Suite struct OutboxTests {
    @Test func whatIsToldTogetherIsToldAsIfItWereAlone() async throws {
        try await withBench { _, bench in
            let names = ["b", "a", "b", "c", "b", "a"]
            for round in 0..<2 {
                try await bench.database.transaction { transaction in
                    try await Outbox.append(
                        names.enumerated().map { place, name in
                            let value = Int64(round * names.count + place)
                            return ToldEvent(
                                Ticked(value: value),
                                of: name,
                                traceparent: "t\(value)"
                            )
                        },
                        in: transaction
                    )
                }
            }
            let rows = Statement(
                """
                select aggregate || ' ' || sequence || ' ' || (payload ->> 'value') || ' '
                    || traceparent
                from outbox
                order by id
                """
            ) { row in try row.string(0) }
            var sequences: [String: Int] = [:]
            let due = (names + names).enumerated().map { value, name in
                sequences[name, default: 0] += 1
                return "\(name) \(sequences[name] ?? 0) \(value) t\(value)"
            }
            #expect(try await bench.database.query(rows) == due)
        }
    }
}
