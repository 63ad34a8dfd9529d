import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Limits with expenses in other currencies, on a real server, held against a plain recomputation.
@Suite struct ForeignExpenseTests {
    @Test func limitsAreToldOfAsARecomputationSays() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            for round in 0..<6 {
                try await run(&random, "seed \(seed), round \(round)", harness)
            }
        }
    }

    private func run(
        _ random: inout SeededGenerator,
        _ place: Comment,
        _ harness: Harness
    ) async throws {
        let group = try await harness.makeGroup(of: 2)
        var history = History(hand: Hand(harness: harness, group: group))
        for step in 0..<70 {
            try await history.go(&random)
            let (hand, model) = (history.hand, history.model)
            let told = try await hand.told()
            #expect(told.sorted() == model.events.sorted(), "\(place), step \(step)")
            let views = try await hand.views(model.today)
            for limit in model.limits {
                let view = try #require(views.first { $0.id == limit.id })
                let period = limit.period(model.today)
                let spent = model.spent(limit, in: period)
                #expect(view.spent.minorUnits == spent, "\(place), step \(step)")
                let open = model.open(limit, in: period)
                #expect(view.unconverted == open, "\(place), step \(step)")
            }
        }
    }

    /// What happens to a group, at random, and to the model of it.
    private struct History {
        let hand: Hand
        let rates = MovingRates()
        var model = LimitModel()

        mutating func go(_ random: inout SeededGenerator) async throws {
            try await walk(Bool.random(using: &random) ? 1 : 0)
            switch Int.random(in: 0..<16, using: &random) {
            case 0..<5: try await add(&random)
            case 5..<7: try await change(&random)
            case 7:
                guard let index = some(isRemoved: false, &random) else { return }
                try await hand.remove(model.entries[index].id)
                model.entries[index].isRemoved = true
            case 8:
                guard let index = some(isRemoved: true, &random) else { return }
                try await hand.restore(model.entries[index].id, model.today)
                model.put(index) { $0.isRemoved = false }
            case 9..<11: try await convert(&random)
            case 11:
                let days = Int.random(in: 0...3, using: &random)
                let today = try LimitModel.day(model.today + days)
                let periods = hand.harness.parts.periods
                _ = try await periods.announceBegun(at: today.startUTC)
                model.pass(days)
            case 12 where model.limits.count < 3: try await limit(&random)
            case 13..<15:
                guard let index = model.limits.indices.randomElement(using: &random) else { return }
                try await hand.removeLimit(model.limits[index].id)
                model.removeLimit(index)
            default: try await changeLimit(&random)
            }
        }

        private func some(isRemoved: Bool, _ random: inout SeededGenerator) -> Int? {
            model.entries.indices.filter { model.entries[$0].isRemoved == isRemoved }
                .randomElement(using: &random)
        }

        private mutating func add(_ random: inout SeededGenerator) async throws {
            let (body, day) = hand.expense(&random, model.today)
            let made = try await hand.add(body, model.today)
            model.entries.append(
                LimitModel.Entry(id: made.id, amount: body.amount, day: day, writtenOn: 0, order: 0)
            )
            model.put(model.entries.count - 1) { _ in }
        }

        private mutating func change(_ random: inout SeededGenerator) async throws {
            guard let index = some(isRemoved: false, &random) else { return }
            let (body, day) = hand.expense(&random, model.today)
            let isName = Bool.random(using: &random)
            try await hand.change(model.entries[index].id, isName ? nil : body, model.today)
            if isName { return }
            model.put(index) { ($0.amount, $0.day) = (body.amount, day) }
        }

        /// Steps of three expenses each.
        private func walk(_ steps: Int = .max) async throws {
            let (store, now) = (hand.store(rates), Instant.now().adding(seconds: 3_600))
            var rest = steps
            while rest > 0, try await store.walkSome(at: now, step: 3) > 0 { rest -= 1 }
        }

        private mutating func convert(_ random: inout SeededGenerator) async throws {
            try await walk()
            rates.round += 1
            rates.hasYen = Bool.random(using: &random)
            rates.isAway = Int.random(in: 0..<3, using: &random) == 0
            let store = hand.store(rates)
            let now = Instant.now().adding(seconds: Int64(rates.round) * 7_200)
            do {
                _ = try await store.convertSome(at: now)
                if !rates.isAway { model.convert(rates) }
            } catch let error as APIError where rates.isAway && error.code == .unavailable {}
        }

        private mutating func limit(_ random: inout SeededGenerator) async throws {
            let isEver = Bool.random(using: &random)
            let every = isEver ? nil : Int.random(in: 1...5, using: &random)
            let amount = Int64.random(in: 1...60, using: &random)
            let made = try await hand.limit(amount, every, model.today)
            model.order += 1
            model.limits.append(
                LimitModel.Limit(
                    id: made.id,
                    amount: Int128(amount),
                    every: every,
                    order: model.order
                )
            )
        }

        private mutating func changeLimit(_ random: inout SeededGenerator) async throws {
            guard let index = model.limits.indices.randomElement(using: &random) else { return }
            let amount = Int64.random(in: 1...60, using: &random)
            try await hand.change(model.limits[index].id, amount, model.today)
            model.order += 1
            model.limits[index].order = model.order
            model.limits[index].amount = Int128(amount)
            model.limits[index].told = model.limits[index].told.filter {
                $0.value > Int128(amount)
            }
        }
    }

    /// What members do.
    private struct Hand {
        let harness: Harness
        let group: TestGroup

        func expense(
            _ random: inout SeededGenerator,
            _ today: Int
        ) -> (body: NewExpense, day: Int) {
            let currency = [Currency.eur, .usd, .jpy].randomElement(using: &random) ?? .eur
            let day = max(0, today + Int.random(in: -3...6, using: &random))
            let body = NewExpense(
                name: "Thing",
                amount: Money(minorUnits: Int64.random(in: 1...20, using: &random), currency),
                date: LimitModel.start.adding(days: day)
            )
            return (body, day)
        }

        func store(_ rates: MovingRates) -> ForeignExpenseStore {
            ForeignExpenseStore(
                database: harness.database,
                effects: harness.parts.effects,
                rates: rates.ledger
            )
        }

        func add(_ body: NewExpense, _ today: Int) async throws -> ExpenseView {
            let day = try LimitModel.day(today)
            return try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(
                    body,
                    to: group.id,
                    by: group.users[0],
                    today: day,
                    in: transaction
                )
            }
        }

        func change(_ id: ID<Expense>, _ body: NewExpense?, _ today: Int) async throws {
            var change = ExpenseChange(name: .set("Other"))
            if let body {
                change = ExpenseChange(
                    amount: .set(body.amount),
                    date: body.date.map { .set($0) } ?? .unchanged
                )
            }
            let day = try LimitModel.day(today)
            _ = try await harness.database.transaction { [change] transaction in
                try await harness.parts.expenses.change(
                    id,
                    of: group.id,
                    change,
                    by: group.users[1],
                    today: day,
                    ifMatch: nil,
                    in: transaction
                )
            }
        }

        func remove(_ id: ID<Expense>) async throws {
            try await harness.database.transaction { transaction in
                try await harness.parts.expenses.remove(
                    id,
                    from: group.id,
                    by: group.users[0],
                    ifMatch: nil,
                    in: transaction
                )
            }
        }

        func restore(_ id: ID<Expense>, _ today: Int) async throws {
            let day = try LimitModel.day(today)
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.restore(
                    id,
                    of: group.id,
                    by: group.users[0],
                    today: day,
                    in: transaction
                )
            }
        }

        func limit(_ amount: Int64, _ every: Int?, _ today: Int) async throws -> ThresholdView {
            let day = try LimitModel.day(today)
            return try await harness.database.transaction { transaction in
                try await harness.parts.thresholds.make(
                    NewThreshold(
                        amount: Money(minorUnits: amount, .eur),
                        period: every.map {
                            ThresholdPeriod(every: $0, unit: .day, from: LimitModel.start)
                        }
                    ),
                    for: group.id,
                    by: group.users[0],
                    today: day,
                    in: transaction
                )
            }
        }

        func change(_ id: ID<Threshold>, _ amount: Int64, _ today: Int) async throws {
            let person = Person(
                id: group.users[1],
                username: "p",
                email: "p@example.org",
                isEmailVerified: true,
                displayName: "P",
                timeZone: "UTC",
                currency: .eur,
                language: "en"
            )
            _ = try await harness.parts.thresholds.change(
                id,
                of: group.id,
                ThresholdChange(amount: .set(Money(minorUnits: amount, .eur))),
                by: person,
                today: try LimitModel.day(today)
            )
        }

        func removeLimit(_ id: ID<Threshold>) async throws {
            try await harness.parts.thresholds.remove(id, from: group.id, by: group.users[1])
        }

        func views(_ today: Int) async throws -> [ThresholdView] {
            try await harness.parts.thresholds.list(
                PageQuery(),
                of: group.id,
                for: group.users[0],
                today: try LimitModel.day(today)
            ).items
        }

        /// Limit, period and what was spent, of each that was told.
        func told() async throws -> [String] {
            let events = Statement(
                """
                select payload::text
                from groups.outbox
                where type = $1 and aggregate = $2
                order by id
                """
            ) { row in
                try JSON.read(GroupThresholdCrossed.self, from: Array(try row.string(0).utf8))
            }
            return try await harness.database.query(
                events,
                GroupThresholdCrossed.eventType,
                group.id.aggregate
            ).map { event in
                let start = event.periodStart.map {
                    "\(LimitModel.start.days(to: $0))"
                }
                return "\(event.thresholdID.text) \(start ?? "ever") \(event.spent.minorUnits)"
            }
        }
    }

    @Test func ofReplicasThatConvertAtOnceOneTells() async throws {
        try await Harness.run { actor, harness in
            let group = try await harness.makeGroup(of: 2)
            let hand = Hand(harness: harness, group: group)
            _ = try await hand.limit(20, nil, 1)
            let body = NewExpense(
                name: "Thing",
                amount: Money(minorUnits: 20, .usd),
                date: LimitModel.start
            )
            for _ in 0..<5 { _ = try await hand.add(body, 1) }
            let rates = MovingRates()
            let store = hand.store(rates)
            let bound = LoopBound(store, to: actor)
            for _ in 0..<3 {
                let tasks = (0..<4).map { _ in
                    actor.spawn { actor in
                        do { _ = try await bound.on(actor).convertSome(at: .now()) } catch {
                            Issue.record("\(error)")
                        }
                    }
                }
                for task in tasks { await task.value }
            }
            let told = try await harness.told(GroupThresholdCrossed.eventType)
            let views = try await hand.views(1)
            let each = try #require(rates.converted(Total(body.amount), on: LimitModel.start))
            #expect(told == 1 && views.map(\.spent.minorUnits) == [5 * each])
        }
    }

    /// Of one currency nobody can be asked, and of one group nothing can be written: all others
    /// are converted, and at the next look the two are behind them.
    @Test func whatFailsHoldsUpNobodyElse() async throws {
        try await Harness.run { _, harness in
            func money(_ units: Int64, _ currency: Currency) -> Money {
                Money(minorUnits: units, currency)
            }
            var hands: [Hand] = []
            for amounts in [
                [money(1, .usd)], [money(2, .jpy), money(3, .usd)], [money(4, .gbp)],
                [money(5, .usd)],
            ] {
                let hand = Hand(harness: harness, group: try await harness.makeGroup(of: 2))
                _ = try await hand.limit(20, nil, 1)
                for amount in amounts {
                    let day = LimitModel.start
                    _ = try await hand.add(NewExpense(name: "x", amount: amount, date: day), 1)
                }
                hands.append(hand)
            }
            let ledger = RateLedger { amounts, days, target in
                if amounts.contains(where: { $0.currency == .jpy }) {
                    throw APIError(.unavailable)
                }
                return zip(amounts, days ?? []).map { amount, day in
                    // More than a row has room for, of the third group.
                    let sum = amount.currency == .gbp ? Int128.max : amount.minorUnits
                    return ConvertedAmount(
                        amount: Total(minorUnits: sum, target),
                        rate: RateView(
                            value: ExactDecimal(coefficient: 1, scale: 0),
                            source: "ECB",
                            day: day
                        )
                    )
                }
            }
            let store = ForeignExpenseStore(
                database: harness.database,
                effects: harness.parts.effects,
                rates: ledger
            )
            let now = Instant.now().adding(seconds: 60)
            while try await store.walkSome(at: now) > 0 {}
            await #expect(throws: (any Error).self) { _ = try await store.convertSome(at: now) }
            var spent: [Int128] = []
            for hand in hands { spent += try await hand.views(1).map(\.spent.minorUnits) }
            #expect(spent == [1, 3, 0, 5])
            #expect(try await store.convertSome(at: now) == 0)
            let later = now.adding(seconds: ForeignExpenseStore.failedSeconds)
            await #expect(throws: (any Error).self) { _ = try await store.convertSome(at: later) }
        }
    }

    /// A group that somebody is at waits, and nobody waits for it.
    @Test func aGroupInUseHoldsUpNobodyElse() async throws {
        try await Harness.run { actor, harness in
            let body = NewExpense(
                name: "Thing",
                amount: Money(minorUnits: 20, .usd),
                date: LimitModel.start
            )
            func begin() async throws -> Hand {
                let hand = Hand(harness: harness, group: try await harness.makeGroup(of: 2))
                _ = try await hand.add(body, 1)
                _ = try await hand.limit(20, nil, 1)
                _ = try await hand.add(body, 1)
                return hand
            }
            let (busy, free) = (try await begin(), try await begin())
            let rates = MovingRates()
            let store = busy.store(rates)
            let now = Instant.now().adding(seconds: 60)
            let each = try #require(rates.converted(Total(body.amount), on: LimitModel.start))
            let bound = LoopBound((store, free, busy), to: actor)
            try await harness.database.transaction { transaction in
                _ = try await transaction.queryOne(GroupStatements.lock, busy.group.id)
                // Whoever holds a lease waits for no other: somebody else looks.
                await actor.spawn { actor in
                    let (store, free, busy) = bound.on(actor)
                    do {
                        while try await store.walkSome(at: now) > 0 {}
                        while try await store.convertSome(at: now) > 0 {}
                        #expect(try await free.views(1).map(\.spent.minorUnits) == [2 * each])
                        let waiting = try await busy.views(1)
                        #expect(waiting.map(\.unconverted) == [[Total(minorUnits: 40, .usd)]])
                    } catch { Issue.record("\(error)") }
                }.value
            }
            let later = now.adding(seconds: ForeignExpenseStore.inUseSeconds)
            while try await store.walkSome(at: later) > 0 {}
            _ = try await store.convertSome(at: later)
            #expect(try await busy.views(1).map(\.spent.minorUnits) == [2 * each])
        }
    }

    /// Whoever sets or removes a limit writes none of what the group has spent.
    @Test func aLimitIsSetAndRemovedInOneRow() async throws {
        try await Harness.run { _, harness in
            let hand = Hand(harness: harness, group: try await harness.makeGroup(of: 2))
            let body = NewExpense(name: "Thing", amount: Money(minorUnits: 20, .usd))
            for _ in 0..<7 { _ = try await hand.add(body, 1) }
            let store = hand.store(MovingRates())
            let now = Instant.now().adding(seconds: 60)
            let count = Statement("select count(*) from groups.foreign_expense") { row in
                try row.int64(0)
            }
            func rows() async throws -> Int64? { try await harness.database.queryOne(count) }
            let limit = try await hand.limit(20, nil, 1)
            #expect(limit.unconverted == [Total(minorUnits: 140, .usd)])
            #expect(try await rows() == 0)
            for wanted in [3, 6, 7] as [Int64] {
                _ = try await store.walkSome(at: now, step: 3)
                #expect(try await rows() == wanted)
                let open = try await hand.views(1).map(\.unconverted)
                #expect(open == [[Total(minorUnits: 140, .usd)]])
            }
            #expect(try await store.walkSome(at: now) == 0)
            try await hand.removeLimit(limit.id)
            #expect(try await rows() == 7)
            let again = try await hand.limit(20, nil, 1)
            #expect(again.spent.isZero && again.unconverted == [Total(minorUnits: 140, .usd)])
            try await hand.removeLimit(again.id)
            while try await store.walkSome(at: now, step: 3) > 0 {}
            #expect(try await rows() == 0)
        }
    }
}
