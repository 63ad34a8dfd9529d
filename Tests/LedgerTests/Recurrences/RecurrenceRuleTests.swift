import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Occurrences against a calendar that counts one day after the other.
@Suite struct RecurrenceRuleTests {
    /// A calendar of its own: how many days a month has, told as a child learns it.
    private func dayCount(_ year: Int, _ month: Int) -> Int {
        let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private func day(_ text: String) throws -> Day { try #require(Day(text)) }

    private func days(
        _ every: Int,
        _ unit: RecurrenceUnit,
        from anchor: String,
        _ count: Int,
        until: String? = nil
    ) throws -> [String] {
        let rule = RecurrenceRule(every: every, unit: unit, until: try until.map(day))
        let first = try day(anchor)
        return (1...count).compactMap { rule.day($0, from: first)?.text }
    }

    @Test func monthEndsAreKept() throws {
        let ends = try days(1, .month, from: "2026-01-31", 4)
        #expect(ends == ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"])
        let leap = try days(1, .year, from: "2024-02-29", 5)
        #expect(leap == ["2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29", "2029-02-28"])
        let quarters = try days(3, .month, from: "2023-11-30", 3)
        #expect(quarters == ["2024-02-29", "2024-05-30", "2024-08-30"])
    }

    @Test func theEndIsTheLastDay() throws {
        let weekly = try days(2, .week, from: "2026-01-01", 9, until: "2026-02-12")
        #expect(weekly == ["2026-01-15", "2026-01-29", "2026-02-12"])
        #expect(try days(1, .day, from: "2026-01-01", 9, until: "2026-01-01").isEmpty)
    }

    @Test func whatIsBeyondTheCalendarEndsIt() throws {
        let rule = RecurrenceRule(every: 1_000, unit: .year)
        let first = try day("9000-01-01")
        #expect(rule.day(1, from: first) == nil)
        #expect(rule.day(.max, from: first) == nil)
        #expect(rule.number(after: try day("9999-12-31"), from: first) == 1)
    }

    /// Every day of nine years, a century's end and a leap century among them, as an anchor.
    @Test(arguments: [1896, 1996, 2022, 2096])
    func everyAnchorKeepsItsDayOrTheLastOfTheMonth(from year: Int) throws {
        for start in [1, 2, 3, 12, 13] {
            let rule = RecurrenceRule(every: start, unit: start > 11 ? .year : .month)
            let step = start > 11 ? start * 12 : start
            var anchor = try day("\(year)-01-01")
            while anchor.parts.year < year + 9 {
                let parts = anchor.parts
                var (y, m) = (parts.year, parts.month)
                for number in 1...14 {
                    m += step
                    while m > 12 { (y, m) = (y + 1, m - 12) }
                    let wanted = Day(year: y, month: m, day: min(parts.day, dayCount(y, m)))
                    #expect(rule.day(number, from: anchor) == wanted, "\(anchor) \(number)")
                }
                anchor = try #require(anchor.adding(days: 1))
            }
        }
    }

    /// The first behind a day, against looking through all of them.
    @Test(arguments: ledgerSeeds)
    func theFirstBehindADayIsTheFirst(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            let unit = try #require(RecurrenceUnit.allCases.randomElement(using: &random))
            let every = Int.random(in: 1...(unit == .day ? 40 : 5), using: &random)
            let rule = RecurrenceRule(every: every, unit: unit)
            let anchor = try #require(
                Day(daysSince1970: Int.random(in: 0...40_000, using: &random))
            )
            let day = try #require(anchor.adding(days: Int.random(in: -40...900, using: &random)))
            var wanted = 1
            while let next = rule.day(wanted, from: anchor), next <= day { wanted += 1 }
            let found = rule.number(after: day, from: anchor)
            #expect(found == wanted, "seed \(seed): \(anchor) \(every) \(unit) \(day)")
        }
    }
}
