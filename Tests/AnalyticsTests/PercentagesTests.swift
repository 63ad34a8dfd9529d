import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

@Suite struct PercentagesTests {
    @Test func theyAddToAHundred() throws {
        for seed in (0..<200).map({ _ in UInt64.random(in: 0...UInt64.max) }) { try add(seed) }
    }

    private func add(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            Int128.random(
                in: 0...(Bool.random(using: &random) ? 10 : Int128.max / 64_000),
                using: &random
            )
        }
        let tenths = try Percentages.of(parts).map { percent in
            percent.scale == 0 ? percent.coefficient * 10 : percent.coefficient
        }
        let total = parts.reduce(0, +)
        #expect(tenths.reduce(0, +) == (total == 0 ? 0 : 1_000), "seed \(seed)")
        for (part, tenth) in zip(parts, tenths) where total > 0 {
            let off = abs(part * 1_000 - Int128(tenth) * total)
            #expect(off < total, "seed \(seed)")
        }
    }

    @Test func partsOfAPartAddToIt() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let parts = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                Int128.random(in: 0...1_000, using: &random)
            }
            let tenths = Int64.random(in: 0...1_000, using: &random)
            let sum = try Percentages.of(parts, within: tenths).reduce(0) { sum, percent in
                sum + (percent.scale == 0 ? percent.coefficient * 10 : percent.coefficient)
            }
            #expect(sum == (parts.allSatisfy { $0 == 0 } ? 0 : tenths), "seed \(seed)")
        }
    }

    @Test func aWholeThatIsTooLargeIsAnError() {
        #expect(throws: MoneyError.overflow) { try Percentages.of([.max / 1_000, 1_000]) }
        #expect(throws: MoneyError.overflow) { try Percentages.of([.max, .max]) }
    }

    @Test func thirdsAreAsNearAsTheyCanBe() throws {
        let texts = try Percentages.of([1, 1, 1]).map(\.text)
        #expect(texts == ["33.4", "33.3", "33.3"])
    }
}

@Suite struct PeriodTests {
    private func day(_ text: String) throws -> Day { try #require(Day(text)) }

    @Test func aReportIsOfTheMonthUpToToday() throws {
        let period = try Period.ofReport(from: nil, to: nil, today: day("2024-02-29"))
        #expect(period.from.text == "2024-02-01" && period.to.text == "2024-02-29")
        let until = try Period.ofReport(from: nil, to: day("2023-05-17"), today: day("2024-02-29"))
        #expect(until.from.text == "2023-05-01" && until.to.text == "2023-05-17")
    }

    @Test(arguments: [
        ("2024-03-01", "2024-03-31", "2024-02-01", "2024-02-29"),
        ("2024-03-01", "2024-03-15", "2024-02-01", "2024-02-15"),
        ("2023-03-01", "2023-03-30", "2023-02-01", "2023-02-28"),
        ("2024-01-01", "2024-12-31", "2023-01-01", "2023-12-31"),
        ("2024-02-01", "2024-02-29", "2024-01-01", "2024-01-31"),
        ("2024-03-02", "2024-03-08", "2024-02-24", "2024-03-01"),
        ("2024-03-01", "2024-04-10", "2024-01-20", "2024-02-29"),
        ("0001-01-01", "0001-01-31", nil, nil),
        ("0001-01-02", "9999-12-31", nil, nil),
    ])
    func thePeriodBeforeIsOfTheSameKind(
        from: String,
        to: String,
        start: String?,
        end: String?
    ) throws {
        let before = Period(try day(from), through: try day(to)).previous
        #expect(before?.from.text == start && before?.to.text == end)
    }

    @Test func cellsOfEachDayAreReadOnce() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let from = try #require(
                Day(daysSince1970: 19_000 + Int.random(in: 0..<800, using: &random))
            )
            let length = Int.random(in: 0..<Int.random(in: 1...800, using: &random), using: &random)
            let to = try #require(from.adding(days: length))
            let period = Period(from, through: to)
            let interval = ReportInterval.allCases.randomElement(using: &random)
            let stretches = Stretches(period, by: interval)
            var read = stretches.days
            if let months = stretches.months {
                let (first, last) = (months.lowerBound, months.upperBound)
                read.append(Period(first.firstDay, through: last.lastDay))
            }
            let days = try read.flatMap { part in
                #expect(part.from <= part.to, "seed \(seed): \(period)")
                return try (0...max(part.from.days(to: part.to), 0)).map {
                    try #require(part.from.adding(days: $0))
                }
            }.sorted()
            let wanted = try (0...length).map { try #require(from.adding(days: $0)) }
            #expect(days == wanted, "seed \(seed): \(period) by \(String(describing: interval))")
        }
    }

    @Test func aReportOverTimeHasAnEndOfPoints() throws {
        let first = try day("2000-01-01")
        let most = Period(first, through: try #require(first.adding(days: Reports.pointsMax - 1)))
        #expect(try Buckets(of: most, by: .day).periods.count == Reports.pointsMax)
        let more = Period(first, through: try #require(first.adding(days: Reports.pointsMax)))
        #expect(throws: APIError.self) { try Buckets(of: more, by: .day) }
        let calendar = Period(try day("0001-01-01"), through: try day("9999-12-31"))
        for interval in ReportInterval.allCases {
            #expect(throws: APIError.self) { try Buckets(of: calendar, by: interval) }
        }
        let end = Period(try day("9990-02-03"), through: try day("9999-12-31"))
        let years = try Buckets(of: end, by: .year).periods
        #expect(years.count == 10 && years.last?.to == end.to && years[1].from.text == "9991-01-01")
    }

    @Test func anInsightIsOfTheLastMonth() throws {
        let period = try Period.ofInsight(from: nil, to: nil, today: day("2024-01-05"))
        #expect(period.from.text == "2023-12-01" && period.to.text == "2023-12-31")
        let since = try Period.ofInsight(from: day("2024-01-02"), to: nil, today: day("2024-01-05"))
        #expect(since.from.text == "2024-01-01" && since.to.text == "2024-01-31")
        let until = try Period.ofInsight(from: nil, to: day("2023-05-17"), today: day("2024-01-05"))
        #expect(until.from.text == "2023-05-01" && until.to.text == "2023-05-31")
        let months = try Period.ofInsight(
            from: day("2023-12-31"),
            to: day("2024-02-01"),
            today: day("2024-01-05")
        )
        #expect(months.from.text == "2023-12-01" && months.to.text == "2024-02-29")
        #expect(months.months.map(\.text) == ["2023-12", "2024-01", "2024-02"])
    }

    @Test func aPeriodThatEndsBeforeItBeginsIsRefused() throws {
        let (first, last) = (try day("2024-01-02"), try day("2024-01-01"))
        #expect(throws: APIError.self) {
            _ = try Period.ofReport(from: first, to: last, today: last)
        }
        #expect(throws: APIError.self) {
            _ = try Period.ofInsight(from: first, to: last, today: last)
        }
    }

    @Test func todayIsThatOfTheTimeZone() throws {
        let instant = try #require(Instant("2024-01-31T23:30:00Z"))
        let rome = Period.today(at: instant, in: "Europe/Rome")
        let nowhere = Period.today(at: instant, in: "Nowhere/At/All")
        #expect(rome.text == "2024-02-01" && nowhere.text == "2024-01-31")
    }
}
