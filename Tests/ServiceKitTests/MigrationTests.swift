import Loops
import Postgres
import TestKit
import Testing

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
}
