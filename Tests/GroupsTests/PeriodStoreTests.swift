import Loops
import Postgres
import Schedules
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Periods that begin, on a real server.
@Suite struct PeriodStoreTests {
    private func day(_ number: Int) throws -> Day {
        try #require(Period.ever.start.adding(days: 740_000 + number))
    }

    private func crossings(_ group: ID<Group>, _ harness: Harness) async throws -> [Day] {
        let days = Statement(
            """
            select (payload ->> 'periodStart')::date
            from groups.outbox
            where type = $1 and aggregate = $2
            order by 1
            """
        ) { row in try row.value(0, as: Day.self) }
        return try await harness.database.query(
            days,
            GroupThresholdCrossed.eventType,
            "group:\(group.text)"
        )
    }

    /// Expenses come and go, dated before, now and ahead, while days pass: of each period one is
    /// told, when it is first above the limit while it runs.
    @Test func eachPeriodIsToldOfAsAModelSays() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            for _ in 0..<6 { try await run(&random, "seed \(seed)", harness) }
        }
    }

    private func run(
        _ random: inout SeededGenerator,
        _ place: Comment,
        _ harness: Harness
    ) async throws {
        let group = try await harness.makeGroup(of: 1)
        let user = group.users[0]
        let every = Int.random(in: 1...5, using: &random)
        let first = Int.random(in: 0...4, using: &random)
        let limit: Int64 = 10
        var today = 2
        _ = try await harness.database.transaction { transaction in
            try await harness.parts.thresholds.make(
                NewThreshold(
                    amount: Money(minorUnits: limit, .eur),
                    period: ThresholdPeriod(every: every, unit: .day, from: try day(first))
                ),
                for: group.id,
                by: user,
                today: try day(today),
                in: transaction
            )
        }
        // Periods by their number; below zero, none.
        func period(_ day: Int) -> Int { day < first ? -1 : (day - first) / every }
        var expenses: [(id: ID<Expense>, period: Int, amount: Int64)] = []
        var told: Set<Int> = []
        func spent(_ period: Int) -> Int64 {
            expenses.reduce(0) { $0 + ($1.period == period ? $1.amount : 0) }
        }
        for _ in 0..<40 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let dated = max(0, today + Int.random(in: -3...9, using: &random))
                let amount = Int64.random(in: 1...12, using: &random)
                let made = try await harness.database.transaction { transaction in
                    try await harness.parts.expenses.add(
                        NewExpense(
                            name: "Thing",
                            amount: Money(minorUnits: amount, .eur),
                            date: try day(dated)
                        ),
                        to: group.id,
                        by: user,
                        today: try day(today),
                        in: transaction
                    )
                }
                let (its, running) = (period(dated), period(today))
                let sum = spent(its)
                expenses.append((made.id, its, amount))
                if its == running, its >= 0, sum <= limit, sum + amount > limit {
                    told.insert(its)
                }
            case 5..<6 where !expenses.isEmpty:
                let gone = expenses.remove(at: Int.random(in: expenses.indices, using: &random))
                try await harness.database.transaction { transaction in
                    try await harness.parts.expenses.remove(
                        gone.id,
                        from: group.id,
                        by: user,
                        ifMatch: nil,
                        in: transaction
                    )
                }
            default:
                let ended = period(today)
                today += Int.random(in: 0...3, using: &random)
                _ = try await harness.parts.periods.announceBegun(at: try day(today).startUTC)
                let begun = period(today)
                if begun != ended, spent(begun) > limit { told.insert(begun) }
            }
            let all = try await crossings(group.id, harness)
            let expected = try told.sorted().map { try day(first + $0 * every) }
            #expect(all == expected, place)
        }
    }

    @Test func ofReplicasAtOnceOneTells() async throws {
        try await Harness.run { actor, harness in
            let group = try await harness.makeGroup(of: 2)
            let (today, next) = (try day(0), try day(7))
            for _ in 0..<5 {
                _ = try await harness.database.transaction { transaction in
                    try await harness.parts.thresholds.make(
                        NewThreshold(
                            amount: Money(minorUnits: 10, .eur),
                            period: ThresholdPeriod(unit: .week)
                        ),
                        for: group.id,
                        by: group.users[1],
                        today: today,
                        in: transaction
                    )
                }
            }
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(
                    NewExpense(name: "Rent", amount: Money(minorUnits: 11, .eur), date: next),
                    to: group.id,
                    by: group.users[0],
                    today: today,
                    in: transaction
                )
            }
            let bound = LoopBound(harness.parts.periods, to: actor)
            // Until all have been claimed: a group that is held is left for the next round.
            for _ in 0..<5 {
                let tasks = (0..<4).map { _ in
                    actor.spawn { actor in
                        do {
                            _ = try await bound.on(actor).announceBegun(at: next.startUTC)
                        } catch { Issue.record("\(error)") }
                    }
                }
                for task in tasks { await task.value }
            }
            let told = try await crossings(group.id, harness)
            #expect(told == Array(repeating: next, count: 5))
        }
    }

    /// West of where the period has begun already, the day before still is.
    @Test func anExpenseOfTheBegunPeriodCrossesItWhereverItIsWritten() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 1)
            let (today, next) = (try day(0), try day(7))
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.thresholds.make(
                    NewThreshold(
                        amount: Money(minorUnits: 10, .eur),
                        period: ThresholdPeriod(unit: .week)
                    ),
                    for: group.id,
                    by: group.users[0],
                    today: today,
                    in: transaction
                )
            }
            _ = try await harness.parts.periods.announceBegun(at: next.startUTC)
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(
                    NewExpense(name: "Rent", amount: Money(minorUnits: 11, .eur), date: next),
                    to: group.id,
                    by: group.users[0],
                    today: try day(6),
                    in: transaction
                )
            }
            let told = try await crossings(group.id, harness)
            #expect(told == [next])
        }
    }

    @Test func aPeriodBeginsWhereTheLimitWasSet() throws {
        let day = try #require(Day("2026-03-01"))
        #expect(day.start(in: "Asia/Tokyo") == Instant("2026-02-28T15:00:00Z"))
        #expect(day.start(in: "Nowhere/Else") == day.startUTC)
    }
}
