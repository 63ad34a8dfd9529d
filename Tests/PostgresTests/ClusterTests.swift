import Glibc
import Loops
import Postgres
import Synchronization
import TestKit
import Testing

private let whoAmI = Statement("select current_user::text, current_database()::text") { row in
    [try row.string(0), try row.string(1)]
}

@Suite struct ClusterTests {
    @Test func aDatabaseHasItsThreeRoles() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("roles")
        try await onLoop { actor in
            for configuration in [made.owner, made.service] {
                let database = Database(configuration: configuration, loop: actor.loop)
                defer { database.close() }
                same(try await database.queryOne(whoAmI), [configuration.user, made.name])
            }
            let service = Database(configuration: made.service, loop: actor.loop)
            defer { service.close() }
            let refused = await outcome {
                try await service.execute(Statement("create table a (id int8)"))
            }
            #expect(refused == "server 42501")
            let temporary = await outcome {
                try await service.transaction { transaction in
                    try await transaction.execute(Statement("create temporary table a (id int8)"))
                }
            }
            #expect(temporary == "server 42501")
            let owner = Database(configuration: made.owner, loop: actor.loop)
            defer { owner.close() }
            let member = Statement("select pg_has_role(current_user, $1, 'member')") { row in
                try row.bool(0)
            }
            same(try await owner.queryOne(member, made.posterRole), true)
            same(try await service.queryOne(member, made.posterRole), false)
        }
        try await made.drop()
    }

    @Test func copiesOfATemplateAreMigratedOnce() async throws {
        let runs = Atomic<Int>(0)
        let cluster = try await PostgresCluster.shared()
        let migrate: @Sendable (TestDatabase) async throws -> Void = { database in
            runs.add(1, ordering: .relaxed)
            try await cluster.administer(
                "create table item (id int8); insert into item values (7)",
                in: database.name
            )
        }
        try await withThrowingTaskGroup(of: TestDatabase.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await cluster.makeDatabase("copy", template: "item", migrate: migrate)
                }
            }
            var names: Set<String> = []
            for try await made in group {
                names.insert(made.name)
                try await cluster.administer("select id from item where id = 7", in: made.name)
            }
            #expect(names.count == 4)
        }
        #expect(runs.load(ordering: .relaxed) == 1)
    }

    @Test func connectionsAreEncryptedAndTheServerIsChecked() async throws {
        var template = Array("/tmp/ezw-tls-XXXXXX".utf8CString)
        #expect(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        defer { _ = try? Subprocess.run(["rm", "-rf", folder]) }
        try Subprocess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-keyout", folder + "/key.pem", "-out", folder + "/ca.pem", "-days", "2",
            "-subj", "/CN=db.example", "-addext", "subjectAltName=DNS:db.example",
        ])
        if getuid() == 0 {
            try Subprocess.run(["chown", "-R", "postgres", folder])
        }
        let cluster = try await PostgresCluster.start(settings: [
            "ssl=on", "ssl_cert_file=\(folder)/ca.pem", "ssl_key_file=\(folder)/key.pem",
        ])
        try await onLoop { actor in
            let encrypted = Statement(
                "select ssl from pg_stat_ssl where pid = pg_backend_pid()"
            ) { row in try row.bool(0) }
            func ask(_ encryption: DatabaseConfiguration.Encryption) async -> String {
                var configuration = cluster.configuration(database: "postgres", user: "postgres")
                configuration.server = .address("127.0.0.1", port: cluster.port)
                configuration.encryption = encryption
                let database = Database(configuration: configuration, loop: actor.loop)
                defer { database.close() }
                return await outcome {
                    let isEncrypted = try await database.queryOne(encrypted)
                    #expect(isEncrypted == (encryption != .none))
                    // Larger than a TLS record, so that what OpenSSL holds back is seen, too.
                    let long = Statement("select repeat('x', 400000)") { row in try row.string(0) }
                    let row = try await database.queryOne(long)
                    #expect(row?.utf8.count == 400_000)
                }
            }
            same(await ask(.none), "ok")
            same(await ask(.required), "ok")
            let authority = folder + "/ca.pem"
            same(await ask(.verified(authorityFile: authority, hostName: "db.example")), "ok")
            same(
                await ask(.verified(authorityFile: authority, hostName: "other.example")),
                "cannot connect"
            )
        }
        cluster.stop()
    }
}
