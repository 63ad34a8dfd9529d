import Loops
import Messaging
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// A rebuild meets whoever takes all of somebody's, or of a group's, away.
@Suite struct RebuildLockTests {
    /// What is wrong with everybody's rows, each corrected in another way.
    private static let damages: [SQLScript] = [
        "update analytics.fact set is_reversed = true",
        "update analytics.fact set amount = amount + 100",
        """
        insert into analytics.fact
        select user_id, transaction_id, 99, part, false, account_id, account_kind, day, amount,
            currency, category_id, coicop
        from analytics.fact where version = 1
        """,
        "update analytics.report_cell set amount = amount + 5",
    ]

    /// Who waits for whom: a rebuild has no row by then that an erasure takes, and writes nothing
    /// of the person behind it.
    @Test(arguments: damages.indices)
    func whoeverCorrectsWaitsForAnErasureBeforeTheyLockARow(_ kind: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench { actor, bench in
            let world = try await World(bench, seed: seed)
            try await world.allArrives()
            let damage = Self.damages[kind]
            let user = try #require(try await bench.database.queryOne(whoHasMost), "seed \(seed)")
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(damage) }
            }
            let bound = LoopBound((bench, world, Meeting()), to: actor)
            _ = try await atOnce(2, on: actor) { actor, number in
                let (bench, world, meeting) = bound.on(actor)
                guard number == 0 else {
                    try await meeting.behind(on: actor.loop) {
                        _ = try await RebuildTests.compare(world, corrects: true)
                    }
                    return
                }
                try await bench.database.transaction { transaction in
                    try await ErasedUsers.remember(user, at: .now(), in: transaction)
                    let isWaiting = try await meeting.waits(transaction, actor.loop)
                    #expect(isWaiting, "seed \(seed)")
                    let isFree = try await transaction.queryOne(rowsAreFree, user)
                    #expect(isFree == true, "seed \(seed)")
                    let erased = envelope(UserErased(userID: user, erasedAt: .now()), from: .auth)
                    try await PeopleEvents.apply(erased, in: transaction)
                    try await UsageEvents.apply(erased, in: transaction)
                }
            }
            let left = try await bench.database.queryOne(rowCount, user)
            #expect(left == 0, "seed \(seed)")
        }
    }

    @Test func cellsOfAGroupThatGoesMeanwhileDoNotComeBack() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench { actor, bench in
            let world = try await World(bench, seed: seed)
            try await world.allArrives()
            let group = try #require(try await bench.database.queryOne(someGroup))
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(Self.damages[3]) }
            }
            let bound = LoopBound((bench, world, Meeting()), to: actor)
            _ = try await atOnce(2, on: actor) { actor, number in
                let (bench, world, meeting) = bound.on(actor)
                guard number == 0 else {
                    let comparison = Comparison(
                        database: bench.database,
                        origins: world.origins,
                        corrects: true,
                        pause: {},
                        tell: { _ in }
                    )
                    try await meeting.behind(on: actor.loop) {
                        try await CellRecount(comparison: comparison)
                            .run(group.retagged(CellOwner.self))
                    }
                    return
                }
                try await bench.database.transaction { transaction in
                    _ = try await InboxRows.hold(
                        ["group:\(group)"],
                        of: .groups,
                        in: transaction
                    )
                    let gone = GroupChanged(groupID: group, currency: .eur, isDeleted: true)
                    try await GroupEvents.apply([envelope(gone, from: .groups)], in: transaction)
                    let isWaiting = try await meeting.waits(transaction, actor.loop)
                    #expect(isWaiting, "seed \(seed)")
                }
            }
            let left = try await bench.database.queryOne(rowCount, group.retagged(User.self))
            #expect(left == 0, "seed \(seed)")
        }
    }
}

/// Two who come one behind the other.
final class Meeting {
    private var isHeld = false
    private var isOver = false

    /// Whether somebody waits for a lock of the transaction's, who begins once it has them.
    func waits(_ transaction: Transaction, _ loop: EventLoop) async throws -> Bool {
        isHeld = true
        while !isOver {
            if try await transaction.queryOne(someoneWaits) == true { return true }
            try await loop.sleep(nanoseconds: 2_000_000)
        }
        return false
    }

    func behind(on loop: EventLoop, _ body: () async throws -> Void) async throws {
        while !isHeld { try await loop.sleep(nanoseconds: 1_000_000) }
        defer { isOver = true }
        try await body()
    }
}

/// Of this database: what waits for a transaction's end is of none.
private let someoneWaits = Statement(
    """
    select exists (
        select from pg_locks w
        join pg_locks o on o.pid = w.pid
        join pg_database d on d.oid = o.database
        where not w.granted and d.datname = current_database())
    """
) { row in try row.bool(0) }

private let rowsAreFree = Statement(
    """
    select (select count(*) from analytics.fact where user_id = $1) = (
            select count(*) from (
                select from analytics.fact where user_id = $1 for update skip locked) f)
        and (select count(*) from analytics.report_cell where owner_id = $1) = (
            select count(*) from (
                select from analytics.report_cell where owner_id = $1 for update skip locked) c)
    """
) { row in try row.bool(0) }

private let whoHasMost = Statement(
    """
    select user_id from analytics.fact
    where not is_reversed and version = 1
    group by user_id order by count(*) desc, user_id limit 1
    """
) { row in try row.value(0, as: ID<User>.self) }

private let someGroup = Statement(
    "select group_id from analytics.group_expense order by group_id limit 1"
) { row in try row.value(0, as: ID<WalletProtocol.Group>.self) }

private let rowCount = Statement(
    """
    select (select count(*) from analytics.fact where user_id = $1)
        + (select count(*) from analytics.report_cell where owner_id = $1)
        + (select count(*) from analytics.first_step where user_id = $1)
        + (select count(*) from analytics.person where user_id = $1)
        + (select count(*) from analytics.category where user_id = $1)
        + (select count(*) from analytics.group_expense where group_id = $1)
    """
) { row in try row.int64(0) }
