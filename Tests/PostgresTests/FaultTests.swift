import Glibc
import Loops
import Postgres
import TestKit
import Testing

private let sleep = Statement("select pg_sleep($1)")
private let backend = Statement("select pg_backend_pid()") { row in try row.int32(0) }
private let sleeps = Statement(
    "select coalesce(wait_event = 'PgSleep', false) from pg_stat_activity where pid = $1"
) { row in try row.bool(0) }
private let terminate = Statement("select pg_terminate_backend($1)") { row in try row.bool(0) }
private let makeItem = Statement("create table item (id int8 primary key)")
private let insert = Statement("insert into item (id) values ($1)")
private let ids = Statement("select id from item order by id") { row in try row.int64(0) }

@Suite struct FaultTests {
    @Test func whoeverIsUnderWayWhenTheServerDiesHearsOfItAndItComesBack() async throws {
        let cluster = try await PostgresCluster.start()
        try await withDatabase(
            {
                $0.sharedConnectionsMax = 2
                $0.inFlightMax = 4
            },
            on: cluster
        ) { actor, database in
            try await database.ping()
            let bound = LoopBound(database, to: actor)
            let endings = Endings()
            // 8 under way, 12 waiting for a connection, 4 with leases, 3 waiting for one.
            let running = actor.spawn { actor in
                await atOnce(27, on: actor) { actor, index in
                    let ended = await outcome {
                        if index < 20 {
                            try await bound.on(actor).execute(sleep, 50.0)
                        } else {
                            try await bound.on(actor).transaction {
                                try await $0.execute(sleep, 50.0)
                            }
                        }
                    }
                    endings.values.append(ended)
                }
            }
            while database.metrics.sharedInFlight < 8 || database.metrics.leasedInUse < 4 {
                try await actor.loop.sleep(nanoseconds: 5_000_000)
            }
            let started = monotonicNanoseconds()
            cluster.crash()
            await running.value
            #expect((monotonicNanoseconds() - started) / 1_000_000 < 30_000)
            #expect(endings.values.count == 27)
            let clear: Set = ["lost", "lost at commit", "cannot connect"]
            #expect(Set(endings.values).isSubset(of: clear))
            #expect(endings.values.count { $0 == "lost at commit" } == 8)
            #expect(endings.values.count { $0 == "lost" } == 4)

            same(await outcome { try await database.ping() }, "cannot connect")
            try await cluster.launch()
            let deadline = monotonicNanoseconds() + 60_000_000_000
            while await outcome({ try await database.ping() }) != "ok" {
                #expect(monotonicNanoseconds() < deadline)
                try await actor.loop.sleep(nanoseconds: 20_000_000)
            }
            try await database.transaction { try await $0.execute(sleep, 0.0) }
            try await untilIdle(database)
        }
        cluster.stop()
    }

    @Test func aSessionEndedAtCommitLeavesTheOutcomeOpen() async throws {
        try await withDatabase { actor, database in
            try await database.lease { lease in
                try await lease.executeScript(
                    """
                    create table item (id int8 primary key);
                    create function slow() returns trigger language plpgsql as
                        $$ begin perform pg_sleep(50); return null; end $$;
                    create constraint trigger slow after insert on item
                        deferrable initially deferred for each row execute function slow();
                    """
                )
            }
            let bound = LoopBound(database, to: actor)
            let hold = Exchangeable(on: actor.loop)
            let pid = Tally()
            let task = actor.spawn { actor in
                let ended = await outcome {
                    try await bound.on(actor).transaction { transaction in
                        pid.count = Int(try await transaction.queryOne(backend) ?? 0)
                        try await transaction.execute(insert, Int64(1))
                        hold.inside.resume(returning: ())
                    }
                }
                #expect(ended == "lost at commit")
            }
            try await hold.inside.value()
            while try await database.queryOne(sleeps, Int32(pid.count)) != true {
                try await actor.loop.sleep(nanoseconds: 5_000_000)
            }
            same(try await database.queryOne(terminate, Int32(pid.count)), true)
            await task.value
        }
    }

    @Test func aSessionEndedBeforeCommitHasDoneNothing() async throws {
        try await withDatabase { _, database in
            try await database.execute(makeItem)
            let other = Tally()
            let ended = await outcome {
                try await database.transaction { transaction in
                    try await transaction.execute(insert, Int64(1))
                    other.count = Int(try await transaction.queryOne(backend) ?? 0)
                    // Its own end, from within: the answer is FATAL rather than a row.
                    _ = try await transaction.queryOne(terminate, Int32(other.count))
                }
            }
            #expect(ended == "lost")
            same(try await database.query(ids), [])
            // The old lease stays dead when its connection has come back.
            let late = await outcome {
                try await database.lease { lease in
                    _ = try? await lease.queryOne(terminate, try await lease.queryOne(backend))
                    while database.metrics.leasedConnected == 0 {
                        try await database.loop.sleep(nanoseconds: 5_000_000)
                    }
                    try await lease.execute(insert, Int64(2))
                }
            }
            #expect(late == "lost")
            same(try await database.query(ids), [])
        }
    }

    @Test func aFrozenBackendHoldsNobodyBeyondTheDeadline() async throws {
        try await withDatabase({ $0.leasedConnectionsMax = 1 }) { actor, database in
            let frozen = Tally()
            frozen.count = Int(
                try await database.transaction { try await $0.queryOne(backend) } ?? 0
            )
            try #require(frozen.count > 0)
            let ended = await outcome {
                try await withDeadline(milliseconds: 1_000) {
                    try await database.transaction { transaction in
                        try await transaction.execute(sleep, 0.0)
                        kill(Int32(frozen.count), SIGSTOP)
                        try await transaction.execute(sleep, 0.0)
                    }
                }
            }
            #expect(ended == "deadline")
            // The place is free again although the old backend still stands.
            try await database.transaction { try await $0.execute(sleep, 0.0) }
            kill(Int32(frozen.count), SIGCONT)
        }
    }

    @Test func aServerThatNeverAnswersIsGivenUp() async throws {
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        let port = try FreePort.pick()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(silent, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(bound == 0)
        listen(silent, 8)
        try await onLoop { actor in
            var configuration = DatabaseConfiguration(
                server: .address("127.0.0.1", port: port),
                database: "nobody",
                user: "nobody"
            )
            configuration.connectMillisecondsMax = 100
            configuration.waitMillisecondsMax = 60_000
            let database = Database(configuration: configuration, loop: actor.loop)
            defer { database.close() }
            let started = monotonicNanoseconds()
            same(await outcome { try await database.ping() }, "cannot connect")
            #expect((monotonicNanoseconds() - started) / 1_000_000 < 30_000)
            let late = await outcome {
                try await withDeadline(milliseconds: 20) { try await database.ping() }
            }
            #expect(late == "deadline")
        }
    }

    /// What was acknowledged is there, what was refused is not; what was cut off may be either.
    @Test func underRandomTerminationsEveryAnswerIsTrue() async throws {
        try await withDatabase({
            $0.sharedConnectionsMax = 2
            $0.leasedConnectionsMax = 3
            $0.backOffMillisecondsMin = 5
        }) { actor, database in
            try await database.execute(makeItem)
            let admin = Database(configuration: database.configuration, loop: actor.loop)
            defer { admin.close() }
            let bound = LoopBound(database, to: actor)
            let killer = LoopBound(admin, to: actor)
            let endings = Endings()
            endings.values = Array(repeating: "", count: 1_000)
            let killing = actor.spawn { actor in
                let victims = Statement(
                    """
                    select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and pid <> pg_backend_pid()
                    order by random() limit 1
                    """
                )
                for _ in 0..<40 {
                    _ = try? await killer.on(actor).execute(victims)
                    try? await actor.loop.sleep(nanoseconds: 7_000_000)
                }
            }
            await atOnce(25, on: actor) { actor, worker in
                for index in 0..<40 {
                    let id = worker * 40 + index
                    endings.values[id] = await outcome {
                        let database = bound.on(actor)
                        if id % 2 == 0 {
                            try await database.execute(insert, Int64(id))
                        } else {
                            try await database.transaction { transaction in
                                try await transaction.execute(insert, Int64(id))
                                try await transaction.execute(sleep, 0.001)
                            }
                        }
                    }
                }
            }
            await killing.value
            let there = Set(try await admin.query(ids).map(Int.init))
            for (id, ended) in endings.values.enumerated() {
                switch ended {
                case "ok": #expect(there.contains(id), "\(id) was acknowledged")
                case "lost", "cannot connect": #expect(!there.contains(id), "\(id) was \(ended)")
                case "lost at commit": break
                default: Issue.record("\(id): \(ended)")
                }
            }
            #expect(endings.values.contains("ok"))
            #expect(database.metrics.connectionsLost > 0)
            try await untilIdle(database)
        }
    }
}

/// How each of many ended.
private final class Endings: @unchecked Sendable {
    var values: [String] = []
}
