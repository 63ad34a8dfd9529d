import Testing
import WalletProtocol

@testable import LedgerService

/// The days that a statement is of.
@Suite struct StatementDaysTests {
    @Test func daysAreThoseAskedFor() throws {
        let today = try #require(Day("2024-03-31"))
        let days = { (from: String?, to: String?) throws(APIError) in
            try GetStatement.days(
                StatementQuery(from: from.flatMap { Day($0) }, to: to.flatMap { Day($0) }),
                today: today
            )
        }
        #expect(try days(nil, nil) == (Day("2024-02-01"), Day("2024-02-29")))
        #expect(try days("2024-03-05", nil) == (Day("2024-03-05"), today))
        #expect(try days("2024-05-05", nil) == (Day("2024-05-05"), Day("2024-05-05")))
        #expect(try days(nil, "2024-01-15") == (Day("2024-01-01"), Day("2024-01-15")))
        #expect(try days("2024-01-15", "2024-01-15") == (Day("2024-01-15"), Day("2024-01-15")))
        #expect(throws: APIError.self) { try days("2024-01-16", "2024-01-15") }
    }
}

private func == (_ a: (from: Day, to: Day), _ b: (Day?, Day?)) -> Bool {
    a.from == b.0 && a.to == b.1
}
