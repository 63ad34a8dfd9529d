import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

@Suite struct RebuildTests {
    /// What is wrong with the rows that are kept, whoever made it so: each a line that `verify` has
    /// to tell, and `rebuild` to correct.
    private static let damages: [SQLScript] = [
        // Missing, doubled under another name, version and part, and otherwise.
        """
        delete from analytics.fact
        where ctid = any (array(select ctid from analytics.fact limit 9))
        """,
        """
        insert into analytics.fact
        select user_id, md5(transaction_id::text)::uuid, version, part, is_reversed, account_id,
            account_kind, day, amount, currency, category_id, coicop
        from analytics.fact limit 3
        on conflict do nothing
        """,
        """
        insert into analytics.fact
        select user_id, transaction_id, 99, part, false, account_id, account_kind, day, amount,
            currency, category_id, coicop
        from analytics.fact limit 3
        on conflict do nothing
        """,
        """
        insert into analytics.fact
        select user_id, transaction_id, version + 1, part, false, account_id, account_kind, day,
            amount, currency, category_id, coicop
        from analytics.fact limit 9
        on conflict do nothing
        """,
        """
        insert into analytics.fact
        select user_id, transaction_id, version, 7, false, account_id, account_kind, day, amount,
            currency, category_id, coicop
        from analytics.fact limit 3
        on conflict do nothing
        """,
        "update analytics.fact set amount = amount + 100, day = day + 40 where amount % 3 = 0",
        "update analytics.fact set is_reversed = not is_reversed where amount % 4 = 0",
        // Other copies.
        "update analytics.person set area = 'XX', time_zone = 'UTC'",
        "delete from analytics.person",
        "update analytics.person set language = 'de'",
        """
        insert into analytics.person (user_id, area, currency, time_zone, language)
        values (gen_random_uuid(), 'IT', 'EUR', 'UTC', 'en')
        """,
        "update analytics.person set registered_on = registered_on - 1",
        "update analytics.category set parent_id = gen_random_uuid()",
        "delete from analytics.category",
        "insert into analytics.category select gen_random_uuid(), gen_random_uuid(), '01', null",
        "update analytics.wallet_member set is_member = not is_member",
        "delete from analytics.wallet_member",
        "delete from analytics.group_expense",
        "update analytics.group_expense set amount = amount + 1, category_id = group_id",
        """
        insert into analytics.group_expense
        select gen_random_uuid(), gen_random_uuid(), date '2024-01-01', 500, 'EUR',
            gen_random_uuid()
        """,
        "update analytics.group_category set parent_id = gen_random_uuid()",
        """
        insert into analytics.group_category
        select group_id, gen_random_uuid(), gen_random_uuid() from analytics.group_expense limit 1
        """,
        // Cells.
        "update analytics.report_cell set amount = amount + 5, part_count = part_count + 1",
        "update analytics.report_cell set days = days || array[1, -5, 1, 0]::int8[]",
        "delete from analytics.report_cell where month > date '2023-05-01'",
        """
        insert into analytics.report_cell
        values (gen_random_uuid(), 'CHF', date '2024-01-01', gen_random_uuid(),
            gen_random_uuid(), false, -1, 1, 1, '{5, -1, 1, 1}')
        """,
        // All of it, and what was heard of it.
        """
        truncate analytics.fact, analytics.report_cell, analytics.person, analytics.category,
            analytics.wallet_member, analytics.group_expense, analytics.group_category,
            analytics.inbox
        """,
    ]

    @Test func whateverIsDamagedIsAsItsOwnersHaveItWhileTheyGoOn() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench { actor, bench in
            let world = try await World(bench, seed: seed)
            try await world.allArrives()
            for _ in 0..<3 {
                let damage = Self.damages.filter { _ in world.chance(3) }
                try await bench.owner(on: actor.loop) { owner in
                    for script in damage {
                        try await owner.lease { try await $0.executeScript(script) }
                    }
                }
                world.bustle = 4
                _ = try await Self.compare(world, corrects: true)
                world.bustle = 0
                try await world.allArrives()
                try await Self.expectAll(of: world, seed)
            }
        }
    }

    /// Of each kind of damage by itself `verify` tells, and nothing of what is on its way.
    @Test func eachDamageIsToldAndNothingOfWhatIsOnItsWay() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench { actor, bench in
            let world = try await World(bench, seed: seed)
            try await world.allArrives()
            world.bustle = 4
            #expect(try await Self.compare(world, corrects: false) == [], "seed \(seed)")
            world.bustle = 0
            try await world.allArrives()
            for damage in Self.damages {
                try await bench.owner(on: actor.loop) { owner in
                    try await owner.lease { try await $0.executeScript(damage) }
                }
                let told = try await Self.compare(world, corrects: false)
                #expect(!told.isEmpty, "seed \(seed): \(damage)")
                let corrected = try await Self.compare(world, corrects: true)
                #expect(!corrected.isEmpty, "seed \(seed): \(damage)")
            }
            #expect(try await Self.compare(world, corrects: false) == [], "seed \(seed)")
            try await Self.expectAll(of: world, seed)
        }
    }

    @Test func whatIsRightIsNotTouchedAndItsReleasesStay() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench(rates: Model.table) { actor, bench in
            let world = try await World(bench, seed: seed)
            try await world.allArrives()
            try await bench.release()
            let (released, facts) = try await (
                bench.database.query(bookings), bench.database.query(writtenFacts)
            )
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(loseOne) }
            }
            #expect(try await Self.compare(world, corrects: true).count > 0, "seed \(seed)")
            let kept = Set(try await bench.database.query(writtenFacts))
            #expect(kept.count == facts.count && facts.count > 10, "seed \(seed)")
            #expect(facts.count { !kept.contains($0) } == 1, "seed \(seed)")
            // What nobody was told of leaves no trace.
            try await bench.release()
            #expect(try await bench.database.query(bookings) == released, "seed \(seed)")
        }
    }

    @Test func theFirstGroupOfWhoeverIsInOneComesBack() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench { _, bench in
            let world = try await World(bench, seed: seed)
            try await world.allArrives()
            _ = try await Self.compare(world, corrects: true)
            let members = world.groupMembers.values.filter { $0.isPersonal == false }
            let expected = members.compactMap(\.userID).filter { !world.erased.contains($0) }
            let kept = try await bench.database.query(groupSteps)
            #expect(Set(kept) == Set(expected) && !kept.isEmpty, "seed \(seed)")
        }
    }

    /// However often an owner's things change, what they do not have is decided of.
    @Test func whatIsNotThereIsDecidedOfWhileItsOwnerNeverRests() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench { actor, bench in
            let world = try await World(bench, seed: seed)
            try await world.allArrives()
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(doubleOne) }
            }
            let lines = try await Self.compare(world, corrects: true) {
                world.bustle = 200
                for _ in 0..<3 { try await world.stir() }
                world.bustle = 0
            }
            #expect(!lines.contains { $0.hasPrefix("cannot tell") }, "seed \(seed): \(lines)")
            let left = try await bench.database.queryOne(doubles)
            #expect(left == 0, "seed \(seed)")
        }
    }

    /// More than a piece's of one person, a month of which is more than one by itself.
    @Test func whoHasBookedMuchIsCountedInPieces() async throws {
        try await withBench { actor, bench in
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(manyFacts) }
            }
            let world = try await World(bench, seed: 0)
            var lines: [String] = []
            let comparison = Comparison(
                database: bench.database,
                origins: world.origins,
                corrects: true,
                pause: {},
                tell: { lines.append($0) }
            )
            let user = ID<CellOwner>(high: 0, low: 1)
            try await CellRecount(comparison: comparison).run(user)
            #expect(try await bench.database.query(wrongCells).isEmpty)
            // Of a piece no more are told.
            #expect(lines.count > 1_000 && lines.count <= 4 * Int(CellRecount.linesMax))
            lines = []
            try await CellRecount(comparison: comparison).run()
            #expect(lines.isEmpty)
        }
    }

    static func compare(
        _ world: World,
        corrects: Bool,
        pause: (() async throws -> Void)? = nil
    ) async throws -> [String] {
        var lines: [String] = []
        let comparison = Comparison(
            database: world.bench.database,
            origins: world.origins,
            corrects: corrects,
            looks: 3_000,
            pause: pause ?? { try await world.stir() },
            tell: { lines.append($0) }
        )
        try await comparison.run()
        return lines
    }

    /// What is kept is what was booked by those who are there, and nothing else.
    private static func expectAll(of world: World, _ seed: UInt64) async throws {
        let database = world.bench.database
        let standing = world.versions.values.filter { found in
            !found.isReversed && !world.erased.contains(found.posting.userID)
        }
        let facts = Set(standing.flatMap { FactPart.all(of: $0.posting) }.map(text))
        let kept = try await database.query(factTexts)
        #expect(kept.count == facts.count && Set(kept) == facts, "seed \(seed)")
        #expect(try await database.query(wrongCells).isEmpty, "seed \(seed)")
        let tables: [any CopiedTable] = [
            PersonCopy(origins: world.origins), CategoryCopy(origins: world.origins),
            WalletMemberCopy(origins: world.origins), GroupCategoryCopy(origins: world.origins),
            GroupExpenseCopy(origins: world.origins),
        ]
        for table in tables {
            var told: [CopyRow] = []
            var cursor: Cursor?
            repeat {
                let page = try await table.told(SnapshotQuery(cursor: cursor))
                told += page.rows.map(\.row)
                cursor = page.next
            } while cursor != nil
            if table.isOfPeople {
                told.removeAll { world.erased.contains($0.key.owner.retagged(User.self)) }
            }
            let kept = try await table.kept(
                after: .first,
                through: .last,
                limit: 100_000,
                in: database
            )
            #expect(kept == told, "seed \(seed)")
        }
    }

    private static func text(_ part: FactPart) -> String {
        [
            part.fact.userID.text, part.fact.transactionID.text, String(part.fact.version),
            String(part.number), part.fact.accountID.text, part.fact.day.text,
            String(part.amount.minorUnits), part.amount.currency.code, part.category.text,
        ].joined(separator: " ")
    }
}

private struct Released: Hashable {
    let id: Int64
    let from: Int64
    let until: Int64?
}

private let bookings = Statement(
    "select id, counts_from, counts_until from analytics.booking order by id"
) { row in
    Released(id: try row.int64(0), from: try row.int64(1), until: try row.value(2))
}

/// Each fact with the transaction that wrote it.
private let writtenFacts = Statement(
    "select concat_ws(' ', user_id, transaction_id, version, part, xmin) from analytics.fact"
) { row in try row.string(0) }

private let loseOne: SQLScript = """
    delete from analytics.fact
    where ctid = (select ctid from analytics.fact where not is_reversed limit 1)
    """

private let groupSteps = Statement(
    "select user_id from analytics.first_step where step = 'group' order by user_id limit 100"
) { row in try row.value(0, as: ID<User>.self) }

private let doubleOne: SQLScript = """
    insert into analytics.group_expense
    select group_id, '00000000-0000-0000-0000-00000000000d', day, amount, currency, category_id
    from analytics.group_expense limit 1
    """

private let doubles = Statement(
    """
    select count(*) from analytics.group_expense
    where expense_id = '00000000-0000-0000-0000-00000000000d'
    """
) { row in try row.int64(0) }

extension World {
    /// Everybody is in a group of one, and all but one in the first with others.
    var groupMembers: [CopyKey: GroupMemberJoined] {
        var members: [CopyKey: GroupMemberJoined] = [:]
        for (number, user) in people.values.map(\.userID).sorted().enumerated() {
            let own = ID<WalletProtocol.Group>(high: 6, low: user.low)
            for group in number == 0 ? [own] : [own, groups[0]] {
                members[CopyKey(group, user)] = GroupMemberJoined(
                    groupID: group,
                    memberID: user.retagged(Member.self),
                    userID: user,
                    joinedAt: .now(),
                    isPersonal: group == own
                )
            }
        }
        return members
    }
}

private let manyFacts: SQLScript = """
    insert into analytics.fact
    select '00000000-0000-0000-0000-000000000001', md5(n::text)::uuid, 1, 0, n % 9 = 0,
        md5('a' || n % 2)::uuid, 'wallet',
        date '2024-02-01' + case when n % 2 = 0 then n % 20 else n % 700 end, n - 20000,
        case when n % 3 = 0 then 'JPY' else 'EUR' end, md5('c' || n % 5)::uuid, null
    from generate_series(1, 60000) n
    """

private let factTexts = Statement(
    """
    select concat_ws(' ', user_id, transaction_id, version, part, account_id, day, amount,
        currency, category_id)
    from analytics.fact
    where not is_reversed
    """
) { row in try row.string(0) }
