import Postgres
import Synchronization
import Testing
import WalletProtocol

@testable import AnalyticsService

private let aMinutePasses = Statement<Void>(
    "update analytics.rate_day set fetched_at = fetched_at - interval '61 seconds'"
)

@Suite struct RateTests {
    @Test func aPublishedDayIsAskedForOnce() async throws {
        let calls = Mutex(0)
        try await withBench(
            rates: { day throws(APIError) in
                calls.withLock { $0 += 1 }
                return try Model.table(day)
            }
        ) { _, bench in
            let day = try #require(Day("2023-05-16"))
            for _ in 0..<3 { try await bench.reports.rates.ensure([day]) }
            let count = calls.withLock { $0 }
            #expect(count == 1)
        }
    }

    @Test func aDayThatMayChangeIsAskedForAgainAfterAMinute() async throws {
        let calls = Mutex(0)
        try await withBench(
            rates: { _ throws(APIError) in
                calls.withLock { $0 += 1 }
                throw APIError(.rateUnavailable)
            }
        ) { _, bench in
            let today = try #require(Day(utc: .now()))
            try await bench.reports.rates.ensure([today])
            try await bench.reports.rates.ensure([today])
            let first = calls.withLock { $0 }
            #expect(first == 1)
            try await bench.database.execute(aMinutePasses)
            try await bench.reports.rates.ensure([today])
            let second = calls.withLock { $0 }
            #expect(second == 2)
        }
    }

    @Test func aLedgerThatIsAwayIsNotTakenForADayWithoutRates() async throws {
        try await withBench(
            rates: { _ throws(APIError) in throw APIError(.unavailable) }
        ) { _, bench in
            let day = try #require(Day("2023-05-16"))
            await #expect(throws: APIError(.unavailable)) {
                try await bench.reports.rates.ensure([day])
            }
            let known = try await bench.database.query(RateStatements.known, [day])
            #expect(known.isEmpty)
        }
    }

    @Test(arguments: [
        // published, day, today, whether it stays
        ("2024-03-01", "2024-03-01", "2024-03-01", true),
        ("2024-03-01", "2024-03-03", "2024-03-04", false),
        ("2024-03-01", "2024-03-03", "2024-03-20", true),
        ("2024-03-01", "2024-03-15", "2024-05-01", false), (nil, "2024-03-15", "2024-03-16", false),
        (nil, "1995-03-15", "2024-03-16", true),
    ])
    func anAnswerIsKeptOnceItCannotChange(
        published: String?,
        day: String,
        today: String,
        stays: Bool
    ) throws {
        let day = try #require(Day(day))
        let today = try #require(Day(today))
        let isFinal = RateStore.isFinal(published.flatMap { Day($0) }, for: day, today: today)
        #expect(isFinal == stays)
    }
}
