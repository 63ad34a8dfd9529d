import Loops
import Postgres
import Schedules
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// The worker that writes recurring expenses down, on a real server, with a clock that the test
/// moves.
@Suite struct ExpenseRecurrenceTests {
    private func day(_ text: String) throws -> Day { try #require(Day(text)) }

    /// Writes everything down that is due at a moment.
    private func work(_ harness: Harness, at moment: Instant) async throws {
        let work = harness.recurring { moment }
        while try await work.doOne() {}
    }

    @Test func monthEndsComeAsTheirDaysBeginWhereTheMakerIs() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 3)
            try await harness.place(group.users[0], in: "Pacific/Auckland")
            let rent = try await harness.recur(
                RecurrenceRule(every: 1, unit: .month),
                from: try day("2026-01-31"),
                in: group
            )
            // The 28th begins in Auckland at 11:00 UTC of the 27th.
            try await work(harness, at: try #require(Instant("2026-02-27T10:59:59.999999Z")))
            #expect(try await harness.days(of: rent) == ["2026-01-31"])
            try await work(harness, at: try #require(Instant("2026-02-27T11:00:00Z")))
            try await work(harness, at: try #require(Instant("2026-05-15T00:00:00Z")))
            #expect(
                try await harness.days(of: rent) == [
                    "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30",
                ]
            )
            #expect(try await harness.told("group.expense.added") == 4)
            let found = try await harness.parts.recurrences.find(
                rent,
                of: group.id,
                for: group.users[1]
            )
            #expect(found.view.nextDate == (try day("2026-05-31")))
            #expect(found.view.last?.number == 3)
        }
    }

    @Test func whoLeavesTakesTheirRecurrencesAlongAndWhoIsNamedStopsThem() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 3)
            let (first, daily) = (try day("2026-06-01"), RecurrenceRule(every: 1, unit: .day))
            let noon = try #require(Instant("2026-06-03T12:00:00Z"))
            let named = try await harness.recur(daily, from: first, in: group)
            let gone = try await harness.recur(daily, from: first, in: group, by: 2)
            try await harness.parts.members.end(
                nil,
                in: group.id,
                by: group.users[2],
                isForced: true
            )
            try await work(harness, at: noon)
            #expect(try await harness.days(of: gone) == ["2026-06-01"])
            await #expect(throws: APIError.notFound) {
                _ = try await harness.parts.recurrences.find(
                    gone,
                    of: group.id,
                    for: group.users[0]
                )
            }
            // One day is left out, and all behind it wait until somebody says who is to bear them.
            #expect(try await harness.days(of: named) == ["2026-06-01"])
            #expect(try await harness.told("group.expense.skipped") == 1)
            let store = harness.parts.recurrences
            let row = try await store.find(named, of: group.id, for: group.users[1])
            #expect(!row.view.isActive && row.view.last?.reason == "unknown-reference")
            let change = ExpenseRecurrenceChange(isActive: .set(true))
            await #expect(throws: APIError.self) {
                _ = try await store.change(
                    named,
                    of: group.id,
                    change,
                    by: group.users[1],
                    ifMatch: nil
                )
            }
            let split = Split(kind: .equal, parts: [SplitPart(memberID: group.members[1])])
            let again = try await store.change(
                named,
                of: group.id,
                ExpenseRecurrenceChange(split: .set(split), isActive: .set(true)),
                by: group.users[1],
                ifMatch: nil
            )
            #expect(again.view.isActive && again.view.nextDate != nil)
        }
    }

    @Test func whoHasManyDaysToCatchUpHoldsUpNobody() async throws {
        try await Harness.run { _, harness in
            let daily = RecurrenceRule(every: 1, unit: .day)
            let late = try await harness.makeGroup(of: 2)
            let other = try await harness.makeGroup(of: 2)
            _ = try await harness.recur(daily, from: try day("2026-01-01"), in: late)
            let due = try await harness.recur(daily, from: try day("2026-06-01"), in: other)
            let noon = try #require(Instant("2026-06-02T12:00:00Z"))
            let work = harness.recurring { noon }
            for _ in 0..<2 { _ = try await work.doOne() }
            #expect(try await harness.days(of: due) == ["2026-06-01", "2026-06-02"])
        }
    }

    @Test func aGroupThatIsPutAwayLetsThemRest() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let daily = try await harness.recur(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                in: group
            )
            try await harness.database.execute(archive, group.id)
            try await work(harness, at: try #require(Instant("2026-06-09T00:00:00Z")))
            #expect(try await harness.days(of: daily) == ["2026-06-01"])
            #expect(try await harness.told("group.expense.skipped") == 0)
        }
    }

    /// A sum that does not fit is refused for its day alone, and after nothing of it stands.
    @Test func aDayThatDoesNotFitIsLeftOutAndTheNextIsTried() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let daily = try await harness.recur(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                in: group
            )
            try await harness.database.execute(fill, group.id, Int64.max)
            try await work(harness, at: try #require(Instant("2026-06-02T00:00:00Z")))
            try await harness.database.execute(fill, group.id, Int64(9))
            try await work(harness, at: try #require(Instant("2026-06-03T00:00:00Z")))
            #expect(try await harness.days(of: daily) == ["2026-06-01", "2026-06-03"])
            #expect(try await harness.told("group.expense.skipped") == 1)
        }
    }

    /// Of a hundred days that have passed members are told of the first, as it is made, and of the
    /// newest; the others are events all the same, for whoever counts.
    @Test func daysThatAreMadeUpForAreToldOfByTheNewest() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let daily = try await harness.recur(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                in: group
            )
            try await work(harness, at: try #require(Instant("2026-06-10T12:00:00Z")))
            try await work(harness, at: try #require(Instant("2026-06-11T12:00:00Z")))
            #expect(try await harness.days(of: daily).count == 11)
            let told = try await harness.database.query(addedEvents, GroupExpenseAdded.eventType)
            #expect(told.count == 11)
            let loud = told.filter { !$0.isMadeUpFor }.map(\.day.text)
            #expect(loud == ["2026-06-01", "2026-06-10", "2026-06-11"])
        }
    }

    /// What nobody can read any more is no refusal: the others have their turn, and no day is lost.
    @Test func whatFailsHoldsUpNobodyAndLosesNoDay() async throws {
        try await Harness.run { _, harness in
            let daily = RecurrenceRule(every: 1, unit: .day)
            let bad = try await harness.makeGroup(of: 2)
            let good = try await harness.makeGroup(of: 2)
            let broken = try await harness.recur(daily, from: try day("2026-05-31"), in: bad)
            let due = try await harness.recur(daily, from: try day("2026-06-01"), in: good)
            try await harness.database.execute(breakExpense, broken, #"{"name":1}"#)
            let noon = try #require(Instant("2026-06-02T12:00:00Z"))
            let work = harness.recurring { noon }
            await #expect(throws: (any Error).self) { _ = try await work.doOne() }
            #expect(try await work.doOne())
            #expect(try await harness.days(of: due) == ["2026-06-01", "2026-06-02"])
            #expect(try await work.doOne() == false)
            #expect(try await harness.told("group.expense.skipped") == 0)
        }
    }

    @Test func onlyARefusalLeavesADayOut() {
        for code in ErrorCode.all {
            let isRefusal = ExpenseRecurrenceWork.Refusal(APIError(code)) != nil
            #expect(isRefusal == (code.status < 500 && code.status != 429), "\(code.text)")
        }
    }

    /// In several groups at once nobody gets more than one may have.
    @Test func ofRecurrencesAtOnceNoMoreAreMadeThanOneMayHave() async throws {
        try await Harness.run { actor, harness in
            let first = try await harness.makeGroup(of: 2)
            let ada = first.users[0]
            try await harness.place(ada, in: "UTC")
            try await harness.database.execute(
                fillUp,
                first.id,
                first.members[0],
                ada,
                RecurringExpense.perPersonMax - 2
            )
            let bound = LoopBound(harness, to: actor)
            let start = try day("2026-06-01")
            var groups: [TestGroup] = []
            for _ in 0..<6 { groups.append(try await harness.makeGroup(of: 2, with: [ada])) }
            let tasks = groups.map { group in
                actor.spawn { actor in
                    do {
                        let daily = RecurrenceRule(every: 1, unit: .day)
                        _ = try await bound.on(actor).recur(daily, from: start, in: group)
                    } catch let error as APIError {
                        #expect(error.code == .tooManyRecurrences)
                    } catch { Issue.record("\(error)") }
                }
            }
            for task in tasks { await task.value }
            let count = try await harness.database.queryOne(
                ExpenseRecurrenceStatements.count,
                ada
            )
            #expect(count == RecurringExpense.perPersonMax)
        }
    }

    /// Who moves while a day of theirs is written down has the next as it begins where they are by
    /// then: at ten in the morning UTC the second begins in Honolulu, and in Kiritimati the third.
    @Test func whoMovesWhileADayIsWrittenHasNoneLate() async throws {
        try await Harness.run { actor, harness in
            let group = try await harness.makeGroup(of: 2)
            try await harness.place(group.users[0], in: "Pacific/Honolulu")
            let daily = try await harness.recur(
                RecurrenceRule(every: 1, unit: .day),
                from: try day("2026-06-01"),
                in: group
            )
            let moment = try #require(Instant("2026-06-02T10:00:00Z"))
            let bound = LoopBound(harness, to: actor)
            let task = try await harness.database.transaction { transaction in
                try await transaction.execute(move, group.users[0], "Pacific/Kiritimati")
                let task = actor.spawn { actor in
                    do {
                        _ = try await bound.on(actor).recurring { moment }.doOne()
                    } catch { Issue.record("\(error)") }
                }
                try await untilOneWaits(for: transaction, on: actor)
                return task
            }
            await task.value
            try await work(harness, at: moment)
            let wanted = ["2026-06-01", "2026-06-02", "2026-06-03"]
            #expect(try await harness.days(of: daily) == wanted)
        }
    }

    /// Random schedules, a clock that leaps, two workers at once and connections that are killed:
    /// on every day that the rule names, and has begun where its maker is, exactly one expense.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func eachDayIsWrittenDownOnce(seed: UInt64) async throws {
        try await Harness.run { actor, harness in
            let bound = LoopBound(harness, to: actor)
            let owner = Database(configuration: harness.made.owner, loop: actor.loop)
            defer { owner.close() }
            let cutter = LoopBound(owner, to: actor)
            var random = SeededGenerator(seed: seed)
            var schedules: [(id: ID<Recurrence>, rule: RecurrenceRule, first: Day, zone: String)] =
                []
            for zone in ["UTC", "Europe/Rome", "Pacific/Kiritimati", "Pacific/Honolulu"] {
                let group = try await harness.makeGroup(of: 2)
                try await harness.place(group.users[0], in: zone)
                for _ in 0..<3 {
                    let unit = try #require(RecurrenceUnit.allCases.randomElement(using: &random))
                    let number = 20_000 + Int.random(in: 0...60, using: &random)
                    let first = try #require(Day(daysSince1970: number))
                    let rule = RecurrenceRule(
                        every: Int.random(in: 2...4, using: &random),
                        unit: unit,
                        until: first.adding(days: Int.random(in: 0...200, using: &random))
                    )
                    let id = try await harness.recur(rule, from: first, in: group)
                    schedules.append((id, rule, first, zone))
                }
            }
            var now = try #require(Day(daysSince1970: 20_000)).startUTC
            for _ in 0..<6 {
                now = now.adding(seconds: Int64.random(in: 1...4_000_000, using: &random))
                let (kills, moment) = (Int.random(in: 0...3, using: &random), now)
                let tasks = (0..<3).map { number in
                    actor.spawn { actor in
                        guard number == 2 else {
                            return await bound.on(actor).hurry(at: moment)
                        }
                        for _ in 0..<kills { _ = try? await cutter.on(actor).query(cut) }
                    }
                }
                for task in tasks { await task.value }
                // Who was killed has left what is due to whoever comes next, once it has waited.
                try await owner.execute(forgetFailures, now)
                try await owner.execute(forgetBegun)
                try await work(harness, at: now)
                for schedule in schedules {
                    var wanted = [schedule.first.text]
                    var number = 1
                    while let day = schedule.rule.day(number, from: schedule.first),
                        day.start(in: schedule.zone) <= now
                    {
                        wanted.append(day.text)
                        number += 1
                    }
                    let days = try await harness.days(of: schedule.id)
                    #expect(days == wanted, "seed \(seed): \(schedule)")
                }
            }
        }
    }
}

extension Harness {
    fileprivate func recurring(now: @escaping () -> Instant) -> ExpenseRecurrenceWork {
        ExpenseRecurrenceWork(
            database: database,
            effects: parts.effects,
            expenses: parts.expenses,
            now: now
        )
    }

    /// A worker whose connections are killed under it, until nothing is due.
    fileprivate func hurry(at moment: Instant) async {
        let work = recurring { moment }
        for _ in 0..<60 {
            do { if try await work.doOne() == false { return } } catch { continue }
        }
    }

    /// Somebody is known, and where they are.
    fileprivate func place(_ user: ID<User>, in zone: String) async throws {
        try await database.execute(insertPerson, user, zone)
    }

    /// An expense of three cents that somebody pays, split among all, and comes again.
    fileprivate func recur(
        _ rule: RecurrenceRule,
        from first: Day,
        in group: TestGroup,
        by maker: Int = 0
    ) async throws -> ID<Recurrence> {
        let known = try await database.queryOne(PeopleStatements.find, group.users[maker])
        let person = Person(
            id: group.users[maker],
            username: "p",
            email: "p@example.org",
            isEmailVerified: true,
            displayName: "P",
            timeZone: known?.timeZone ?? "UTC",
            currency: .eur,
            language: "en"
        )
        let parts = group.members.map { SplitPart(memberID: $0) }
        let made = try await database.transaction { transaction in
            try await self.parts.recurrences.add(
                NewExpense(
                    name: "Rent",
                    amount: Money(minorUnits: 3, .eur),
                    date: first,
                    split: Split(kind: .equal, parts: parts),
                    rule: rule
                ),
                to: group.id,
                by: person,
                in: transaction
            )
        }
        return try #require(made.recurrenceID)
    }

    /// The days on which it was written down, each as often as it was.
    fileprivate func days(of recurrence: ID<Recurrence>) async throws -> [String] {
        try await database.query(daysOf, recurrence).map(\.text)
    }
}

private let daysOf = Statement(
    "select day from groups.expense where recurrence_id = $1 order by day"
) { row in try row.value(0, as: Day.self) }
private let insertPerson = Statement<Void>(
    """
    insert into groups.person (user_id, username, username_folded, email_folded, email_verified,
        display_name, time_zone, currency, language)
    values ($1, 'p', 'p', 'p@example.org', true, 'P', $2, 'EUR', 'en')
    """
)
private let addedEvents = Statement(
    "select payload::text from groups.outbox where type = $1 order by id"
) { row in try JSON.read(GroupExpenseAdded.self, from: Array(row.string(0).utf8)) }
private let breakExpense = Statement<Void>(
    "update groups.expense_recurrence set expense = $2::json where id = $1"
)
private let fillUp = Statement<Void>(
    """
    insert into groups.expense_recurrence
        (group_id, id, member_id, user_id, expense, every, unit, anchor, next_number)
    select $1, gen_random_uuid(), $2, $3, '{}', 1, 'day', '2026-01-01', 1
    from generate_series(1, $4::bigint)
    """
)
private let move = Statement<Void>(
    "update groups.person set time_zone = $2 where user_id = $1"
)
private let archive = Statement<Void>(
    "update groups.expense_group set archived_at = now() where id = $1"
)
private let fill = Statement<Void>(
    "update groups.member_balance set amount = $2 where group_id = $1 and amount > 0"
)
private let forgetFailures = Statement<Void>(
    "update groups.expense_recurrence set look_at = $1 where look_at is not null and failures > 0"
)
private let forgetBegun = Statement<Void>("delete from groups.work_begun")
private let cut = Statement(
    """
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and usename <> current_user
    """
) { row in try row.bool(0) }
