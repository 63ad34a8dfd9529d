import Loops
import Postgres
import Schedules
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// The worker that pays standing orders, on a real database, with a clock that the test moves.
@Suite struct StandingOrderWorkTests {
    private func day(_ text: String) throws -> Day { try #require(Day(text)) }
    private func moment(_ text: String) throws -> Instant { try #require(Instant(text)) }

    private func worker(_ books: Books, at moment: Instant) -> StandingOrderWork {
        StandingOrderWork(
            database: books.service,
            rates: { try RateStore.shared.history() },
            relayBell: RelayBell(),
            now: { moment }
        )
    }

    /// Pays everything that is due at a moment.
    private func work(_ books: Books, at moment: Instant) async throws {
        while try await worker(books, at: moment).doOne() {}
    }

    @Test func itIsPaidAsItsDayBeginsWhereTheOwnerIs() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person(in: "Pacific/Auckland")
            let bob = try await books.person()
            let adas = try await books.account(of: ada, holding: 10_000)
            let bobs = try await books.account(of: bob)
            let order = try await books.order(
                RecurrenceRule(every: 1, unit: .month),
                from: try day("2026-02-28"),
                from: adas,
                to: bobs,
                of: ada,
                2_500
            )
            // The 28th begins in Auckland at 11:00 UTC of the 27th.
            try await work(books, at: try moment("2026-02-27T10:59:59.999999Z"))
            #expect(try await books.balance(bobs) == 0)
            try await work(books, at: try moment("2026-02-27T11:00:00Z"))
            #expect(try await books.executions(of: order) == ["2026-02-28 paid"])
            #expect(try await books.balance(bobs) == 2_500)
            // Days of downtime are made up for, and booked when they are.
            try await work(books, at: try moment("2026-05-15T00:00:00Z"))
            #expect(
                try await books.executions(of: order) == [
                    "2026-02-28 paid", "2026-03-28 paid", "2026-04-28 paid",
                ]
            )
            #expect(
                try await books.owner.query(booked, bobs) == [
                    "2026-02-28", "2026-05-15", "2026-05-15",
                ]
            )
            #expect(try await books.count(skips) == 0)
            try await books.check()
        }
    }

    @Test func whatIsShortIsSkippedOnceAndTheNextDayComesAsEver() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, holding: 250)
            let wallet = try await books.account(of: ada, .wallet)
            let order = try await books.order(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                from: account,
                to: wallet,
                of: ada,
                100
            )
            for text in ["2026-06-01T00:00:00Z", "2026-06-02T00:00:00Z", "2026-06-03T00:00:00Z"] {
                try await work(books, at: try moment(text))
            }
            // Money that comes later on the day is for the next.
            _ = try await books.service.post([.record(1_000, on: account, by: ada)])
            try await work(books, at: try moment("2026-06-03T20:00:00Z"))
            #expect(
                try await books.executions(of: order) == [
                    "2026-06-01 paid", "2026-06-02 paid", "2026-06-03 skipped insufficient-funds",
                ]
            )
            try await work(books, at: try moment("2026-06-04T00:00:00Z"))
            #expect(try await books.executions(of: order).last == "2026-06-04 paid")
            #expect(try await books.balance(account) == 950)
            #expect(try await books.count(skips) == 1)
            try await books.check()
        }
    }

    @Test(arguments: [true, false])
    func aClosedAccountPausesItAndTellsOnce(isPayer: Bool) async throws {
        try await LedgerRig().run { _, books in
            let (ada, bob) = (try await books.person(), try await books.person())
            let adas = try await books.account(of: ada, holding: 1_000)
            let bobs = try await books.account(of: bob)
            let order = try await books.order(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                from: adas,
                to: bobs,
                of: ada,
                100
            )
            try await books.owner.execute(close, isPayer ? adas : bobs)
            try await work(books, at: try moment("2026-06-09T00:00:00Z"))
            #expect(
                try await books.executions(of: order) == ["2026-06-01 skipped account-closed"]
            )
            let found = try await books.service.queryOne(StandingOrderStatements.find, ada, order)
            #expect(found?.order.isActive == false && found?.order.version == 2)
            #expect(found?.last?.reason == "account-closed")
            #expect(try await books.count(skips) == 1)
            #expect(try await books.count(pausing) == 1)
        }
    }

    /// Of whom nothing is left but an account that is closed.
    @Test(arguments: [Currency.eur, .usd])
    func aPayeeWhoIsErasedPausesIt(target: Currency) async throws {
        try await LedgerRig().run { _, books in
            let (ada, bob) = (try await books.person(), try await books.person())
            let adas = try await books.account(of: ada, holding: 1_000)
            let bobs = try await books.account(of: bob, .current, target)
            let order = try await books.order(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                from: adas,
                to: bobs,
                target: target,
                of: ada,
                100
            )
            let mine = try await books.order(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                from: bobs,
                to: adas,
                of: bob,
                100
            )
            let eraser = PersonEraser(database: books.service)
            try await eraser.agree(to: .new(), of: bob)
            try await eraser.erase(
                ErasureOrder(userID: bob, erasedAt: .now(), lastSequence: 0)
            )
            try await work(books, at: try moment("2026-06-09T00:00:00Z"))
            #expect(
                try await books.executions(of: order) == ["2026-06-01 skipped account-closed"]
            )
            let found = try await books.service.queryOne(StandingOrderStatements.find, ada, order)
            #expect(found?.view.isPaused == true)
            #expect(found?.view.payee == nil && found?.view.toIBAN == nil)
            #expect(
                try await books.service.queryOne(StandingOrderStatements.find, bob, mine) == nil
            )
            #expect(try await books.count(pausing) == 1)
        }
    }

    @Test func whoMovesEastPaysEarlierAndNoDayTwice() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person(in: "Pacific/Honolulu")
            let account = try await books.account(of: ada, holding: 1_000)
            let order = try await books.order(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-02"),
                from: account,
                to: try await books.account(of: ada, .wallet),
                of: ada,
                100
            )
            let noon = try moment("2026-06-01T15:00:00Z")
            try await work(books, at: noon)
            #expect(try await books.executions(of: order) == [])
            for zone in ["Asia/Tokyo", "Pacific/Honolulu"] {
                let lookAgain = StandingOrderStatements.lookAgain
                try await books.service.execute(lookAgain, ada, zone, noon)
                try await books.owner.execute(moveTo, ada, zone)
                try await work(books, at: noon)
                #expect(try await books.executions(of: order) == ["2026-06-02 paid"])
            }
            try await work(books, at: try moment("2026-06-02T12:00:00Z"))
            #expect(try await books.executions(of: order) == ["2026-06-02 paid"])
            try await work(books, at: try moment("2026-06-03T10:00:00Z"))
            #expect(
                try await books.executions(of: order) == ["2026-06-02 paid", "2026-06-03 paid"]
            )
        }
    }

    /// By a rate of its own each time; nobody gets more than the rate.
    @Test func betweenTwoCurrenciesEachIsConverted() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let euros = try await books.account(of: ada, holding: 100_000)
            let dollars = try await books.account(of: ada, .current, .usd)
            let order = try await books.order(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                from: euros,
                to: dollars,
                target: .usd,
                of: ada,
                10_000
            )
            try await work(books, at: try moment("2026-06-02T00:00:00Z"))
            #expect(
                try await books.executions(of: order) == ["2026-06-01 paid", "2026-06-02 paid"]
            )
            let rate = try RateStore.shared.history()
                .required(from: .eur, to: .usd, on: .utc(.now()))
            #expect(try await books.balance(euros) == 80_000)
            #expect(try await books.balance(dollars) == 2 * (try rate.credit(for: 10_000)))
            #expect(try await books.count(quotesUsed) == 2)
            try await books.check()
        }
    }

    /// Whatever has been done to the order: the key of the day's posting stands.
    @Test func anOrderThatGoesBackInTimePaysNothingTwice() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, holding: 1_000)
            let wallet = try await books.account(of: ada, .wallet)
            let order = try await books.order(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                from: account,
                to: wallet,
                of: ada,
                100
            )
            let now = try moment("2026-06-03T00:00:00Z")
            try await work(books, at: now)
            #expect(try await books.balance(wallet) == 300)
            for forgets in [false, true] {
                try await books.owner.execute(rewind, order, now)
                if forgets { try await books.owner.execute(forgetExecutions, order) }
                try await work(books, at: now)
                #expect(try await books.balance(wallet) == 300)
            }
            #expect(
                try await books.executions(of: order) == [
                    "2026-06-01 paid", "2026-06-02 paid", "2026-06-03 paid",
                ]
            )
            try await books.check()
        }
    }

    /// What ended its process three times is paused, and told.
    @Test func whatKillsIsSetAside() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, holding: 1_000)
            let wallet = try await books.account(of: ada, .wallet)
            let order = try await books.order(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                from: account,
                to: wallet,
                of: ada,
                100
            )
            try await books.owner.execute(begunThrice, order.text)
            try await work(books, at: try moment("2026-06-05T00:00:00Z"))
            #expect(
                try await books.executions(of: order) == ["2026-06-01 skipped internal-error"]
            )
            #expect(try await books.balance(wallet) == 0)
            #expect(try await books.count(pausing) == 1)
        }
    }

    /// Random orders, a clock that leaps, two workers at once and connections that are killed: each
    /// day that the rule names and that has begun is paid once where there is money, and else
    /// skipped once.
    @Test(arguments: ledgerSeeds)
    func eachDayIsPaidOnce(seed: UInt64) async throws {
        struct Model {
            let id: ID<StandingOrder>
            let rule: RecurrenceRule
            let first: Day
            let zone: String
            let from: ID<Account>
            let to: ID<Account>
            var money: Int64
            var number = 0
            var days: [String] = []

            mutating func advance(to now: Instant) {
                while let day = rule.day(number, from: first), day.start(in: zone) <= now {
                    let isPaid = money >= 7
                    if isPaid { money -= 7 }
                    days.append(day.text + (isPaid ? " paid" : " skipped insufficient-funds"))
                    number += 1
                }
            }
        }
        try await LedgerRig().run { actor, books in
            let bound = LoopBound(books, to: actor)
            var random = SeededGenerator(seed: seed)
            var models: [Model] = []
            for zone in ["UTC", "Europe/Rome", "Pacific/Kiritimati", "Pacific/Honolulu"] {
                let user = try await books.person(in: zone)
                for _ in 0..<2 {
                    let unit = try #require(RecurrenceUnit.allCases.randomElement(using: &random))
                    let first = try #require(
                        Day(daysSince1970: 20_000 + Int.random(in: 0...60, using: &random))
                    )
                    let rule = RecurrenceRule(
                        every: Int.random(in: 1...3, using: &random),
                        unit: unit,
                        until: first.adding(days: Int.random(in: 0...200, using: &random))
                    )
                    let money = Int64.random(in: 1...400, using: &random)
                    let from = try await books.account(of: user, holding: money)
                    let to = try await books.account(of: user, .wallet)
                    let id = try await books.order(
                        rule,
                        from: first,
                        from: from,
                        to: to,
                        of: user,
                        7
                    )
                    models.append(
                        Model(
                            id: id,
                            rule: rule,
                            first: first,
                            zone: zone,
                            from: from,
                            to: to,
                            money: money
                        )
                    )
                }
            }
            let whole = models.map(\.money)
            var now = try #require(Day(daysSince1970: 20_000)).startUTC
            for _ in 0..<6 {
                now = now.adding(seconds: Int64.random(in: 1...3_000_000, using: &random))
                let (kills, moment) = (Int.random(in: 0...3, using: &random), now)
                await atOnce(3, on: actor) { actor, number in
                    let books = bound.on(actor)
                    guard number == 2 else { return await hurry(books, at: moment) }
                    for _ in 0..<kills { await books.cutService() }
                }
                // Who was killed has left what is due to whoever comes next.
                try await books.owner.execute(forgetFailures, now)
                try await books.owner.execute(forgetBegun)
                try await work(books, at: now)
                for index in models.indices {
                    models[index].advance(to: now)
                    let model = models[index]
                    let found = try await books.executions(of: model.id)
                    #expect(found == model.days, "seed \(seed): \(model)")
                    #expect(try await books.balance(model.from) == model.money)
                    #expect(try await books.balance(model.to) == whole[index] - model.money)
                }
            }
            try await books.check("seed \(seed)")
        }
    }

    /// A worker whose connections are killed under it, until nothing is due.
    private func hurry(_ books: Books, at moment: Instant) async {
        let work = worker(books, at: moment)
        for _ in 0..<200 {
            do { if try await work.doOne() == false { return } } catch { continue }
        }
    }
}

extension Books {
    /// A standing order that was made before.
    func order(
        _ rule: RecurrenceRule,
        from first: Day,
        from payer: ID<Account>,
        to payee: ID<Account>,
        target: Currency = .eur,
        of user: ID<User>,
        _ amount: Int64
    ) async throws -> ID<StandingOrder> {
        let zone = try await service.queryOne(PeopleStatements.find, user)?.timeZone ?? "UTC"
        let id = ID<StandingOrder>.new()
        try await service.execute(
            StandingOrderStatements.insert,
            id,
            user,
            payer,
            payee,
            false,
            "EUR",
            target.code,
            amount,
            "rent",
            Int32(rule.every),
            rule.unit.rawValue,
            rule.until,
            first,
            Int32(0),
            rule.day(0, from: first),
            true,
            first.start(in: zone),
            Instant.now()
        )
        return id
    }

    /// What became of its days.
    func executions(of order: ID<StandingOrder>) async throws -> [String] {
        try await owner.query(executionsOf, order)
    }
}

private let executionsOf = Statement(
    """
    select concat_ws(' ', day, state, reason) from ledger.standing_order_execution
    where order_id = $1 order by day
    """
) { row in try row.string(0) }
private let booked = Statement(
    "select day::text from ledger.money_transaction where account_id = $1 order by seq"
) { row in try row.string(0) }
private let skips = Statement(
    "select count(*) from ledger.outbox where type = 'wallet.standing-order.skipped.v1'"
) { row in try row.int64(0) }
private let pausing = Statement(
    """
    select count(*) from ledger.outbox
    where type = 'wallet.standing-order.skipped.v1' and payload::text like '%"paused":true%'
    """
) { row in try row.int64(0) }
private let quotesUsed = Statement(
    "select count(*) from ledger.transfer_terms where quote_id is not null"
) { row in try row.int64(0) }
private let close = Statement<Void>(
    "update ledger.account set state = 'closed', closed_at = now() where id = $1"
)
private let rewind = Statement<Void>(
    """
    update ledger.standing_order set next_number = 0, next_day = anchor, look_at = $2
    where id = $1
    """
)
private let forgetExecutions = Statement<Void>(
    "delete from ledger.standing_order_execution where order_id = $1"
)
private let begunThrice = Statement<Void>(
    """
    insert into ledger.work_begun (kind, id, attempt, backend, ended_place, times, again_at)
    values ('standing-order', $1, gen_random_uuid(), 0, 0, 2, now() - interval '1 hour')
    """
)
private let forgetFailures = Statement<Void>(
    "update ledger.standing_order set look_at = $1 where look_at is not null and failures > 0"
)
private let moveTo = Statement<Void>(
    "update ledger.person set time_zone = $2 where user_id = $1"
)
private let forgetBegun = Statement<Void>("delete from ledger.work_begun")
