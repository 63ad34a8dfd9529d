import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

@Suite struct ReportPeriodTests {
    /// What a day's interval is called, and nothing of how it is found.
    private func name(_ interval: ReportInterval, of day: Day) -> Int {
        let (year, month, _) = day.parts
        return switch interval {
        case .day: Int(day.daysSince1970)
        // The first of 1970 was a Thursday; far enough back, so that nothing is below zero.
        case .week: (Int(day.daysSince1970) + 3 + 700_000) / 7
        case .month: year * 12 + month
        case .quarter: year * 4 + (month - 1) / 3
        case .year: year
        }
    }

    private func someDay(_ chance: inout SeededGenerator) throws -> Day {
        try #require(Day(daysSince1970: Int.random(in: -25_000...80_000, using: &chance)))
    }

    @Test(arguments: ledgerSeeds)
    func everyDayOfAPeriodIsInOneIntervalInOrder(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let from = try someDay(&chance)
            let length = Int.random(in: 0...900, using: &chance)
            let to = try #require(from.adding(days: length))
            let interval = try #require(ReportInterval.allCases.randomElement(using: &chance))
            let period = ReportPeriod(from, to)
            let parts = try #require(interval.parts(of: period, most: 901))
            var wanted: [[Day]] = []
            for offset in 0...length {
                let day = try #require(from.adding(days: offset))
                if let last = wanted.last?.last, name(interval, of: last) == name(interval, of: day)
                {
                    wanted[wanted.count - 1].append(day)
                } else {
                    wanted.append([day])
                }
            }
            let found = parts.map { [$0.from, $0.to] }
            #expect(found == wanted.map { [$0[0], $0[$0.count - 1]] }, "seed \(seed), \(period)")
            #expect(interval.parts(of: period, most: parts.count - 1) == nil, "seed \(seed)")
        }
    }

    @Test(arguments: ledgerSeeds)
    func thePeriodBeforeEndsWhereThePeriodBeginsOrMonthsEarlier(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var from = try someDay(&chance)
            if Bool.random(using: &chance) { from = from.month.firstDay }
            var to = try #require(from.adding(days: Int.random(in: 0...400, using: &chance)))
            if Bool.random(using: &chance) { to = max(from, to.month.lastDay) }
            let period = ReportPeriod(from, to)
            let before = period.before
            let note: Comment = "seed \(seed), \(period)"
            #expect(before.to < from && before.from <= before.to, note)
            if from.parts.day == 1 {
                #expect(before.from.parts.day == 1, note)
                #expect((to == to.month.lastDay) <= (before.to == before.to.month.lastDay), note)
                let months = { (day: Day) in day.month.year * 12 + day.month.month }
                #expect(months(to) - months(from) == months(before.to) - months(before.from), note)
                #expect(months(before.to) + 1 == months(from), note)
            } else {
                #expect(before.to.adding(days: 1) == from, note)
                #expect(before.from.days(to: before.to) == from.days(to: to), note)
            }
        }
    }

    @Test func monthsStandBesideMonths() throws {
        func before(_ from: String, _ to: String) throws -> [String] {
            let period = ReportPeriod(try #require(Day(from)), try #require(Day(to)))
            return [period.before.from.text, period.before.to.text]
        }
        #expect(try before("2026-03-01", "2026-03-26") == ["2026-02-01", "2026-02-26"])
        #expect(try before("2026-03-01", "2026-03-30") == ["2026-02-01", "2026-02-28"])
        #expect(try before("2026-04-01", "2026-06-30") == ["2026-01-01", "2026-03-31"])
        #expect(try before("2026-02-01", "2026-02-28") == ["2026-01-01", "2026-01-31"])
        #expect(try before("2026-03-02", "2026-03-08") == ["2026-02-23", "2026-03-01"])
    }
}

/// Whether the one follows from the other.
private func <= (left: Bool, right: Bool) -> Bool { !left || right }
