import Postgres
import Synchronization
import Testing
import WalletProtocol

@testable import AnalyticsService

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
}
