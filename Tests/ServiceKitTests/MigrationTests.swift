import Crypto
import Loops
import Postgres
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import ServiceKit

/// Migrations against a real server.
@Suite struct MigrationTests {
    private func file(_ name: String, _ sql: String) -> EmbeddedFile {
        EmbeddedFile(name: name, bytes: Array(sql.utf8))
    }

    @Test func eachFileRunsOnceInOrderAndAChangedOneIsRefused() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        let first = [
            file("0002_b.sql", "insert into a values (2);"),
            file("0001_a.sql", "create table a (n int); insert into a values (1);"),
        ]
        let changed = [file("0001_a.sql", "create table a (n bigint);")]
        try await onLoop { actor in
            let database = Database(configuration: made.owner, loop: actor.loop)
            defer { database.close() }
            let ran = try await Migrations(files: first, settings: []).run(on: database)
            #expect(ran == ["0001_a.sql", "0002_b.sql"])
            let again = try await Migrations(files: first, settings: []).run(on: database)
            #expect(again.isEmpty)
            let isApplied = await Migrations(files: first, settings: []).areApplied(on: database)
            #expect(isApplied)
            do {
                _ = try await Migrations(files: changed, settings: []).run(on: database)
                Issue.record("a changed file ran")
            } catch let error as MigrationError {
                guard case .changed("0001_a.sql") = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    @Test func aFailedFileLeavesNothingBehind() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        let bad = [file("0001_a.sql", "create table half (n int); select 1 / 0;")]
        let good = [file("0001_a.sql", "create table half (n int);")]
        try await onLoop { actor in
            let database = Database(configuration: made.owner, loop: actor.loop)
            defer { database.close() }
            do {
                _ = try await Migrations(files: bad, settings: []).run(on: database)
                Issue.record("a failing file ran")
            } catch is MigrationError {}
            let ran = try await Migrations(files: good, settings: []).run(on: database)
            #expect(ran == ["0001_a.sql"])
        }
    }

    @Test func replicasThatMigrateAtOnceRunEachFileOnce() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        let files = [file("0001_a.sql", "create table a (n int); insert into a values (1);")]
        try await onLoop { actor in
            var tasks: [Task<Void, Never>] = []
            for _ in 0..<4 {
                tasks.append(
                    actor.spawn { actor in
                        let database = Database(configuration: made.owner, loop: actor.loop)
                        do {
                            _ = try await Migrations(files: files, settings: []).run(on: database)
                        } catch { Issue.record("\(error)") }
                        database.close()
                    }
                )
            }
            for task in tasks { await task.value }
            let database = Database(configuration: made.owner, loop: actor.loop)
            defer { database.close() }
            let count = try await database.queryOne(
                Statement("select count(*) from a") { row in try row.int64(0) }
            )
            #expect(count == 1)
        }
    }

    /// The client's longest wait is shorter than the file takes.
    @Test func fileTakesAsLongAsItTakes() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        let told = Mutex<[String]>([])
        var migrations = Migrations(
            files: [file("0001_slow.sql", "select pg_sleep(4); create table done (n int);")],
            settings: [],
            report: { line in told.withLock { $0.append(line) } }
        )
        migrations.reportNanoseconds = 500_000_000
        let slow = migrations
        try await onLoop { actor in
            var configuration = made.owner
            configuration.waitMillisecondsMax = 3_000
            configuration.statementTimeoutMilliseconds = 3_000
            let database = Database(configuration: configuration, loop: actor.loop)
            defer { database.close() }
            try await untilConnected(database)
            #expect(try await slow.run(on: database) == ["0001_slow.sql"])
        }
        let lines = told.withLock { $0 }
        #expect(lines.count > 3 && lines.first == "0001_slow.sql runs, since 0 s", "\(lines)")
        #expect(Set(lines).count > 2, "\(lines)")
    }

    /// On a busy machine the first connection takes longer than the short wait of these tests.
    private func untilConnected(_ database: Database) async throws {
        for _ in 0..<60 where (try? await database.lease { _ in }) == nil {}
    }

    @Test func cancelledFileEndsAtTheServer() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        let slow = Migrations(
            files: [file("0001_slow.sql", "create table half (n int); select pg_sleep(600);")],
            settings: []
        )
        try await onLoop { actor in
            let database = Database(configuration: made.owner, loop: actor.loop)
            defer { database.close() }
            let bound = LoopBound(database, to: actor)
            let task = actor.spawn { actor in
                do {
                    _ = try await slow.run(on: bound.on(actor))
                    Issue.record("it was not cancelled")
                } catch {}
                await bound.on(actor).endAborts()
            }
            while try await database.queryOne(asleep) != true {
                try await actor.loop.sleep(nanoseconds: 20_000_000)
            }
            task.cancel()
            await task.value
            while try await database.queryOne(asleep) == true {
                try await actor.loop.sleep(nanoseconds: 20_000_000)
            }
            #expect(try await database.queryOne(hasHalf) == false)
        }
    }

    @Test func formerTextOfAFileIsAccepted() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        let former = file("0001_a.sql", "create table a (n int);")
        let sum = hexadecimal(SHA256.digest(former.bytes))
        let text = "-- The same, told otherwise.\n-- formerly \(sum)\ncreate table a (n integer);"
        let new = file("0001_a.sql", text)
        #expect(new.formerChecksums == [sum] && former.formerChecksums.isEmpty)
        try await onLoop { actor in
            let database = Database(configuration: made.owner, loop: actor.loop)
            defer { database.close() }
            for (wanted, ran) in [(former, ["0001_a.sql"]), (new, [])] {
                let done = try await Migrations(files: [wanted], settings: []).run(on: database)
                #expect(done == ran)
            }
        }
    }
}

private let asleep = Statement(
    """
    select exists (
        select from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep')
    """
) { row in try row.bool(0) }

private let hasHalf = Statement(
    "select to_regclass('half') is not null or to_regclass('public.half') is not null"
) { row in try row.bool(0) }
