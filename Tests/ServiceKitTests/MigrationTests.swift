import Loops
import Postgres
import TestKit
import Testing

@testable import ServiceKit

/// Migrations and idempotency keys against a real server.
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

    @Test func oneKeyHasOneEffectHoweverManyAskAtOnce() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        let files = [
            file(
                "0001_keys.sql",
                """
                create table idempotency_key (
                    scope text not null, key text not null, request_hash bytea not null,
                    resource text not null, created_at timestamptz not null default now(),
                    primary key (scope, key));
                create table effect (n bigint generated always as identity);
                """
            )
        ]
        let scope = IdempotencyScope(key: "k", scope: "s", requestHash: [1])
        let other = IdempotencyScope(key: "k", scope: "s", requestHash: [2])
        try await onLoop { actor in
            var configuration = made.owner
            configuration.leasedConnectionsMax = 8
            let database = Database(configuration: configuration, loop: actor.loop)
            defer { database.close() }
            _ = try await Migrations(files: files, settings: []).run(on: database)
            let bound = LoopBound(database, to: actor)
            var tasks: [Task<Void, Never>] = []
            for _ in 0..<20 {
                tasks.append(
                    actor.spawn { actor in
                        let database = bound.on(actor)
                        do {
                            try await database.transaction { transaction in
                                let outcome = try await IdempotencyKeys.claim(
                                    scope,
                                    in: transaction
                                )
                                guard outcome == .claimed else { return }
                                try await transaction.execute(
                                    Statement("insert into effect default values")
                                )
                                try await IdempotencyKeys.record(
                                    "r",
                                    for: scope,
                                    in: transaction
                                )
                            }
                        } catch { Issue.record("\(error)") }
                    }
                )
            }
            for task in tasks { await task.value }
            let effects = try await database.queryOne(
                Statement("select count(*) from effect") { row in try row.int64(0) }
            )
            #expect(effects == 1)
            let repeated = try await database.transaction { transaction in
                try await IdempotencyKeys.claim(scope, in: transaction)
            }
            #expect(repeated == .done(resource: "r"))
            do {
                try await database.transaction { transaction in
                    _ = try await IdempotencyKeys.claim(other, in: transaction)
                }
                Issue.record("another body under the same key")
            } catch { #expect("\(error)".contains("idempotency-key-reused"), "\(error)") }
        }
    }
}
