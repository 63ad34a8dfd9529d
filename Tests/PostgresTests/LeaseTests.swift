import Loops
import Postgres
import TestKit
import Testing

private let setting = Statement("select current_setting($1)") { row in try row.string(0) }

@Suite struct LeaseTests {
    @Test func whatASessionKeepsIsClearedAway() async throws {
        try await withDatabase({ $0.leasedConnectionsMax = 1 }) { _, database in
            try await database.lease { lease in
                try await lease.execute(Statement("set lock_timeout = 77"))
                try await lease.execute(Statement("create temporary table scratch (a int8)"))
                try await lease.execute(Statement("select pg_advisory_lock(5)"))
                try await lease.execute(Statement("begin"))
                try await lease.execute(Statement("declare c cursor with hold for select 1"))
                same(try await lease.queryOne(setting, "lock_timeout"), "77ms")
            }
            try await database.lease { lease in
                try await lease.execute(Statement("begin"))
                try await lease.execute(Statement("create table half_done (a int8)"))
            }
            try await database.lease { lease in
                let made = Statement("select to_regclass('half_done')::text") { row in
                    try row.value(0, as: String?.self)
                }
                same(try await lease.queryOne(made), .some(nil))
                same(try await lease.queryOne(setting, "lock_timeout"), "0")
                same(try await lease.queryOne(setting, "statement_timeout"), "1min")
                let left = Statement(
                    """
                    select (select count(*) from pg_locks
                             where locktype = 'advisory' and pid = pg_backend_pid())
                        + (select count(*) from pg_cursors where name = 'c')
                        + (select count(*) from pg_class where relname = 'scratch')
                    """
                ) { row in try row.int64(0) }
                same(try await lease.queryOne(left), 0)
            }
            #expect(database.metrics.connects == 1)
        }
    }

    @Test func twoStatementsAreUnderWayAtOnce() async throws {
        try await withDatabase { actor, database in
            try await database.lease { lease in
                let bound = LoopBound(lease, to: actor)
                let sum = Tally()
                await atOnce(10, on: actor) { actor, index in
                    let echo = Statement("select $1::int8") { row in try row.int64(0) }
                    let row = try? await bound.on(actor).queryOne(echo, Int64(index))
                    sum.count += Int(row ?? -1000)
                }
                #expect(sum.count == 45)
            }
        }
    }

    @Test func aCursorIsReadInPieces() async throws {
        try await withDatabase { _, database in
            let fetch = Statement("fetch 400 from c") { row in try row.int64(0) }
            let sizes = try await database.transaction { transaction in
                try await transaction.execute(
                    Statement("declare c cursor for select generate_series(1::int8, 1000)")
                )
                var sizes: [Int] = []
                while true {
                    let rows = try await transaction.query(fetch)
                    if rows.isEmpty { return sizes }
                    sizes.append(rows.count)
                }
            }
            #expect(sizes == [400, 400, 200])
        }
    }

    @Test func aScriptRunsWholeOrNotAtAll() async throws {
        try await withDatabase { _, database in
            let names = Statement(
                "select count(*) from pg_tables where schemaname = 'public'"
            ) { row in try row.int64(0) }
            try await database.lease { lease in
                try await lease.executeScript(
                    """
                    create table a (id int8); -- a comment; with a semicolon
                    create function f() returns text language sql as $$ select 'x;y' $$;
                    insert into a select generate_series(1, 10);
                    """
                )
                same(try await lease.queryOne(names), 1)
                let ended = await outcome {
                    try await lease.executeScript("create table b (id int8); select 1 / 0;")
                }
                #expect(ended == "server 22012")
                same(try await lease.queryOne(names), 1)
                let echo = Statement("select $1::int8") { row in try row.int64(0) }
                same(try await lease.queryOne(echo, Int64(3)), 3)
            }
            await #expect(throws: WaitCancelled.self) {
                try await database.transaction { transaction in
                    try await transaction.executeScript("create table d (id int8); select 1;")
                    same(try await transaction.queryOne(names), 2)
                    throw WaitCancelled()
                }
            }
            same(try await database.queryOne(names), 1)
            let name = try #require(Identifier("make_me"))
            try await database.lease { lease in
                try await lease.executeScript(
                    SQLScript("create table ", .name(name), " (id int8)")
                )
            }
            same(try await database.queryOne(names), 2)
        }
    }

    @Test(arguments: ["", "Upper", "1st", "a-b", "a\"b", String(repeating: "a", count: 64), "é"])
    func aNameThatNeedsQuotingIsNone(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test func copyBringsManyRowsOfEveryKind() async throws {
        try await withDatabase { _, database in
            try await database.execute(
                Statement(
                    """
                    create table bulk (id int8 primary key, n int4, name text, at timestamptz,
                        data jsonb, raw bytea, tags text[])
                    """
                )
            )
            let copy = CopyStatement(
                "copy bulk (id, n, name, at, data, raw, tags) from stdin (format binary)"
            )
            let long = String(repeating: "å", count: 200)
            let copied = try await database.lease { lease in
                var next: Int64 = 0
                let count = try await lease.copyIn(copy) { rows in
                    for _ in 0..<500 {
                        rows.append(
                            next,
                            next % 3 == 0 ? nil : Int32(next),
                            long,
                            PostgresInstant(microseconds: next),
                            PostgresJSON("{\"a\":1}"),
                            [1, 2, UInt8(truncatingIfNeeded: next)],
                            ["x", "y"]
                        )
                        next += 1
                    }
                    return next < 20_000
                }
                // The pipeline works again afterwards.
                try await lease.execute(Statement("select"))
                return count
            }
            #expect(copied == 20_000)
            let check = Statement(
                """
                select count(*), count(n), sum(length(name)), sum((data->>'a')::int),
                    (select raw from bulk where id = 255), max(tags) from bulk
                """
            ) { row in
                same(try row.int64(0), 20_000)
                same(try row.int64(1), 13_333)
                same(try row.int64(2), 4_000_000)
                same(try row.int64(3), 20_000)
                same(try row.bytes(4), [1, 2, 255])
                same(try row.value(5), ["x", "y"])
            }
            try await database.execute(check)
            _ = try await database.query(check)
        }
    }

    @Test func aCopyThatFailsLeavesNothing() async throws {
        try await withDatabase { _, database in
            try await database.execute(Statement("create table bulk (id int8 primary key)"))
            let copy = CopyStatement("copy bulk (id) from stdin (format binary)")
            let count = Statement("select count(*) from bulk") { row in try row.int64(0) }
            try await database.lease { lease in
                var left = 5
                let doubled = await outcome {
                    try await lease.copyIn(copy) { rows in
                        for _ in 0..<20_000 { rows.append(Int64(left)) }
                        left -= 1
                        return left > 0
                    }
                }
                #expect(doubled == "server 23505")
                await #expect(throws: WaitCancelled.self) {
                    try await lease.copyIn(copy) { rows in
                        rows.append(Int64(1))
                        throw WaitCancelled()
                    }
                }
                let missing = await outcome {
                    let copy = CopyStatement("copy nothing (id) from stdin (format binary)")
                    return try await lease.copyIn(copy) { _ in false }
                }
                #expect(missing == "server 42P01")
                same(try await lease.queryOne(count), 0)
            }
            let undone = await outcome {
                try await database.transaction { transaction in
                    try await transaction.copyIn(copy) { rows in
                        rows.append(Int64(1))
                        return false
                    }
                    same(try await transaction.queryOne(count), 1)
                    throw DatabaseError.cancelled
                }
            }
            #expect(undone == "cancelled")
            same(try await database.queryOne(count), 0)
        }
    }
}
