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
