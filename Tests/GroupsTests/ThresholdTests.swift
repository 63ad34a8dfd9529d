import Loops
import Postgres
import Testing
import WalletProtocol

@testable import GroupsService

/// Limits on a real server.
@Suite struct ThresholdTests {
    private func expense(
        _ units: Int64,
        _ currency: Currency = .eur,
        _ day: Day? = nil
    )
        -> NewExpense
    { NewExpense(name: "Thing", amount: Money(minorUnits: units, currency), date: day) }

    @Test func ofConcurrentExpensesOneCrosses() async throws {
        try await Harness.run { actor, harness in
            let group = try await harness.makeGroup(of: 4)
            let today = Period.ever.start
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.thresholds.make(
                    NewThreshold(amount: Money(minorUnits: 1_000, .eur)),
                    for: group.id,
                    by: group.users[1],
                    today: today,
                    in: transaction
                )
            }
            let bound = LoopBound(harness, to: actor)
            let body = expense(100)
            let tasks = (0..<24).map { number in
                actor.spawn { actor in
                    do {
                        let harness = bound.on(actor)
                        _ = try await harness.database.transaction { transaction in
                            try await harness.parts.expenses.add(
                                body,
                                to: group.id,
                                by: group.users[number % 4],
                                today: today,
                                in: transaction
                            )
                        }
                    } catch { Issue.record("\(error)") }
                }
            }
            for task in tasks { await task.value }
            let crossed = try await harness.told(GroupThresholdCrossed.eventType)
            #expect(crossed == 1)
            let payload = Statement(
                """
                select payload::text
                from groups.outbox
                where type = $1
                limit 1
                """
            ) { row in try row.string(0) }
            let text = try await harness.database.queryOne(
                payload,
                GroupThresholdCrossed.eventType
            )
            let event = try JSON.read(
                GroupThresholdCrossed.self,
                from: Array((text ?? "").utf8)
            )
            #expect(event.spent.minorUnits == 1_100 && Set(event.userIDs) == Set(group.users))
            let list = try await harness.parts.thresholds.list(
                PageQuery(),
                of: group.id,
                for: group.users[0],
                today: today
            )
            #expect(list.items.map(\.spent.minorUnits) == [2_400])
            #expect(list.items.map(\.isCrossed) == [true])
        }
    }

    @Test func aPeriodCountsItsOwnDaysInTheGroupsCurrencyAndTellsOnce() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let january = try #require(Day("2026-01-31"))
            let february = try #require(Day("2026-02-28"))
            let (stores, user) = (harness.parts, group.users[0])
            let made = try await harness.database.transaction { transaction in
                try await stores.thresholds.make(
                    NewThreshold(
                        amount: Money(minorUnits: 100, .eur),
                        period: ThresholdPeriod(unit: .month)
                    ),
                    for: group.id,
                    by: user,
                    today: january,
                    in: transaction
                )
            }
            #expect(made.period?.from == january && made.resetsAt == february)
            func add(_ body: NewExpense, _ today: Day) async throws -> ExpenseView {
                try await harness.database.transaction { transaction in
                    try await stores.expenses.add(
                        body,
                        to: group.id,
                        by: user,
                        today: today,
                        in: transaction
                    )
                }
            }
            // Another currency, another period, exactly the limit: none of them crosses.
            _ = try await add(expense(500, .usd), january)
            _ = try await add(expense(500, .eur, february), january)
            _ = try await add(expense(100), january)
            let none = try await harness.told(GroupThresholdCrossed.eventType)
            #expect(none == 0)
            let crossing = try await add(expense(1), january)
            _ = try await add(expense(1), january)
            // Below it again, and above it again: told already.
            try await harness.database.transaction { transaction in
                try await stores.expenses.remove(
                    crossing.id,
                    from: group.id,
                    by: user,
                    ifMatch: nil,
                    in: transaction
                )
            }
            _ = try await add(expense(500), january)
            let once = try await harness.told(GroupThresholdCrossed.eventType)
            #expect(once == 1)
            // The next period has 5.00 of its own: told when it begins, once, and not by what
            // comes after.
            let eve = try #require(Instant("2026-02-27T23:59:59.999Z"))
            _ = try await stores.periods.announceBegun(at: eve)
            let early = try await harness.told(GroupThresholdCrossed.eventType)
            #expect(early == 1)
            for _ in 0..<2 { _ = try await stores.periods.announceBegun(at: february.startUTC) }
            _ = try await add(expense(1), february)
            let twice = try await harness.told(GroupThresholdCrossed.eventType)
            #expect(twice == 2)
            let march = try #require(Instant("2026-03-31T00:00:00Z"))
            _ = try await stores.periods.announceBegun(at: march)
            let still = try await harness.told(GroupThresholdCrossed.eventType)
            #expect(still == 2)
        }
    }

    @Test func moneyThatCameBackLowersWhatALimitCounts() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let today = try #require(Day("2026-01-31"))
            let (stores, user) = (harness.parts, group.users[0])
            func limit(_ units: Int64) async throws {
                _ = try await harness.database.transaction { transaction in
                    try await stores.thresholds.make(
                        NewThreshold(amount: Money(minorUnits: units, .eur)),
                        for: group.id,
                        by: user,
                        today: today,
                        in: transaction
                    )
                }
            }
            func add(_ units: Int64) async throws -> ID<Expense> {
                let body = expense(units)
                return try await harness.database.transaction { transaction in
                    try await stores.expenses.add(
                        body,
                        to: group.id,
                        by: user,
                        today: today,
                        in: transaction
                    )
                }.id
            }
            func told() async throws -> Int64 {
                try await harness.told(GroupThresholdCrossed.eventType)
            }
            try await limit(1_000)
            _ = try await add(1_100)
            _ = try await add(-500)
            // Above it again, in the same period.
            _ = try await add(600)
            let once = try await told()
            #expect(once == 1)
            // 1,200 are spent; of another limit the refund keeps the group below.
            try await limit(1_500)
            let refund = try await add(-400)
            _ = try await add(1_000)
            let crossed = try await told()
            #expect(crossed == 2)
            try await limit(2_000)
            // 1,800 are spent, and 2,200 without the refund.
            try await harness.database.transaction { transaction in
                try await stores.expenses.remove(
                    refund,
                    from: group.id,
                    by: user,
                    ifMatch: nil,
                    in: transaction
                )
            }
            let removed = try await told()
            #expect(removed == 3)
        }
    }

    @Test func aLimitIsInTheGroupsCurrency() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 1)
            do {
                _ = try await harness.database.transaction { transaction in
                    try await harness.parts.thresholds.make(
                        NewThreshold(amount: Money(minorUnits: 1, .usd)),
                        for: group.id,
                        by: group.users[0],
                        today: Period.ever.start,
                        in: transaction
                    )
                }
                Issue.record("made")
            } catch let error as APIError {
                #expect(error.errors.map(\.code) == [.currencyMismatch])
            }
        }
    }
}
