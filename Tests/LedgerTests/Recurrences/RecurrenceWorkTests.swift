import Loops
import Postgres
import Schedules
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// The worker that posts what is due, on a real database, with a clock that the test moves.
@Suite struct RecurrenceWorkTests {
    private func day(_ text: String) throws -> Day { try #require(Day(text)) }
    private func moment(_ text: String) throws -> Instant { try #require(Instant(text)) }

    /// Posts everything that is due at a moment.
    private func work(_ books: Books, at moment: Instant) async throws {
        let work = RecurrenceWork(
            database: books.service,
            relayBell: RelayBell(),
            now: { moment }
        )
        while try await work.doOne() {}
    }

    @Test func monthEndsComeAsTheirDaysBeginWhereTheOwnerIs() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person(in: "Pacific/Auckland")
            let wallet = try await books.account(of: ada, .wallet)
            let rent = try await books.recurrence(
                RecurrenceRule(every: 1, unit: .month),
                from: try day("2026-01-31"),
                on: wallet,
                of: ada,
                -50_000
            )
            // The 28th begins in Auckland at 11:00 UTC of the 27th.
            try await work(books, at: try moment("2026-02-27T10:59:59.999999Z"))
            #expect(try await books.days(of: rent) == ["2026-01-31"])
            try await work(books, at: try moment("2026-02-27T11:00:00Z"))
            #expect(try await books.days(of: rent) == ["2026-01-31", "2026-02-28"])
            try await work(books, at: try moment("2026-05-15T00:00:00Z"))
            #expect(
                try await books.days(of: rent) == [
                    "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30",
                ]
            )
            #expect(try await books.balance(wallet) == -200_000)
            try await books.check()
        }
    }

    /// Beirut and Santiago put their clocks forward at midnight: the day begins at one.
    @Test(arguments: [
        ("Asia/Beirut", "2024-03-30", "2024-03-30T22:00:00Z"),
        ("America/Santiago", "2024-09-07", "2024-09-08T04:00:00Z"),
    ])
    func aDayWithoutMidnightBeginsWhenItBegins(
        zone: String,
        anchor: String,
        begins: String
    ) async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person(in: zone)
            let wallet = try await books.account(of: ada, .wallet)
            let daily = try await books.recurrence(
                RecurrenceRule(every: 1, unit: .day),
                from: try day(anchor),
                on: wallet,
                of: ada,
                1
            )
            let begins = try moment(begins)
            try await work(books, at: begins.adding(microseconds: -1))
            #expect(try await books.days(of: daily).count == 1)
            try await work(books, at: begins)
            #expect(try await books.days(of: daily).count == 2)
        }
    }

    /// Money that is due is booked, whatever has become of the folder.
    @Test func whatRecursIsInItsFolderAsLongAsItMayBeFiledThere() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person(in: "UTC")
            let wallet = try await books.account(of: ada, .wallet)
            let folder = ID<Folder>.new()
            try await books.service.execute(FolderStatements.insert, folder, ada, "Trip")
            try await books.service.execute(FolderStatements.insertOwner, folder, ada)
            let daily = try await books.recurrence(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                on: wallet,
                of: ada,
                -100,
                folder: folder
            )
            try await work(books, at: try moment("2026-06-02T00:00:00Z"))
            #expect(try await books.owner.query(filedOf, daily) == [true, true])
            try await books.service.execute(FolderStatements.endMembers, folder)
            try await work(books, at: try moment("2026-06-04T00:00:00Z"))
            #expect(try await books.owner.query(filedOf, daily) == [true, true, false, false])
            #expect(try await books.days(of: daily).count == 4)
            #expect(try await books.balance(wallet) == -400)
        }
    }

    @Test func whoMovesEastIsPostedEarlier() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person(in: "Pacific/Honolulu")
            let wallet = try await books.account(of: ada, .wallet)
            let daily = try await books.recurrence(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                on: wallet,
                of: ada,
                1
            )
            let noon = try moment("2026-06-01T15:00:00Z")
            try await work(books, at: noon)
            #expect(try await books.days(of: daily).count == 1)
            try await books.service.execute(RecurrenceStatements.lookAgain, ada, "Asia/Tokyo", noon)
            try await books.owner.execute(moveTo, ada, "Asia/Tokyo")
            try await work(books, at: noon)
            #expect(try await books.days(of: daily) == ["2026-06-01", "2026-06-02"])
            // Back again: what was posted is not posted a second time.
            try await books.service.execute(
                RecurrenceStatements.lookAgain,
                ada,
                "Pacific/Honolulu",
                noon
            )
            try await books.owner.execute(moveTo, ada, "Pacific/Honolulu")
            try await work(books, at: try moment("2026-06-02T12:00:00Z"))
            #expect(try await books.days(of: daily) == ["2026-06-01", "2026-06-02"])
        }
    }

    @Test func whatIsRefusedIsLeftOutAndTold() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .current, holding: 250)
            let fee = try await books.recurrence(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                on: account,
                of: ada,
                -100
            )
            try await work(books, at: try moment("2026-06-02T00:00:00Z"))
            try await work(books, at: try moment("2026-06-03T00:00:00Z"))
            let states = try await books.states(of: fee)
            #expect(
                states == [
                    "2026-06-01 posted", "2026-06-02 posted",
                    "2026-06-03 skipped insufficient-funds",
                ]
            )
            _ = try await books.service.post([.record(1_000, on: account, by: ada)])
            try await work(books, at: try moment("2026-06-04T00:00:00Z"))
            #expect(try await books.states(of: fee).last == "2026-06-04 posted")
            #expect(try await books.balance(account) == 950)
            #expect(try await books.count(skipEvents) == 1)
            try await books.check()
        }
    }

    @Test func aClosedAccountLetsItRestAndTellsOnce() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            let fee = try await books.recurrence(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                on: account,
                of: ada,
                -100
            )
            try await books.owner.execute(close, account)
            try await work(books, at: try moment("2026-06-09T00:00:00Z"))
            #expect(try await books.count(skipEvents) == 1)
            let states = try await books.states(of: fee)
            #expect(states.dropFirst().allSatisfy { $0.hasSuffix("skipped account-closed") })
            try await work(books, at: try moment("2026-09-09T00:00:00Z"))
            #expect(try await books.states(of: fee) == states)
            let found = try await books.service.queryOne(RecurrenceStatements.find, ada, fee)
            #expect(found?.recurring.isActive == false)
            #expect(found?.last?.reason == "account-closed")
        }
    }

    @Test func whatWasInACategoryThatIsGoneGoesToOthers() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, .wallet)
            let gym = try await books.category(of: ada, "Gym")
            let fee = try await books.recurrence(
                RecurrenceRule(every: 1, unit: .week),
                from: try day("2026-06-01"),
                on: wallet,
                of: ada,
                -100,
                category: gym
            )
            try await books.service.execute(CategoryStatements.delete, ada, gym, "reassign")
            try await work(books, at: try moment("2026-06-08T00:00:00Z"))
            #expect(
                try await books.states(of: fee) == ["2026-06-01 posted", "2026-06-08 posted"]
            )
            #expect(try await books.count(inOthers) == 1)
        }
    }

    /// One that the database cannot take keeps nobody else from their turn.
    @Test func oneThatAlwaysFailsIsPutOff() async throws {
        try await LedgerRig().run { _, books in
            try await books.owner.lease {
                try await $0.executeScript(
                    """
                    alter table ledger.money_transaction add constraint harmless
                        check (amount <> 666 or recurrence_id is null);
                    """
                )
            }
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, .wallet)
            let rule = RecurrenceRule(every: 1, unit: .day)
            let first = try day("2026-06-01")
            let bad = try await books.recurrence(rule, from: first, on: wallet, of: ada, 665)
            let good = try await books.recurrence(rule, from: first, on: wallet, of: ada, 5)
            try await books.owner.execute(poison, bad)
            let now = try moment("2026-06-02T00:00:00Z")
            let work = RecurrenceWork(
                database: books.service,
                relayBell: RelayBell(),
                now: { now }
            )
            var failures = 0
            for _ in 0..<4 { do { _ = try await work.doOne() } catch { failures += 1 } }
            #expect(failures == 1)
            #expect(try await books.days(of: bad).count == 1)
            #expect(try await books.days(of: good).count == 2)
        }
    }

    /// Random schedules, a clock that leaps, two workers at once and connections that are killed:
    /// on every day that the rule names, and has begun where its owner is, exactly one transaction.
    @Test(arguments: ledgerSeeds)
    func eachDayIsPostedOnce(seed: UInt64) async throws {
        try await LedgerRig().run { actor, books in
            let bound = LoopBound(books, to: actor)
            var random = SeededGenerator(seed: seed)
            let zones = ["UTC", "Europe/Rome", "Pacific/Kiritimati", "Pacific/Honolulu"]
            var schedules: [(id: ID<Recurrence>, rule: RecurrenceRule, first: Day, zone: String)] =
                []
            for zone in zones {
                let user = try await books.person(in: zone)
                let wallet = try await books.account(of: user, .wallet)
                for _ in 0..<3 {
                    let unit = try #require(RecurrenceUnit.allCases.randomElement(using: &random))
                    let first = try #require(
                        Day(daysSince1970: 20_000 + Int.random(in: 0...60, using: &random))
                    )
                    let rule = RecurrenceRule(
                        every: Int.random(in: 1...3, using: &random),
                        unit: unit,
                        until: first.adding(days: Int.random(in: 0...400, using: &random))
                    )
                    let id = try await books.recurrence(rule, from: first, on: wallet, of: user, 7)
                    schedules.append((id, rule, first, zone))
                }
            }
            var now = try #require(Day(daysSince1970: 20_000)).startUTC
            for _ in 0..<8 {
                now = now.adding(seconds: Int64.random(in: 1...4_000_000, using: &random))
                let (kills, moment) = (Int.random(in: 0...3, using: &random), now)
                await atOnce(3, on: actor) { actor, number in
                    let books = bound.on(actor)
                    guard number == 2 else { return await hurry(books, at: moment) }
                    for _ in 0..<kills { await books.cutService() }
                }
                // Who was killed has left what is due to whoever comes next, once it has waited;
                // so has whose connection was killed before it could say that it had ended.
                try await books.owner.execute(forgetFailures, now)
                try await books.owner.execute(forgetBegun)
                try await work(books, at: now)
                for schedule in schedules {
                    var wanted = [schedule.first.text]
                    var number = 1
                    while let day = schedule.rule.day(number, from: schedule.first),
                        day.start(in: schedule.zone) <= now
                    {
                        wanted.append(day.text)
                        number += 1
                    }
                    let days = try await books.days(of: schedule.id)
                    #expect(days == wanted, "seed \(seed): \(schedule)")
                }
            }
            try await books.check("seed \(seed)")
        }
    }

    /// A worker whose connections are killed under it, until nothing is due.
    private func hurry(_ books: Books, at moment: Instant) async {
        let work = RecurrenceWork(
            database: books.service,
            relayBell: RelayBell(),
            now: { moment }
        )
        for _ in 0..<60 {
            do { if try await work.doOne() == false { return } } catch { continue }
        }
    }
}

extension Books {
    /// A person who is in a zone.
    func person(in zone: String) async throws -> ID<User> {
        let user = try await person()
        try await owner.execute(moveTo, user, zone)
        return user
    }

    /// A category of one's own.
    func category(of user: ID<User>, _ name: String) async throws -> CategoryID {
        let category = CategoryID.new()
        try await owner.execute(insertCategory, category, user, name)
        return category
    }

    /// A schedule with its first transaction, as the call that records one makes it.
    func recurrence(
        _ rule: RecurrenceRule,
        from first: Day,
        on account: ID<Account>,
        of user: ID<User>,
        _ amount: Int64,
        category: CategoryID? = nil,
        folder: ID<Folder>? = nil
    ) async throws -> ID<Recurrence> {
        let person = try #require(try await service.queryOne(PeopleStatements.find, user))
        var posting = Posting.record(amount, on: account, by: user)
        posting.day = first
        posting.category = category
        posting.folder = folder
        posting.recurrence = .new()
        let ready = posting
        let recurring = try Recurring(
            rule,
            first: ready,
            first,
            amount: Money(minorUnits: amount, .eur),
            category: category ?? (try #require(person.others)),
            of: user,
            today: first
        )
        try await service.transaction { transaction in
            let outcomes = try await transaction.post([ready])
            #expect(outcomes.map(\.status) == [.posted])
            try await RecurrenceStore.insert(
                recurring,
                first: try #require(ready.transaction),
                zone: person.timeZone,
                in: transaction
            )
        }
        return recurring.id
    }

    /// The days of its transactions that stand.
    func days(of recurrence: ID<Recurrence>) async throws -> [String] {
        try await owner.query(daysOf, recurrence)
    }

    /// What became of its days.
    func states(of recurrence: ID<Recurrence>) async throws -> [String] {
        try await owner.query(statesOf, recurrence)
    }
}

private let filedOf = Statement(
    """
    select folder_id is not null from ledger.money_transaction
    where recurrence_id = $1 and reversed_by is null order by day
    """
) { row in try row.bool(0) }

private let moveTo = Statement<Void>(
    "update ledger.person set time_zone = $2 where user_id = $1"
)
private let insertCategory = Statement<Void>(
    """
    insert into ledger.category (id, user_id, name, name_folded, color)
    values ($1, $2, $3, lower($3), 0)
    """
)
private let daysOf = Statement(
    """
    select day::text from ledger.money_transaction
    where recurrence_id = $1 and reversed_by is null
    order by day
    """
) { row in try row.string(0) }
private let statesOf = Statement(
    """
    select concat_ws(' ', day, state, reason) from ledger.recurrence_occurrence
    where recurrence_id = $1
    order by day
    """
) { row in try row.string(0) }
private let skipEvents = Statement(
    "select count(*) from ledger.outbox where type = 'wallet.recurrence.skipped.v1'"
) { row in try row.int64(0) }
private let inOthers = Statement(
    """
    select count(*) from ledger.money_transaction as t
    join ledger.category as c on c.id = t.category_id and c.is_default
    where t.recurrence_id is not null
    """
) { row in try row.int64(0) }
private let close = Statement<Void>(
    "update ledger.account set state = 'closed', closed_at = now() where id = $1"
)
private let poison = Statement<Void>("update ledger.recurrence set amount = 666 where id = $1")
private let forgetFailures = Statement<Void>(
    "update ledger.recurrence set look_at = $1 where look_at is not null and failures > 0"
)
private let forgetBegun = Statement<Void>("delete from ledger.work_begun")
