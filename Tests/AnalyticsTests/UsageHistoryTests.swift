import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

private let kept = Statement(
    """
    select (select count(*) from analytics.active_month where user_id = any ($1))
        + (select count(*) from analytics.first_step where user_id = any ($1))
        + (select count(*) from analytics.file_use where user_id = any ($1))
        + (select count(*) from analytics.person where user_id = any ($1))
        + (select count(*) from analytics.insight_person where user_id = any ($1))
    """
) { row in try row.int64(0) }

/// A random stream of events against a real database, and the same counted anew beside it.
@Suite struct UsageHistoryTests {
    private static let groupings: [[UsageDimension]] = [
        [], [.area], [.area, .ageBand, .language],
    ]

    private func answers(_ bench: Bench) async throws -> [UsageInsights] {
        var answers: [UsageInsights] = []
        for measure in UsageMeasure.allCases {
            let isFiles = measure == .imports || measure == .exports
            for groupBy in Self.groupings + (isFiles ? [[.kind], [.kind, .area]] : []) {
                let query = UsageQuery(
                    measure: measure.rawValue,
                    from: UsageHistory.months[0].firstDay,
                    to: UsageHistory.months[3].lastDay,
                    groupBy: groupBy
                )
                answers.append(try await bench.usage.insights(query, by: .new()))
            }
        }
        return answers
    }

    /// - Returns: how many cells are told.
    private func compare(
        _ answers: [UsageInsights],
        with history: UsageHistory,
        _ seed: UInt64
    ) -> Int {
        var toldCount = 0
        for answer in answers {
            for cell in answer.cells where !cell.isSuppressed {
                let place = "seed \(seed): \(answer.measure) \(cell)"
                guard let model = history.figures(of: cell, answer.measure) else {
                    Issue.record("\(place) is of nobody")
                    continue
                }
                toldCount += 1
                let days = Int64(cell.figuresMonth.dayCount)
                #expect(cell.users == Int(model.users), "\(place)")
                #expect(model.users >= Bench.usersMin, "\(place)")
                if let daily = cell.daily {
                    #expect(daily == UsageTable.tenths(model.days * 10, over: days), "\(place)")
                }
                if let weekly = cell.weekly {
                    let mean = UsageTable.tenths(model.weekDays * 10, over: days)
                    #expect(weekly == mean, "\(place)")
                }
                if let count = cell.count { #expect(count == Int(model.times), "\(place)") }
                if let all = cell.of, let users = cell.users {
                    #expect(!(1..<Bench.usersMin).contains(all - users), "\(place)")
                }
            }
        }
        return toldCount
    }

    @Test func everyFigureIsTheModelsWhateverComesTwiceLateOrIsErased() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await withBench { _, bench in
            var random = SeededGenerator(seed: seed)
            let history = UsageHistory(count: 110, using: &random)
            var before: [UsageInsights] = []
            for release in 0..<2 {
                let events = history.events(before: release, using: &random)
                for batch in stride(from: 0, to: events.count, by: 50) {
                    try await bench.apply(Array(events[batch..<min(batch + 50, events.count)]))
                }
                try await bench.release(at: UsageHistory.releases[release].startUTC)
                let answers = try await self.answers(bench)
                let told = self.compare(answers, with: history, seed)
                #expect(told > 8 * (release + 1), "seed \(seed): \(told) cells")
                // What was told stays, whoever is erased and whatever comes late.
                for (old, new) in zip(before, answers) {
                    let stays = old.cells.filter { !$0.isSuppressed }
                        .allSatisfy(new.cells.contains)
                    #expect(stays, "seed \(seed): \(old.measure)")
                }
                before = answers
            }
            let gone = history.people.filter { $0.erasedBefore != nil }.map(\.id)
            let rows = try await bench.database.queryOne(kept, gone)
            #expect(rows == 0, "seed \(seed)")
        }
    }
}
