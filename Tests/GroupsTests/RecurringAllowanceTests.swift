import Loops
import Postgres
import Schedules
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Recurring allowances on a real server, with a ledger and a clock that the test moves.
@Suite struct RecurringAllowanceTests {
    private func day(_ text: String) throws -> Day { try #require(Day(text)) }
    private func moment(_ text: String) throws -> Instant { try #require(Instant(text)) }

    @Test func monthEndsComeAsTheirDaysBeginWhereTheParentIs() async throws {
        try await Harness.run { _, harness in
            let home = try await Household(harness, zone: "Pacific/Auckland")
            let id = try await home.order(.monthly, from: try day("2026-01-31"))
            // The 28th begins in Auckland at 11:00 UTC of the 27th.
            try await home.work(at: try moment("2026-02-27T10:59:59.999999Z"))
            #expect(home.ledger.days(of: id) == [])
            try await home.work(at: try moment("2026-02-27T11:00:00Z"))
            #expect(home.ledger.days(of: id) == ["2026-02-28"])
            try await home.work(at: try moment("2026-05-15T00:00:00Z"))
            let wanted = ["2026-02-28", "2026-03-31", "2026-04-30"]
            #expect(home.ledger.days(of: id) == wanted)
            let view = try await home.find(id).view(for: home.child)
            #expect(view.nextDate == (try day("2026-05-31")) && view.last?.state == .paid)
            #expect(try await harness.told(FamilyAllowancePaid.eventType) == 3)
        }
    }

    /// Whatever a ledger says that has not decided is tried again, and nobody is told of it.
    @Test(arguments: [ErrorCode.unavailable, .notFound, .forbidden, .unauthenticated, .invalidBody])
    func whatRefusesTheCallIsNoSkip(code: ErrorCode) async throws {
        try await Harness.run { _, harness in
            let home = try await Household(harness)
            let id = try await home.order(.daily, from: try day("2026-06-01"))
            let noon = try moment("2026-06-02T12:00:00Z")
            home.ledger.refusedCall = code
            let work = home.worker { noon }
            while try await work.noteOne() {}
            await #expect(throws: APIError(code)) { try await work.payAll() }
            #expect(try await home.find(id).last?.state == .pending)
            #expect(try await harness.told(FamilyAllowanceSkipped.eventType) == 0)
            // It has its turn a minute later.
            home.ledger.refusedCall = nil
            try await home.work(at: noon.adding(seconds: 59))
            #expect(home.ledger.days(of: id) == [])
            try await home.work(at: noon.adding(seconds: 60))
            #expect(home.ledger.days(of: id) == ["2026-06-02"])
        }
    }

    @Test func whatIsRefusedIsLeftOutAndToldOnceAndTheNextDayIsTried() async throws {
        try await Harness.run { _, harness in
            let home = try await Household(harness)
            let id = try await home.order(.daily, from: try day("2026-06-01"), by: home.account)
            home.ledger.refusal = .insufficientFunds
            for _ in 0..<2 { try await home.work(at: try moment("2026-06-02T00:00:00Z")) }
            let skipped = try await home.find(id)
            #expect(skipped.last?.state == .skipped && skipped.allowance.isActive)
            #expect(skipped.last?.reason == "insufficient-funds")
            #expect(try await harness.told(FamilyAllowanceSkipped.eventType) == 1)
            home.ledger.refusal = nil
            try await home.work(at: try moment("2026-06-03T00:00:00Z"))
            #expect(home.ledger.days(of: id) == ["2026-06-03"])
            // The ledger tells of a transfer, so that groups does not.
            #expect(try await harness.told(FamilyAllowancePaid.eventType) == 0)
            home.ledger.refusal = .accountClosed
            try await home.work(at: try moment("2026-06-09T00:00:00Z"))
            let rests = try await home.find(id)
            #expect(!rests.allowance.isActive && rests.allowance.version == 2)
            #expect(rests.view(for: home.mother).nextDate == nil)
        }
    }

    /// What is changed once a day has come is for later days.
    @Test func whatStoodAsTheDayCameIsPaid() async throws {
        try await Harness.run { _, harness in
            let home = try await Household(harness)
            let id = try await home.order(.daily, from: try day("2026-06-01"), by: home.account)
            let noon = try moment("2026-06-02T12:00:00Z")
            let work = home.worker { noon }
            while try await work.noteOne() {}
            let less = AllowanceChange(amount: .set(Money(minorUnits: 300, .eur)))
            let changed = try await home.change(id, less, by: home.mother)
            #expect(changed.allowance.version == 2)
            try await work.payAll()
            #expect(home.ledger.paid.map(\.amount.minorUnits) == [500])
            try await home.work(at: try moment("2026-06-03T12:00:00Z"))
            #expect(home.ledger.paid.map(\.amount.minorUnits) == [500, 300])
            #expect(home.ledger.paid.allSatisfy { $0.fromAccountID == home.account })
        }
    }

    @Test func othersMayOnlyAskForLessOfWhatAnAccountPays() async throws {
        try await Harness.run { _, harness in
            let home = try await Household(harness)
            let id = try await home.order(.daily, from: try day("2026-06-01"), by: home.account)
            let weekly = RecurrenceRule(every: 1, unit: .week)
            func amount(_ minorUnits: Int64) -> AllowanceChange {
                AllowanceChange(amount: .set(Money(minorUnits: minorUnits, .eur)))
            }
            for more in [
                amount(501), AllowanceChange(fromAccountID: .set(.new())),
                AllowanceChange(fromAccountID: .cleared), AllowanceChange(rule: .set(weekly)),
            ] {
                await #expect(throws: APIError(.forbidden)) {
                    try await home.change(id, more, by: home.father)
                }
            }
            _ = try await home.change(id, amount(499), by: home.father)
            let rest = AllowanceChange(isActive: .set(false))
            #expect(try await !home.change(id, rest, by: home.father).allowance.isActive)
            let resume = AllowanceChange(isActive: .set(true))
            await #expect(throws: APIError(.forbidden)) {
                try await home.change(id, resume, by: home.father)
            }
            #expect(home.ledger.agreed.isEmpty)
            // Who pays says so, once the ledger agrees.
            home.ledger.agreesTo = 600
            await #expect(throws: APIError(.stepUpRequired)) {
                try await home.change(id, amount(601), by: home.mother)
            }
            #expect(try await home.find(id).allowance.terms.amount.minorUnits == 499)
            let more = AllowanceChange(
                amount: .set(Money(minorUnits: 600, .eur)),
                rule: .set(weekly),
                isActive: .set(true)
            )
            let row = try await home.change(id, more, by: home.mother, isProved: true)
            #expect(row.allowance.isActive && row.allowance.terms.isProved)
            #expect(home.ledger.agreed == [600])
            // Without an account nobody's money is asked for, whoever says so.
            let income = try await home.order(.daily, from: try day("2026-06-01"))
            let raised = try await home.change(income, amount(900), by: home.father)
            #expect(raised.allowance.terms.amount.minorUnits == 900)
            let others = AllowanceChange(fromAccountID: .set(.new()))
            await #expect(throws: APIError(.forbidden)) {
                try await home.change(income, others, by: home.father)
            }
            let stale = APIError(.preconditionFailed)
            await #expect(throws: stale) {
                try await home.change(income, amount(1), by: home.mother, ifMatch: "1")
            }
        }
    }

    @Test func theFamilySeesItAndOnlyWhoPaysSeesTheAccount() async throws {
        try await Harness.run { _, harness in
            let home = try await Household(harness)
            let id = try await home.order(.daily, from: try day("2026-06-01"), by: home.account)
            let store = home.store
            #expect(try await home.find(id).view(for: home.mother).fromAccountID == home.account)
            for user in [home.father, home.child] {
                let page = try await store.list(PageQuery(), of: home.child, for: user)
                #expect(page.items.map(\.id) == [id] && page.items[0].isTransfer)
                #expect(page.items[0].fromAccountID == nil && page.items[0].parentID == home.mother)
            }
            let stranger = try await Household(harness)
            for user in [stranger.mother, .new()] {
                await #expect(throws: APIError.notFound) {
                    _ = try await store.find(id, of: home.child, for: user)
                }
            }
            await #expect(throws: APIError(.parentsOnly)) {
                _ = try await store.find(id, of: home.child, for: home.sister)
            }
            // One child's is none of another's.
            await #expect(throws: APIError.notFound) {
                _ = try await store.find(id, of: home.sister, for: home.mother)
            }
        }
    }

    @Test func itEndsWithWhoGetsItWhoPaysAndTheFamily() async throws {
        try await Harness.run { _, harness in
            let home = try await Household(harness)
            let first = try day("2026-06-01")
            let fathers = try await home.order(.daily, from: first, paying: home.father)
            let sisters = try await home.order(.daily, from: first, to: home.sister)
            let kept = try await home.order(.daily, from: first)
            let families = harness.parts.families
            try await families.end(nil, by: home.father)
            try await families.end(home.sister, by: home.mother)
            try await home.work(at: try moment("2026-06-02T12:00:00Z"))
            #expect(home.ledger.days(of: fathers) == [] && home.ledger.days(of: sisters) == [])
            #expect(home.ledger.days(of: kept) == ["2026-06-02"])
            try await families.remove(by: home.mother)
            try await home.work(at: try moment("2026-06-05T12:00:00Z"))
            #expect(home.ledger.days(of: kept) == ["2026-06-02"])
            #expect(try await harness.database.queryOne(rowCount) == 0)
        }
    }

    @Test func whatPassesWhileItRestsIsNotMadeUpFor() async throws {
        try await Harness.run { _, harness in
            let home = try await Household(harness)
            let today = Person.day(at: .now(), in: "UTC")
            let first = try #require(today.adding(days: -9))
            let id = try await home.order(.daily, from: first)
            for isActive in [false, true] {
                let change = AllowanceChange(isActive: .set(isActive))
                _ = try await home.change(id, change, by: home.father)
            }
            let view = try await home.find(id).view(for: home.mother)
            #expect(view.nextDate == today && view.version == 3)
            try await home.work(at: .now())
            #expect(home.ledger.days(of: id) == [today.text])
        }
    }

    /// Random schedules, a clock that leaps and goes back, two workers at once, connections that
    /// are killed, and a ledger that dies before or behind what it does: each day that the rule
    /// names, and that has begun where the parent is, is paid exactly once.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func eachDayIsPaidOnce(seed: UInt64) async throws {
        try await Harness.run { actor, harness in
            let owner = Database(configuration: harness.made.owner, loop: actor.loop)
            defer { owner.close() }
            let cutter = LoopBound(owner, to: actor)
            var random = SeededGenerator(seed: seed)
            let ledger = PayingLedger()
            var homes: [(home: Household, zone: String)] = []
            var orders: [(home: Int, id: ID<Recurrence>, rule: RecurrenceRule, first: Day)] = []
            for zone in ["UTC", "Europe/Rome", "Pacific/Kiritimati", "Pacific/Honolulu"] {
                homes.append((try await Household(harness, zone: zone, ledger), zone))
                for _ in 0..<2 {
                    let unit = try #require(RecurrenceUnit.allCases.randomElement(using: &random))
                    let number = 20_000 + Int.random(in: 0...60, using: &random)
                    let first = try #require(Day(daysSince1970: number))
                    let rule = RecurrenceRule(
                        every: Int.random(in: 2...4, using: &random),
                        unit: unit,
                        until: first.adding(days: Int.random(in: 0...200, using: &random))
                    )
                    let id = try await homes[homes.count - 1].home.order(rule, from: first)
                    orders.append((homes.count - 1, id, rule, first))
                }
            }
            var latest = try #require(Day(daysSince1970: 20_000)).startUTC
            for _ in 0..<6 {
                let leap = Int64.random(in: -400_000...4_000_000, using: &random)
                let now = latest.adding(seconds: leap)
                latest = max(latest, now)
                ledger.deaths = Int.random(in: 0...4, using: &random)
                let kills = Int.random(in: 0...3, using: &random)
                let bound = LoopBound(homes[0].home, to: actor)
                let tasks = (0..<3).map { number in
                    actor.spawn { actor in
                        guard number == 2 else { return await bound.on(actor).hurry(at: now) }
                        for _ in 0..<kills { _ = try? await cutter.on(actor).query(cut) }
                    }
                }
                for task in tasks { await task.value }
                // Who was killed has left what is due to whoever comes next.
                ledger.deaths = 0
                try await owner.execute(nobodyIsAtIt, latest)
                try await homes[0].home.work(at: latest)
                for order in orders {
                    var wanted: [String] = []
                    var number = 1
                    let zone = homes[order.home].zone
                    while let day = order.rule.day(number, from: order.first),
                        day.start(in: zone) <= latest
                    {
                        wanted.append(day.text)
                        number += 1
                    }
                    let days = ledger.days(of: order.id)
                    #expect(days == wanted, "seed \(seed): \(order)")
                    let last = try await homes[order.home].home.find(order.id).last
                    #expect(last?.date.text == wanted.last, "seed \(seed): \(order)")
                    #expect(last?.state ?? .paid == .paid, "seed \(seed): \(order)")
                }
            }
        }
    }
}

extension RecurrenceRule {
    fileprivate static let daily = RecurrenceRule(every: 1, unit: .day)
    fileprivate static let monthly = RecurrenceRule(every: 1, unit: .month)
}

/// A ledger that decides each payment once, and dies where it is told to.
private final class PayingLedger {
    /// What the call itself is refused for.
    var refusedCall: ErrorCode?
    /// What payments are refused for.
    var refusal: ErrorCode?
    /// How many calls are still cut off, before or behind what they do.
    var deaths = 0
    /// The most that is agreed to.
    var agreesTo: Int64?
    private(set) var agreed: [Int64] = []
    private(set) var paid: [AllowancePayment] = []
    private var decided: [ID<AllowanceOrder>: AllowanceOutcome] = [:]

    var calling: AllowanceLedger {
        var calls = TestSharing.allowances
        calls.decide = { [self] id, payment in
            if let refusedCall { throw APIError(refusedCall) }
            deaths -= 1
            if deaths >= 0, deaths.isMultiple(of: 2) { throw APIError(.unavailable) }
            let known = decided[id] ?? decide(payment)
            decided[id] = known
            if deaths >= 0 { throw APIError(.gatewayTimeout) }
            return known
        }
        calls.agree = { [self] _, agreement, user in
            let amount = agreement.amount.minorUnits
            if let agreesTo, amount > agreesTo, !user.hasFreshProof {
                throw APIError(.stepUpRequired)
            }
            agreed.append(amount)
        }
        return calls
    }

    private func decide(_ payment: AllowancePayment) -> AllowanceOutcome {
        if let refusal { return AllowanceOutcome(transactionID: nil, refusal: refusal.text) }
        paid.append(payment)
        return AllowanceOutcome(
            transactionID: .new(),
            transferID: payment.fromAccountID.map { _ in .new() },
            refusal: nil
        )
    }

    /// The days of one that were paid, as often as they were: its id tells, for a payment has no
    /// day.
    func days(of recurrence: ID<Recurrence>) -> [String] {
        let first = Day(daysSince1970: 19_900)
        return (0..<1_200).compactMap { number -> String? in
            guard let day = first?.adding(days: number) else { return nil }
            let id = ID<AllowanceOrder>(digesting: day.text, in: "allowance \(recurrence.text)")
            return decided[id]?.transactionID == nil ? nil : day.text
        }
    }
}

/// Two parents and two children.
private struct Household {
    let harness: Harness
    let ledger: PayingLedger
    let family = ID<Family>.new()
    let mother = ID<User>.new()
    let father = ID<User>.new()
    let child = ID<User>.new()
    let sister = ID<User>.new()
    let account = ID<Account>.new()
    let zone: String

    init(
        _ harness: Harness,
        zone: String = "UTC",
        _ ledger: PayingLedger = PayingLedger()
    ) async throws {
        self.harness = harness
        self.ledger = ledger
        self.zone = zone
        try await harness.database.execute(FamilyStatements.insert, family, "Us", Currency.eur)
        for (user, role) in [
            (mother, FamilyRole.parent), (father, .parent), (child, .child), (sister, .child),
        ] {
            let insert = FamilyStatements.insertMember
            try await harness.database.execute(insert, family, user, role.rawValue)
        }
        try await harness.database.execute(insertPerson, mother, zone)
    }

    var store: RecurringAllowanceStore {
        RecurringAllowanceStore(
            database: harness.database,
            families: harness.parts.families,
            ledger: ledger.calling
        )
    }

    func worker(now: @escaping () -> Instant) -> RecurringAllowanceWork {
        RecurringAllowanceWork(
            database: harness.database,
            effects: harness.parts.effects,
            ledger: ledger.calling,
            now: now
        )
    }

    /// Pays everything that is due at a moment.
    func work(at moment: Instant) async throws {
        let work = worker { moment }
        while try await work.noteOne() {}
        try await work.payAll()
    }

    /// A worker whose connections are killed under it, until nothing is due.
    func hurry(at moment: Instant) async {
        let work = worker { moment }
        for _ in 0..<40 {
            do {
                while try await work.noteOne() {}
                return try await work.payAll()
            } catch { continue }
        }
    }

    /// An allowance of 5.00 whose first was paid on a day that has passed.
    func order(
        _ rule: RecurrenceRule,
        from first: Day,
        by account: ID<Account>? = nil,
        paying parent: ID<User>? = nil,
        to other: ID<User>? = nil
    ) async throws -> ID<Recurrence> {
        let (id, next) = (ID<Recurrence>.new(), rule.day(1, from: first))
        try await harness.database.execute(
            RecurringAllowanceStatements.insert,
            id,
            family,
            other ?? child,
            parent ?? mother,
            Int64(500),
            Currency.eur,
            account,
            false,
            String?.none,
            Int32(rule.every),
            rule.unit.rawValue,
            rule.until,
            first,
            Int32(1),
            next,
            next?.start(in: zone),
            Instant.now()
        )
        return id
    }

    func find(_ id: ID<Recurrence>) async throws -> RecurringAllowanceRow {
        try await store.find(id, of: child, for: mother)
    }

    func change(
        _ id: ID<Recurrence>,
        _ change: AllowanceChange,
        by user: ID<User>,
        isProved: Bool = false,
        ifMatch: EntityTags? = nil
    ) async throws -> RecurringAllowanceRow {
        let proved = Instant.now().adding(seconds: isProved ? 0 : -UserIdentity.proofSeconds)
        let identity = UserIdentity(
            id: user,
            session: .new(),
            roles: [.user],
            generation: 0,
            authenticatedAt: proved,
            methods: ["pwd"],
            expiresAt: Instant.now().adding(seconds: 600),
            keyID: "k",
            token: ""
        )
        return try await store.change(id, of: child, change, by: identity, ifMatch: ifMatch)
    }
}

private let rowCount = Statement("select count(*) from groups.allowance_recurrence") { row in
    try row.int64(0)
}
private let insertPerson = Statement<Void>(
    """
    insert into groups.person (user_id, username, username_folded, email_folded, email_verified,
        display_name, time_zone, currency, language)
    values ($1, $1::text, $1::text, $1::text, true, 'P', $2, 'EUR', 'en')
    """
)
private let nobodyIsAtIt = Statement<Void>(
    """
    with days as (
        update groups.allowance_occurrence set look_at = $1 where look_at is not null
    )
    update groups.allowance_recurrence set look_at = least(look_at, $1) where look_at is not null
    """
)
private let cut = Statement(
    """
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and usename <> current_user
    """
) { row in try row.bool(0) }
