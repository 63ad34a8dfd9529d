import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

@Suite struct PeriodTests {
    private func day(_ text: String) throws -> Day { try #require(Day(text)) }

    private func running(
        _ unit: PeriodUnit,
        _ every: Int,
        from first: String,
        on day: String
    ) throws -> Period? {
        .running(
            on: try self.day(day),
            ThresholdPeriod(every: every, unit: unit),
            from: try self.day(first)
        )
    }

    @Test(arguments: [
        ("month", 1, "2026-01-31", "2026-01-31", "2026-01-31", "2026-02-28"),
        ("month", 1, "2026-01-31", "2026-02-27", "2026-01-31", "2026-02-28"),
        ("month", 1, "2026-01-31", "2026-02-28", "2026-02-28", "2026-03-31"),
        ("month", 1, "2024-01-31", "2024-02-29", "2024-02-29", "2024-03-31"),
        ("month", 3, "2026-01-01", "2026-06-30", "2026-04-01", "2026-07-01"),
        ("year", 1, "2024-02-29", "2025-02-28", "2025-02-28", "2026-02-28"),
        ("year", 4, "2024-02-29", "2030-01-01", "2028-02-29", "2032-02-29"),
        ("week", 2, "2026-01-05", "2026-01-18", "2026-01-05", "2026-01-19"),
        ("day", 1, "2026-01-05", "2026-01-06", "2026-01-06", "2026-01-07"),
    ])
    func aPeriodBeginsAgainAndKeepsMonthEnds(
        row: (unit: String, every: Int, from: String, on: String, start: String, end: String)
    ) throws {
        let unit = try #require(PeriodUnit(rawValue: row.unit))
        let period = try running(unit, row.every, from: row.from, on: row.on)
        let expected = Period(start: try day(row.start), end: try day(row.end))
        #expect(period == expected)
    }

    @Test func periodsFollowEachOtherWithoutGaps() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<500 {
            let place: Comment = "seed \(seed), round \(round)"
            let rule = ThresholdPeriod(
                every: Int.random(in: 1...14, using: &random),
                unit: PeriodUnit.allCases.randomElement(using: &random) ?? .day
            )
            let days = Int.random(in: -400_000...400_000, using: &random)
            let first = try #require(Day(daysSince1970: days))
            let later = Int.random(in: 0...20_000, using: &random)
            let on = try #require(first.adding(days: later))
            let period = try #require(Period.running(on: on, rule, from: first))
            #expect(period.contains(on), place)
            let end = try #require(period.end)
            let next = try #require(Period.running(on: end, rule, from: first))
            #expect(next.start == end, place)
            let before = try #require(end.adding(days: -1))
            let same = try #require(Period.running(on: before, rule, from: first))
            #expect(same == period, place)
        }
    }

    @Test func beforeItsFirstDayNoneRunsAndAtTheCalendarsEndOneStaysOpen() throws {
        let before = try running(.month, 1, from: "2026-02-01", on: "2026-01-31")
        #expect(before == nil)
        let last = try running(.year, 1, from: "2026-01-01", on: "9999-12-31")
        let start = try day("9999-01-01")
        #expect(last == Period(start: start, end: nil))
    }
}
