import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Databases that are not as the newest files expect them.
@Suite struct MigrationTests {
    private func migrate(
        _ made: TestDatabase,
        below end: String = "9999",
        seeing schemas: [String] = [],
        first: SQLScript? = nil,
        then check: @escaping @Sendable (isolated LoopActor, Database) async throws -> Void
    ) async throws {
        try await onLoop { actor in
            var configuration = made.owner
            configuration.searchPath = schemas.compactMap { Identifier($0) }
            let owner = Database(configuration: configuration, loop: actor.loop)
            defer { owner.close() }
            if let first { try await owner.lease { try await $0.executeScript(first) } }
            let settings = [("ezwallet.service_role", made.serviceRole)]
            let files = groupsService.migrations
            let part = files.filter { $0.name < end }
            _ = try await Migrations(files: part, settings: settings).run(on: owner)
            try await check(actor, owner)
            _ = try await Migrations(files: files, settings: settings).run(on: owner)
        }
    }

    @Test func serverWithoutLZ4IsMigrated() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("groups")
        try await migrate(
            made,
            seeing: ["without_lz4", "pg_catalog"],
            first: settingsWithoutLZ4
        ) { _, owner in
            let packed = try await owner.query(compressions)
            #expect(packed == ["", ""])
        }
        let other = try await PostgresCluster.shared().makeDatabase("groups")
        try await migrate(other) { _, owner in
            let packed = try await owner.query(compressions)
            #expect(packed == ["l", "l"])
        }
    }

    @Test func responsesOfBeforeListWhomTheyMention() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("groups")
        try await migrate(made, below: "0044") { _, owner in
            try await owner.lease { try await $0.executeScript(oldResponses) }
        }
        try await migrate(made) { _, owner in
            let people = try await owner.query(peopleOfResponses)
            #expect(
                people == [
                    "address: bob@example.org",
                    "member: 01900000-0000-7000-8000-00000000000b",
                    "name: 01900000-0000-7000-8000-00000000000b",
                    "own: -",
                ]
            )
        }
    }
}

private let settingsWithoutLZ4: SQLScript = """
    create schema without_lz4;
    create view without_lz4.pg_settings as
    select *
    from pg_catalog.pg_settings
    where name <> 'default_toast_compression';
    """

private let compressions = Statement(
    """
    select attcompression::text
    from pg_attribute
    where attrelid = 'groups.outbox'::regclass and attname = 'payload'
        or attrelid = 'groups.idempotency_key'::regclass and attname = 'answer'
    """
) { row in try row.string(0) }

private let oldResponses: SQLScript = #"""
    insert into groups.person (user_id, username, username_folded, email_folded,
        email_verified, display_name, time_zone, currency, language)
    values ('01900000-0000-7000-8000-00000000000b', 'Bob', 'bob', 'b@example.org', true, 'Bob',
        'UTC', 'EUR', 'en');
    insert into groups.idempotency_key (scope, key, request_hash, answer)
    select '01900000-0000-7000-8000-00000000000a POST /v1/x', key, '\x00',
        '{"status":201,"body":"{\"name\":\"userId\",\"' || field || '\":\"' || value || '\"}"}'
    from (values
        ('own', 'userId', '01900000-0000-7000-8000-00000000000a'),
        ('member', 'userId', '01900000-0000-7000-8000-00000000000b'),
        ('name', 'invitee', 'BOB'),
        ('address', 'invitee', 'Bob@example.org')
    ) as old (key, field, value);
    """#

private let peopleOfResponses = Statement(
    """
    select key || ': ' || coalesce(array_to_string(people, ' '), '-')
    from groups.idempotency_key
    order by key
    """
) { row in try row.string(0) }
