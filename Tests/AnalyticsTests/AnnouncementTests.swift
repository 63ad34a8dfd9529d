import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// Each month that is told is told of, once, and nothing but which it is.
@Suite struct AnnouncementTests {
    private static let outbox = Statement(
        "select aggregate, payload::text from analytics.outbox order by id"
    ) { row in try row.string(0) + " " + row.string(1) }

    private static let tell = Statement<Void>(
        "insert into analytics.usage_month (month, release, users_min) values ($1, 1, 3)"
    )

    @Test func eachMonthIsToldOfOnceAndOfAllThatWereTheNewestAlone() async throws {
        let months = try (1...9).map { try #require(Month("2024-0\($0)")) }
        try await withBench { _, bench in
            func announce() async throws -> [String] {
                try await bench.database.lease { connection in
                    try await MonthAnnouncement(connection: connection).run()
                }
                return try await bench.database.query(Self.outbox)
            }
            func tell(_ some: ArraySlice<Month>) async throws {
                for month in some {
                    try await bench.database.execute(Self.tell, month.firstDay)
                }
            }
            func told(_ some: ArraySlice<Month>) -> [String] {
                some.map { "insights:months {\"month\":\"\($0)\"}" }
            }
            #expect(try await announce().isEmpty)
            try await tell(months[..<4])
            #expect(try await announce() == told(months[3..<4]))
            #expect(try await announce() == told(months[3..<4]))
            // Whatever was missed since comes in its order.
            try await tell(months[4..<7])
            #expect(try await announce() == told(months[3..<7]))
            try await tell(months[7...])
            for _ in 0..<3 { #expect(try await announce() == told(months[3...])) }
        }
    }
}
