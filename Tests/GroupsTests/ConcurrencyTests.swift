import Loops
import Postgres
import ServiceKit
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Whatever happens to a group at once, its kept sums are those of its history.
@Suite struct ConcurrencyTests {
    /// Each row is a sum that is not what the history of expenses and settlements comes to.
    static let wrong = Statement(
        """
        with history as (
            select p.member_id, e.currency, p.amount
            from groups.expense_payment p
            join groups.expense e on e.group_id = p.group_id and e.id = p.expense_id
            where e.group_id = $1 and e.removed_at is null
            union all
            select s.member_id, e.currency, -s.amount
            from groups.expense_share s
            join groups.expense e on e.group_id = s.group_id and e.id = s.expense_id
            where e.group_id = $1 and e.removed_at is null
            union all
            select debtor_id, currency, amount
            from groups.settlement_payment
            where group_id = $1
            union all
            select creditor_id, currency, -amount
            from groups.settlement_payment
            where group_id = $1
        ), kept as (
            select member_id, currency, amount
            from groups.member_balance
            where group_id = $1
        ), pairs as (
            select high_id as member_id, currency, amount
            from groups.pair_balance
            where group_id = $1
            union all
            select low_id, currency, -amount
            from groups.pair_balance
            where group_id = $1
        ), sums as (
            select 'history' as what, member_id, currency, sum(amount) as amount
            from (select * from history union all select member_id, currency, -amount from kept) h
            group by member_id, currency
            union all
            select 'pairs', member_id, currency, sum(amount)
            from (select * from pairs union all select member_id, currency, -amount from kept) p
            group by member_id, currency
            union all
            select 'zero', null, currency, sum(amount)
            from kept
            group by currency
            union all
            select 'total', null, currency, sum(amount)
            from (
                select currency, amount
                from groups.expense
                where group_id = $1 and removed_at is null
                union all
                select currency, -amount
                from groups.group_total
                where group_id = $1
            ) t
            group by currency
        )
        select what || ' ' || coalesce(member_id::text, '') || ' ' || currency || ' ' || amount
        from sums
        where amount <> 0
        """
    ) { row in try row.string(0) }

    @Test func keptSumsAreThoseOfTheHistory() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { actor, harness in
            var random = SeededGenerator(seed: seed)
            for round in 0..<4 {
                let group = try await harness.makeGroup(of: 5)
                let bound = LoopBound(harness, to: actor)
                let made = Mutex<[ID<Expense>]>([])
                let removed = Mutex<[ID<Expense>]>([])
                let seeds = (0..<40).map { _ in random.next() }
                let tasks = seeds.map { seed in
                    actor.spawn { actor in
                        let place: Comment = "seed \(seed), round \(round)"
                        do {
                            try await Self.act(
                                SeededGenerator(seed: seed),
                                on: group,
                                bound.on(actor),
                                made: made,
                                removed: removed
                            )
                        } catch let error as APIError {
                            let known: [ErrorCode] = [
                                .notFound, .nothingToSettle, .settlementTooLarge,
                                .preconditionFailed,
                            ]
                            #expect(known.contains(error.code), place)
                        } catch { Issue.record("\(error), \(place)") }
                    }
                }
                for task in tasks { await task.value }
                let wrong = try await harness.database.query(Self.wrong, group.id)
                #expect(wrong.isEmpty, "seed \(seed), round \(round)")
                let gone = removed.withLock { $0 }
                #expect(Set(gone).count == gone.count, "removed twice: seed \(seed)")
            }
        }
    }

    /// Twenty who add, change, take back, pay, go and come back at once, with guests: the sums are
    /// those of the history, nothing is half written, and the plan settles everything.
    @Test func twentyMembersAtOnceKeepEveryInvariant() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { actor, harness in
            var random = SeededGenerator(seed: seed)
            let group = try await harness.makeGroup(of: 20)
            let today = Period.ever.start
            let limit = try await harness.database.transaction { transaction in
                try await harness.parts.thresholds.make(
                    NewThreshold(amount: Money(minorUnits: 5_000, .eur)),
                    for: group.id,
                    by: group.users[0],
                    today: today,
                    in: transaction
                )
            }
            let bound = LoopBound(harness, to: actor)
            let made = Mutex<[ID<Expense>]>([])
            let seeds = group.users.map { _ in random.next() }
            let tasks = seeds.enumerated().map { place, seed in
                actor.spawn { actor in
                    var one = OneOfMany(
                        place: place,
                        group: group,
                        harness: bound.on(actor),
                        random: SeededGenerator(seed: seed)
                    )
                    for _ in 0..<12 {
                        do { try await one.act(made) } catch let error as APIError {
                            #expect(OneOfMany.refusals.contains(error.code), "seed \(seed)")
                        } catch { Issue.record("\(error), seed \(seed)") }
                    }
                }
            }
            for task in tasks { await task.value }
            let place: Comment = "seed \(seed)"
            let wrong = try await harness.database.query(Self.wrong, group.id)
            #expect(wrong.isEmpty, place)
            let broken = try await harness.database.query(Self.broken, group.id)
            #expect(broken.isEmpty, place)
            let added = try await harness.told(GroupExpenseAdded.eventType)
            #expect(Int(added) == made.withLock { $0.count }, place)
            let (parts, user) = (harness.parts, group.users[0])
            let view = try await parts.balances.view(of: group.id, for: user)
            for plan in [view.simplified, view.debts] {
                #expect(Self.settles(plan, view), place)
            }
            let limits = try await parts.thresholds.list(
                PageQuery(),
                of: group.id,
                for: user,
                today: today
            )
            let total = try await harness.database.queryOne(
                ThresholdStatements.total,
                group.id,
                Currency.eur
            )
            #expect(limits.items.map(\.spent.minorUnits) == [total ?? -1], place)
            let crossed = try await harness.told(GroupThresholdCrossed.eventType)
            #expect(crossed <= 1 && limits.items.map(\.id) == [limit.id], place)
        }
    }

    private static func settles(_ plan: [Debt], _ view: BalancesView) -> Bool {
        var sums: [ID<Member>: [Currency: Int64]] = [:]
        for member in view.members {
            for money in member.balances {
                sums[member.memberID, default: [:]][money.currency] = money.minorUnits
            }
        }
        for debt in plan {
            let (units, currency) = (debt.amount.minorUnits, debt.amount.currency)
            sums[debt.fromMemberID, default: [:]][currency, default: 0] += units
            sums[debt.toMemberID, default: [:]][currency, default: 0] -= units
        }
        return sums.values.allSatisfy { $0.values.allSatisfy { $0 == 0 } }
    }

    /// Each row is something that is half written.
    private static let broken = Statement(
        """
        select 'versions of ' || e.id
        from groups.expense e
        where e.group_id = $1 and e.version - 1 <> (
            select count(*) from groups.expense_version v
            where v.group_id = e.group_id and v.expense_id = e.id)
        union all
        select 'debts of what is removed: ' || e.id
        from groups.expense e
        join groups.expense_debt d on d.group_id = e.group_id and d.expense_id = e.id
        where e.group_id = $1 and e.removed_at is not null
        union all
        select 'nets of ' || e.id
        from groups.expense e
        join groups.member m on m.group_id = e.group_id
        where e.group_id = $1 and e.removed_at is null
            and (select coalesce(sum(amount), 0) from groups.expense_payment p
                where p.group_id = $1 and p.expense_id = e.id and p.member_id = m.id)
            - (select coalesce(sum(amount), 0) from groups.expense_share s
                where s.group_id = $1 and s.expense_id = e.id and s.member_id = m.id)
            <> (select coalesce(sum(case when creditor_id = m.id then amount else -amount end), 0)
                from groups.expense_debt d
                where d.group_id = $1 and d.expense_id = e.id
                    and m.id in (d.creditor_id, d.debtor_id))
        union all
        select 'a place of ' || user_id
        from groups.member
        where group_id = $1 and user_id is not null and left_at is not null
        """
    ) { row in try row.string(0) }

    /// All are erased while they write: no deadlock, no sum that is off, and nothing is left.
    @Test func erasingEverybodyWhileTheyWriteLeavesNothing() async throws {
        try await Harness.run { actor, harness in
            let group = try await harness.makeGroup(of: 6)
            let bound = LoopBound(harness, to: actor)
            var tasks = (0..<36).map { number in
                actor.spawn { actor in
                    let parts = group.members.map { SplitPart(memberID: $0) }
                    do {
                        _ = try await bound.on(actor).database.transaction { transaction in
                            try await bound.on(actor).parts.expenses.add(
                                NewExpense(
                                    name: "Thing",
                                    amount: Money(minorUnits: 100, .eur),
                                    split: Split(kind: .equal, parts: parts)
                                ),
                                to: group.id,
                                by: group.users[number % 6],
                                today: Period.ever.start,
                                in: transaction
                            )
                        }
                    } catch let error as APIError {
                        // Whoever is gone, or names in a split somebody who is.
                        #expect([.notFound, .invalidBody].contains(error.code))
                    } catch { Issue.record("\(error)") }
                }
            }
            tasks += group.users.map { user in
                actor.spawn { actor in
                    let harness = bound.on(actor)
                    let event = EventEnvelope(
                        id: .new(),
                        source: .auth,
                        time: .now(),
                        aggregate: "user:\(user.text)",
                        sequence: 1,
                        body: UserErased(userID: user, erasedAt: .now())
                    )
                    do {
                        try await harness.database.transaction { transaction in
                            try await harness.parts.people.apply(event, in: transaction)
                        }
                    } catch { Issue.record("\(error)") }
                }
            }
            for task in tasks { await task.value }
            let rows = Statement(
                """
                select (select count(*) from groups.member)
                    + (select count(*) from groups.expense)
                """
            ) { row in try row.int64(0) }
            let left = try await harness.database.queryOne(rows)
            let told = try await harness.told(GroupChanged.eventType)
            #expect(left == 0 && told == 1)
        }
    }

    private static func act(
        _ random: consuming SeededGenerator,
        on group: TestGroup,
        _ harness: Harness,
        made: borrowing Mutex<[ID<Expense>]>,
        removed: borrowing Mutex<[ID<Expense>]>
    ) async throws {
        let stores = harness.parts
        let two = group.members.indices.shuffled(using: &random).prefix(2)
        let (one, other) = (two[0], two[1])
        let currency: Currency = Bool.random(using: &random) ? .eur : .jpy
        for _ in 0..<3 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<3:
                let bearers = group.members.prefix(Int.random(in: 1...5, using: &random))
                let parts = bearers.map { SplitPart(memberID: $0) }
                let expense = try await harness.database.transaction { transaction in
                    try await stores.expenses.add(
                        NewExpense(
                            name: "Thing",
                            amount: Money(minorUnits: random.amount(upTo: 1 << 40) + 1, currency),
                            split: Split(kind: .equal, parts: parts)
                        ),
                        to: group.id,
                        by: group.users[one],
                        today: Period.ever.start,
                        in: transaction
                    )
                }
                made.withLock { $0.append(expense.id) }
            case 3..<5:
                let settled = try await harness.database.transaction { transaction in
                    try await stores.settlements.settle(
                        NewSettlement(withMemberID: group.members[other]),
                        in: group.id,
                        by: group.users[one],
                        today: Period.ever.start,
                        in: transaction
                    )
                }
                guard Bool.random(using: &random) else { continue }
                _ = try await harness.database.transaction { transaction in
                    try await stores.settlements.remove(
                        settled.id,
                        from: group.id,
                        by: group.users[other],
                        ifMatch: nil,
                        in: transaction
                    )
                }
            case 5:
                guard let id = made.withLock({ $0.randomElement(using: &random) }) else { continue }
                let amount = Money(minorUnits: random.amount(upTo: 1 << 40) + 1, currency)
                _ = try await harness.database.transaction { transaction in
                    try await stores.expenses.change(
                        id,
                        of: group.id,
                        ExpenseChange(amount: .set(amount)),
                        by: group.users[other],
                        today: Period.ever.start,
                        ifMatch: nil,
                        in: transaction
                    )
                }
            case 6:
                guard let id = made.withLock({ $0.randomElement(using: &random) }) else { continue }
                _ = try await harness.database.transaction { transaction in
                    try await stores.expenses.restore(
                        id,
                        of: group.id,
                        by: group.users[one],
                        today: Period.ever.start,
                        in: transaction
                    )
                }
            default:
                let id = made.withLock { $0.randomElement(using: &random) }
                guard let id else { continue }
                try await harness.database.transaction { transaction in
                    try await stores.expenses.remove(
                        id,
                        from: group.id,
                        by: group.users[other],
                        ifMatch: "1",
                        in: transaction
                    )
                }
                removed.withLock { $0.append(id) }
            }
        }
    }
}
