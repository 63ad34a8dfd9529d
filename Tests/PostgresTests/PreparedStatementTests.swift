import Loops
import Postgres
import TestKit
import Testing

private let countPrepared = Statement("select count(*) from pg_prepared_statements") { row in
    try row.int64(0)
}

@Suite struct PreparedStatementTests {
    @Test func aChangedRowTypeIsPreparedAnew() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { actor, database in
            try await database.execute(Statement("create table item (a int8)"))
            try await database.execute(Statement("insert into item values (1)"))
            let all = Statement("select * from item") { row in try row.int64(0) }
            same(try await database.query(all), [1])
            try await database.transaction { same(try await $0.query(all), [1]) }
            try await database.execute(Statement("alter table item add column b text"))
            let bound = LoopBound(database, to: actor)
            // Several at once meet the stale plan in one pipeline.
            await atOnce(20, on: actor) { actor, _ in
                do {
                    same(try await bound.on(actor).query(all), [1])
                } catch {
                    Issue.record(error)
                }
            }
            #expect(database.metrics.planRetries > 0)
            try await database.transaction { same(try await $0.query(all), [1]) }
            try await database.lease { same(try await $0.query(all), [1]) }
        }
    }

    @Test func aLostNameIsPreparedAnew() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { _, database in
            let one = Statement("select 1") { row in try row.int32(0) }
            same(try await database.query(one), [1])
            try await database.execute(
                Statement("do $$ begin execute 'deallocate all'; end $$")
            )
            same(try await database.query(one), [1])
            #expect(database.metrics.planRetries == 1)
            try await database.lease { lease in
                same(try await lease.query(one), [1])
                try await lease.execute(Statement("deallocate all"))
                same(try await lease.query(one), [1])
            }
            try await database.transaction { transaction in
                same(try await transaction.query(one), [1])
            }
        }
    }

    @Test func aNameIsKeptAfterItsSuccessOnly() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { _, database in
            let late = Statement("select a from late") { row in try row.int64(0) }
            for _ in 0..<2 {
                same(await outcome { try await database.query(late) }, "server 42P01")
            }
            try await database.execute(Statement("create table late (a int8)"))
            same(try await database.query(late), [])
            same(try await database.query(late), [])
            // In a transaction that has failed nothing is prepared, and nothing kept as if it were.
            let two = Statement("select 2") { row in try row.int32(0) }
            let ended = await outcome {
                try await database.transaction { transaction in
                    _ = try? await transaction.query(Statement("select 1 / 0"))
                    _ = try? await transaction.query(two)
                }
            }
            #expect(ended == "rolled back")
            try await database.transaction { same(try await $0.query(two), [2]) }
        }
    }

    @Test func thereAreNeverMoreThanConfigured() async throws {
        try await withDatabase({
            $0.sharedConnectionsMax = 1
            $0.preparedStatementsMax = 4
        }) { _, database in
            let statements = [
                Statement("select 10") { try $0.int32(0) },
                Statement("select 11") { try $0.int32(0) },
                Statement("select 12") { try $0.int32(0) },
                Statement("select 13") { try $0.int32(0) },
                Statement("select 14") { try $0.int32(0) },
                Statement("select 15") { try $0.int32(0) },
            ]
            for _ in 0..<5 {
                for (index, statement) in statements.enumerated() {
                    same(try await database.query(statement), [Int32(10 + index)])
                }
            }
            let count = try await database.queryOne(countPrepared) ?? 0
            #expect((1...5).contains(count))
        }
    }

    @Test func oneStatementIsPreparedOnceEvenWhenManyBeginTogether() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { actor, database in
            try await database.ping()
            let bound = LoopBound(database, to: actor)
            let fresh = Statement("select 'fresh'") { row in try row.string(0) }
            await atOnce(50, on: actor) { actor, _ in
                let rows = try? await bound.on(actor).query(fresh)
                #expect(rows == ["fresh"])
            }
            let named = Statement(
                "select count(*) from pg_prepared_statements where statement like '%fresh%'"
            ) { row in try row.int64(0) }
            // That one, and the one that asks.
            same(try await database.queryOne(named), 2)
        }
    }

    @Test func parametersOfOtherTypesRunUnprepared() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { _, database in
            let echo = Statement("select $1") { row in try row.int64(0) }
            same(try await database.query(echo, Int64(1)), [1])
            same(try await database.query(echo, Int32(2)), [2])
            same(try await database.query(echo, Int16(3)), [3])
            same(try await database.query(echo, Int64(4)), [4])
        }
    }
}
