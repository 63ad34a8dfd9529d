import Loops
import Postgres
import TestKit
import Testing

private let echo = Statement("select $1::int8") { row in try row.int64(0) }
private let sleep = Statement("select pg_sleep($1)")

@Suite struct SharedConnectionTests {
    @Test func aThousandStatementsOnTwoConnectionsGetTheirOwnAnswers() async throws {
        try await withDatabase({
            $0.sharedConnectionsMax = 2
            $0.waitersMax = 1_000
        }) { actor, database in
            let bound = LoopBound(database, to: actor)
            await atOnce(1_000, on: actor) { actor, index in
                do {
                    let rows = try await bound.on(actor).query(echo, Int64(index))
                    #expect(rows == [Int64(index)])
                } catch {
                    Issue.record(error)
                }
            }
            #expect(database.metrics.sharedConnected == 2)
            try await untilIdle(database)
            #expect(database.metrics.sharedWaiting == 0)
            #expect(database.metrics.statements >= 1_000)
        }
    }

    @Test func aFailingStatementHarmsNoNeighbourInThePipeline() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { actor, database in
            let bound = LoopBound(database, to: actor)
            let divide = Statement("select 10 / $1::int8") { row in try row.int64(0) }
            await atOnce(60, on: actor) { actor, index in
                let isBad = index % 3 == 0
                let ended = await outcome {
                    let row = try await bound.on(actor).queryOne(divide, isBad ? 0 : Int64(index))
                    #expect(row == 10 / Int64(index))
                }
                #expect(ended == (isBad ? "server 22012" : "ok"))
            }
            #expect(database.metrics.connectionsLost == 0)
        }
    }

    @Test func aTransactionOnALeaseNeverTouchesTheSharedConnections() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { actor, database in
            try await database.execute(Statement("create table item (id int8 primary key)"))
            let insert = Statement("insert into item (id) values ($1)")
            let bound = LoopBound(database, to: actor)
            let hold = Exchangeable(on: actor.loop)
            struct GivenUp: Error {}
            let other = actor.spawn { actor in
                let database = bound.on(actor)
                await #expect(throws: GivenUp.self) {
                    try await database.transaction { transaction in
                        try await transaction.execute(insert, Int64(1))
                        hold.inside.resume(returning: ())
                        try await hold.release.value()
                        throw GivenUp()
                    }
                }
            }
            try await hold.inside.value()
            same(try await database.execute(insert, Int64(2)), 1)
            hold.release.resume(returning: ())
            await other.value
            let ids = try await database.query(
                Statement("select id from item order by id") { row in try row.int64(0) }
            )
            #expect(ids == [2])
        }
    }

    @Test(arguments: [
        Statement("begin"), Statement(" -- why\n/* how */ COMMIT"), Statement("set role x"),
        Statement("copy t from stdin"), Statement("listen x"), Statement("savepoint a"),
    ])
    func sessionStatementsAreRefused(statement: Statement<Void>) async throws {
        try await withDatabase { _, database in
            same(await outcome { try await database.execute(statement) }, "needs lease")
        }
    }

    @Test func theDeadlineEndsTheWaitAndNothingElse() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { actor, database in
            try await database.ping()
            let bound = LoopBound(database, to: actor)
            let answered = Tally()
            let neighbour = actor.spawn { actor in
                try? await actor.loop.sleep(nanoseconds: 20_000_000)
                let row = try? await bound.on(actor).queryOne(echo, Int64(7))
                #expect(row == 7)
                answered.count += 1
            }
            let started = monotonicNanoseconds()
            let ended = await outcome {
                try await withDeadline(milliseconds: 100) {
                    try await database.execute(sleep, 2.0)
                }
            }
            #expect(ended == "deadline")
            #expect((monotonicNanoseconds() - started) / 1_000_000 >= 95)
            // The neighbour's answer comes behind the statement's: that one still runs.
            #expect(answered.count == 0)
            await neighbour.value
            #expect(database.metrics.connectionsLost == 0)
            #expect(database.metrics.abandoned == 1)
        }
    }

    @Test func aPassedDeadlineSendsNothing() async throws {
        try await withDatabase { _, database in
            let ended = await outcome {
                try await withDeadline(milliseconds: 0) { try await database.ping() }
            }
            #expect(ended == "deadline")
            #expect(database.metrics.statements == 0)
        }
    }

    @Test func cancellationEndsTheWait() async throws {
        try await withDatabase { actor, database in
            try await database.ping()
            let bound = LoopBound(database, to: actor)
            let task = actor.spawn { actor in
                let ended = await outcome { try await bound.on(actor).execute(sleep, 50.0) }
                #expect(ended == "cancelled")
            }
            try await actor.loop.sleep(nanoseconds: 30_000_000)
            let started = monotonicNanoseconds()
            task.cancel()
            await task.value
            #expect(monotonicNanoseconds() - started < 30_000_000_000)
        }
    }

    @Test func aFullQueueRefusesAtOnce() async throws {
        try await withDatabase({
            $0.sharedConnectionsMax = 1
            $0.inFlightMax = 2
            $0.waitersMax = 3
        }) { actor, database in
            try await database.ping()
            let bound = LoopBound(database, to: actor)
            let refused = Tally()
            await atOnce(10, on: actor) { actor, _ in
                let ended = await outcome { try await bound.on(actor).execute(sleep, 0.05) }
                if ended == "queue full" { refused.count += 1 } else { #expect(ended == "ok") }
            }
            #expect(refused.count == 5)
            #expect(database.metrics.rejected == 5)
        }
    }

    @Test func aLeaseholderMayNotWaitForOtherConnections() async throws {
        try await withDatabase { _, database in
            for _ in 0..<2 {
                let shared = await outcome {
                    try await database.transaction { _ in try await database.ping() }
                }
                #expect(shared == "waits while holding lease")
                let leased = await outcome {
                    try await database.lease { _ in try await database.transaction { _ in } }
                }
                #expect(leased == "waits while holding lease")
            }
            try await database.ping()
            try await untilIdle(database)
        }
    }

    @Test func aClosedDatabaseRefusesEverybody() async throws {
        try await withDatabase { actor, database in
            try await database.ping()
            let bound = LoopBound(database, to: actor)
            let task = actor.spawn { actor in
                let ended = await outcome { try await bound.on(actor).execute(sleep, 5.0) }
                #expect(ended == "lost at commit")
            }
            try await actor.loop.sleep(nanoseconds: 20_000_000)
            database.close()
            await task.value
            same(await outcome { try await database.ping() }, "closed")
        }
    }
}
