import Loops
import Postgres
import TestKit
import Testing

private let makeItem = Statement("create table item (id int8 primary key, n int8 default 0)")
private let insert = Statement("insert into item (id) values ($1)")
private let raise = Statement("update item set n = n + 1 where id = $1")
private let ids = Statement("select id from item order by id") { row in try row.int64(0) }
private let total = Statement("select sum(n) from item") { row in try row.int64(0) }

private struct GivenUp: Error {}

@Suite struct TransactionTests {
    @Test func itCommitsWholeOrVanishesWhole() async throws {
        try await withDatabase { _, database in
            // An empty one sends nothing.
            try await database.transaction { _ in }
            #expect(database.metrics.statements == 0)
            try await database.execute(makeItem)
            let value = try await database.transaction { transaction in
                try await transaction.execute(insert, Int64(1))
                try await transaction.execute(insert, Int64(2))
                return "both"
            }
            #expect(value == "both")
            await #expect(throws: GivenUp.self) {
                try await database.transaction { transaction in
                    try await transaction.execute(insert, Int64(3))
                    throw GivenUp()
                }
            }
            let ended = await outcome {
                try await database.transaction { transaction in
                    try await transaction.execute(insert, Int64(4))
                    try await transaction.execute(insert, Int64(1))
                }
            }
            #expect(ended == "server 23505")
            same(try await database.query(ids), [1, 2])
            try await untilIdle(database)
        }
    }

    @Test func whatWasSentWithoutWaitingCommitsOrIsTheCommitsRefusal() async throws {
        try await withDatabase { _, database in
            try await database.execute(makeItem)
            let found = try await database.transaction { transaction in
                try transaction.send(insert, Int64(1))
                let first = try transaction.ask(ids)
                try transaction.send(insert, Int64(2))
                let second = try transaction.ask(ids)
                return [try await first.rows(), try await second.rows()]
            }
            #expect(found == [[1], [1, 2]])
            let ended = await outcome {
                try await database.transaction { transaction in
                    try transaction.send(insert, Int64(3))
                    try transaction.send(insert, Int64(1))
                    try transaction.send(insert, Int64(4))
                }
            }
            #expect(ended == "server 23505")
            same(try await database.query(ids), [1, 2])
            try await untilIdle(database)
        }
    }

    @Test func anErrorThatWasSwallowedIsNoCommit() async throws {
        try await withDatabase { _, database in
            try await database.execute(makeItem)
            let ended = await outcome {
                try await database.transaction { transaction in
                    try await transaction.execute(insert, Int64(1))
                    _ = try? await transaction.execute(insert, Int64(1))
                }
            }
            #expect(ended == "rolled back")
            same(try await database.query(ids), [])
        }
    }

    @Test func aTransactionIsOfNoUseAfterwards() async throws {
        try await withDatabase { _, database in
            let kept = try await database.transaction { $0 }
            same(await outcome { try await kept.execute(Statement("select")) }, "used")
            let lease = try await database.lease { $0 }
            same(await outcome { try await lease.execute(Statement("select")) }, "used")
        }
    }

    @Test func serializationFailuresAreRunAgain() async throws {
        try await withDatabase({ $0.leasedConnectionsMax = 4 }) { actor, database in
            try await database.execute(makeItem)
            try await database.execute(insert, Int64(1))
            let bound = LoopBound(database, to: actor)
            let read = Statement("select n from item where id = $1") { row in try row.int64(0) }
            let write = Statement("update item set n = $2 where id = $1")
            let met = Tally()
            await atOnce(4, on: actor) { actor, _ in
                let ended = await outcome {
                    let options = TransactionOptions(isolation: .serializable, attemptsMax: 50)
                    try await bound.on(actor).transaction(options) { transaction in
                        let n = try await transaction.queryOne(read, Int64(1)) ?? 0
                        // All have read before the first writes.
                        met.count += 1
                        while met.count < 4 { try await actor.loop.sleep(nanoseconds: 1_000_000) }
                        try await transaction.execute(write, Int64(1), n + 1)
                    }
                }
                #expect(ended == "ok")
            }
            same(try await database.queryOne(total), 4)
            #expect(database.metrics.transactionRetries >= 3)
        }
    }

    @Test func deadlocksAreRunAgain() async throws {
        try await withDatabase { actor, database in
            try await database.execute(makeItem)
            for id in 1...2 { try await database.execute(insert, Int64(id)) }
            let bound = LoopBound(database, to: actor)
            let met = Tally()
            await atOnce(2, on: actor) { actor, index in
                let ended = await outcome {
                    try await bound.on(actor).transaction { transaction in
                        try await transaction.execute(raise, Int64(index + 1))
                        met.count += 1
                        while met.count < 2 { try await actor.loop.sleep(nanoseconds: 1_000_000) }
                        try await transaction.execute(raise, Int64(2 - index))
                    }
                }
                #expect(ended == "ok")
            }
            same(try await database.queryOne(total), 4)
            #expect(database.metrics.transactionRetries >= 1)
        }
    }

    @Test func lockTimeoutsAreRunAgainUpToTheBound() async throws {
        try await withDatabase { actor, database in
            try await database.execute(makeItem)
            try await database.execute(insert, Int64(1))
            let bound = LoopBound(database, to: actor)
            let hold = Exchangeable(on: actor.loop)
            let holder = actor.spawn { actor in
                _ = await outcome {
                    try await bound.on(actor).transaction { transaction in
                        try await transaction.execute(raise, Int64(1))
                        hold.inside.resume(returning: ())
                        try await hold.release.value()
                    }
                }
            }
            try await hold.inside.value()
            let attempts = Tally()
            let ended = await outcome {
                try await database.transaction(TransactionOptions(attemptsMax: 3)) { transaction in
                    attempts.count += 1
                    try transaction.setLockTimeout(milliseconds: 20)
                    try await transaction.execute(raise, Int64(1))
                }
            }
            #expect(ended == "server 55P03")
            #expect(attempts.count == 3)
            hold.release.resume(returning: ())
            await holder.value
            // The setting was the transaction's own.
            let setting = try await database.transaction { transaction in
                try await transaction.queryOne(
                    Statement("select current_setting('lock_timeout')") { try $0.string(0) }
                )
            }
            #expect(setting == "0")
        }
    }

    @Test func theDeadlineEndsTheStatementAtTheServer() async throws {
        try await withDatabase({ $0.leasedConnectionsMax = 1 }) { actor, database in
            try await database.execute(makeItem)
            try await database.execute(insert, Int64(1))
            try await database.transaction { try await $0.execute(Statement("select")) }
            let started = monotonicNanoseconds()
            let ended = await outcome {
                try await withDeadline(milliseconds: 1_000) {
                    try await database.transaction { transaction in
                        try await transaction.execute(raise, Int64(1))
                        try await transaction.execute(Statement("select pg_sleep(50)"))
                    }
                }
            }
            #expect(ended == "deadline")
            #expect((monotonicNanoseconds() - started) / 1_000_000 < 30_000)
            // The row's lock is gone long before the fifty seconds, and so is the session; its
            // place in the budget is free again.
            try await database.transaction { transaction in
                try await transaction.execute(raise, Int64(1))
            }
            same(try await database.queryOne(total), 1)
            #expect((monotonicNanoseconds() - started) / 1_000_000 < 40_000)
            #expect(database.metrics.aborted == 1)
        }
    }

    @Test func cancellationRollsBack() async throws {
        try await withDatabase { actor, database in
            try await database.execute(makeItem)
            let bound = LoopBound(database, to: actor)
            let task = actor.spawn { actor in
                let ended = await outcome {
                    try await bound.on(actor).transaction { transaction in
                        try await transaction.execute(insert, Int64(1))
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                }
                #expect(ended == "cancelled")
            }
            await task.value
            same(try await database.query(ids), [])
        }
    }

    @Test func whoeverWaitsForALeaseGetsItInTurnOrHearsWhyNot() async throws {
        try await withDatabase({
            $0.leasedConnectionsMax = 1
            $0.waitersMax = 5
        }) { actor, database in
            try await database.ping()
            let bound = LoopBound(database, to: actor)
            let order = Sequence()
            await atOnce(8, on: actor) { actor, index in
                let ended = await outcome {
                    try await bound.on(actor).transaction { transaction in
                        order.values.append(index)
                        try await transaction.execute(Statement("select pg_sleep(0.01)"))
                    }
                }
                #expect(ended == (index < 5 ? "ok" : "queue full"))
            }
            #expect(order.values == [0, 1, 2, 3, 4])
            try await untilIdle(database)
            let hold = Exchangeable(on: actor.loop)
            let holder = actor.spawn { actor in
                _ = await outcome {
                    try await bound.on(actor).lease { _ in
                        hold.inside.resume(returning: ())
                        try await hold.release.value()
                    }
                }
            }
            try await hold.inside.value()
            let ended = await outcome {
                try await withDeadline(milliseconds: 50) {
                    try await database.transaction { try await $0.execute(Statement("select")) }
                }
            }
            #expect(ended == "deadline")
            #expect(database.metrics.leasedWaiting == 0)
            hold.release.resume(returning: ())
            await holder.value
        }
    }
}

/// Values in the order in which they came.
private final class Sequence: @unchecked Sendable {
    var values: [Int] = []
}
