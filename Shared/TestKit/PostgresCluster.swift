internal import Glibc
internal import Loops
public import Postgres
internal import Synchronization

/// A PostgreSQL server for tests: a temporary one, or a running one that the environment names.
///
/// `EZWALLET_TEST_POSTGRES="host=/run/postgresql port=5432 user=postgres"` shares a running server;
/// databases and roles made there are dropped when this process has ended. A server of our own runs
/// in a temporary folder, as user `postgres` where we are root, and is removed likewise.
public final class PostgresCluster: Sendable {
    /// A unix socket's folder, or an address.
    public let host: String
    /// The port, of the unix socket's name and on 127.0.0.1.
    public let port: UInt16
    /// Its superuser, who needs no password.
    public let superuser: String
    private let folder: String?
    private let settings: [String]
    private let process = Mutex<Subprocess?>(nil)
    private let keeper = Mutex<Int32>(-1)
    private let templates = Mutex<[String: Task<TestDatabase, any Error>]>([:])
    private let loops = LoopGroup(count: 1)
    private static let serial = Atomic<Int>(0)

    private static let sharedStart = Task { try await startShared() }

    /// The server of this process's tests, started at the first call.
    public static func shared() async throws -> PostgresCluster { try await sharedStart.value }

    private static func startShared() async throws -> PostgresCluster {
        guard let text = unsafe getenv("EZWALLET_TEST_POSTGRES") else { return try await start() }
        var words: [String: String] = [:]
        for word in unsafe String(cString: text).split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { words[String(parts[0])] = String(parts[1]) }
        }
        let cluster = PostgresCluster(
            host: words["host"] ?? "127.0.0.1",
            port: UInt16(words["port"] ?? "") ?? 5432,
            superuser: words["user"] ?? "postgres",
            folder: nil,
            settings: []
        )
        let psql = "psql -qX -h '\(cluster.host)' -p \(cluster.port) -U '\(cluster.superuser)'"
        let descriptor = try Subprocess.afterThisProcess(
            """
            while read -r line; do statements="$line
            $statements"; done
            echo "$statements" | \(psql) -d postgres
            """
        )
        cluster.keeper.withLock { $0 = descriptor }
        return cluster
    }

    /// Starts a server of one's own: for tests that kill it, or that ask for durability.
    public static func start(
        durable: Bool = false,
        settings: [String] = []
    ) async throws -> PostgresCluster {
        let place = durable ? "/tmp" : quickPlace()
        var template = Array("\(place)/ezw-pg-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw Subprocess.Failure(description: "mkdtemp failed")
        }
        let folder = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        if let user = unsafe getuid() == 0 ? getpwnam("postgres") : nil {
            unsafe chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        let quick = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
        let cluster = PostgresCluster(
            host: folder,
            port: try FreePort.pick(),
            superuser: "postgres",
            folder: folder,
            settings: (durable ? [] : quick) + settings
        )
        let descriptor = try Subprocess.afterThisProcess(
            """
            cat > /dev/null
            pid=$(head -n 1 '\(folder)/data/postmaster.pid' 2> /dev/null)
            if [ -n "$pid" ]; then kill -QUIT "$pid"; fi
            tries=0
            while [ -e '\(folder)/data/postmaster.pid' ] && [ $tries -lt 100 ]; do
                sleep 0.1; tries=$((tries + 1))
            done
            rm -rf '\(folder)'
            """
        )
        cluster.keeper.withLock { $0 = descriptor }
        try Subprocess.run(
            cluster.asServer(
                "initdb",
                "-D",
                folder + "/data",
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "--no-instructions"
            ),
            log: folder + "/initdb.log"
        )
        try await cluster.launch()
        return cluster
    }

    /// Where some hundred databases are made soonest: in memory, if there is room.
    private static func quickPlace() -> String {
        var status = statvfs()
        let isThere = unsafe statvfs("/dev/shm", &status) == 0
        let free = isThere ? UInt64(status.f_bavail) * UInt64(status.f_frsize) : 0
        return free > 4 << 30 ? "/dev/shm" : "/tmp"
    }

    private init(
        host: String,
        port: UInt16,
        superuser: String,
        folder: String?,
        settings: [String]
    ) {
        self.host = host
        self.port = port
        self.superuser = superuser
        self.folder = folder
        self.settings = settings
        loops.startAll()
    }

    deinit {
        loops.stop()
        // Closing the keeper's input has it remove the server.
        keeper.withLock { _ = close($0) }
    }

    /// The arguments that run a program of the server's, as its user.
    private func asServer(_ program: String, _ arguments: String...) -> [String] {
        var path = program
        // Debian keeps the server's programs out of PATH.
        for version in (13...18).reversed() {
            let candidate = "/usr/lib/postgresql/\(version)/bin/\(program)"
            if unsafe access(candidate, X_OK) == 0 {
                path = candidate
                break
            }
        }
        let user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        return (getuid() == 0 ? user : []) + [path] + arguments
    }

    // MARK: Life and death

    /// Starts the server again after `crash` or `stop`.
    public func launch() async throws {
        guard let folder else { return }
        var arguments = asServer("postgres", "-D", folder + "/data", "-k", folder)
        let all =
            settings + [
                "listen_addresses=127.0.0.1", "port=\(port)", "max_connections=200",
                "shared_buffers=64MB", "max_wal_size=4GB", "log_min_error_statement=panic",
            ]
        for setting in all { arguments += ["-c", setting] }
        let server = try Subprocess(arguments, log: folder + "/server.log")
        process.withLock { $0 = server }
        try await untilReady()
    }

    private func untilReady() async throws {
        var last: (any Error)?
        for _ in 0..<400 {
            do {
                return try await administer(SQLScript("select 1"))
            } catch {
                last = error
                usleep(25_000)
            }
        }
        throw last ?? Subprocess.Failure(description: "the server does not start")
    }

    /// Ends the server at once, as a crash does; only for a server of one's own.
    public func crash() { end(SIGQUIT) }

    /// Ends the server in order.
    public func stop() { end(SIGINT) }

    private func end(_ signal: Int32) {
        guard let server = process.withLock({ $0.take() }) else { return }
        server.signal(signal)
        server.wait()
    }

    // MARK: Databases

    /// How to reach a database of this server as a role.
    public func configuration(database: String, user: String) -> DatabaseConfiguration {
        let server: DatabaseConfiguration.Server =
            host.hasPrefix("/")
            ? .unixSocket(folder: host, port: port) : .address(host, port: port)
        var configuration = DatabaseConfiguration(server: server, database: database, user: user)
        // On a busy machine a test waits; only one about a deadline sets a near one.
        configuration.waitMillisecondsMax = 60_000
        configuration.connectMillisecondsMax = 60_000
        configuration.statementTimeoutMilliseconds = 60_000
        return configuration
    }

    /// Runs a script as the superuser.
    public func administer(_ script: SQLScript, in database: String = "postgres") async throws {
        let configuration = configuration(database: database, user: superuser)
        try await loops.loops[0].actor.run { actor in
            let database = Database(configuration: configuration, loop: actor.loop)
            defer { database.close() }
            try await database.lease { lease in
                lease.waitMillisecondsMax = 60_000
                try await lease.executeScript(script)
            }
        }
    }

    /// An empty database of a fresh name with its three roles.
    public func makeDatabase(_ prefix: String = "test") async throws -> TestDatabase {
        let name = try freshName(prefix)
        let roles = try ["owner", "service", "poster"].map { role in
            try identifier("\(name.name)_\(role)")
        }
        let (owner, service, poster) = (roles[0], roles[1], roles[2])
        try await administer(
            SQLScript(
                "create role ",
                .name(owner),
                " login; create role ",
                .name(service),
                " login;",
                "create role ",
                .name(poster),
                " nologin; grant ",
                .name(poster),
                " to ",
                .name(owner)
            )
        )
        for role in roles { dropLater("drop role if exists \(role.name);") }
        try await create(name, owner: owner, service: service, template: nil)
        return TestDatabase(
            cluster: self,
            name: name.name,
            ownerRole: owner.name,
            serviceRole: service.name,
            posterRole: poster.name
        )
    }

    /// A copy of a database that `migrate` filled, which runs once for each `template`.
    ///
    /// The copies share the template's roles, which own what is in them; `migrate` leaves no
    /// connection open.
    public func makeDatabase(
        _ prefix: String,
        template: String,
        migrate: @escaping @Sendable (TestDatabase) async throws -> Void
    ) async throws -> TestDatabase {
        let task = templates.withLock { templates in
            if let task = templates[template] { return task }
            let task = Task {
                let database = try await makeDatabase("\(prefix)_template")
                try await migrate(database)
                return database
            }
            templates[template] = task
            return task
        }
        let source = try await task.value
        let name = try freshName(prefix)
        try await create(
            name,
            owner: try identifier(source.ownerRole),
            service: try identifier(source.serviceRole),
            template: try identifier(source.name)
        )
        return TestDatabase(
            cluster: self,
            name: name.name,
            ownerRole: source.ownerRole,
            serviceRole: source.serviceRole,
            posterRole: source.posterRole
        )
    }

    private func create(
        _ name: Identifier,
        owner: Identifier,
        service: Identifier,
        template: Identifier?
    ) async throws {
        let source: SQLScript.Part = template.map { .name($0) } ?? "template1"
        try await administer(
            SQLScript(
                "create database ",
                .name(name),
                " owner ",
                .name(owner),
                " template ",
                source
            )
        )
        dropLater("drop database if exists \(name.name) with (force);")
        try await administer(
            SQLScript(
                "revoke all on database ",
                .name(name),
                " from public;",
                "grant connect on database ",
                .name(name),
                " to ",
                .name(service)
            )
        )
    }

    /// On a server that outlives us: what is to be dropped, last made first.
    private func dropLater(_ statement: String) {
        guard folder == nil else { return }
        keeper.withLock { descriptor in
            let line = statement + "\n"
            unsafe _ = write(descriptor, line, line.utf8.count)
        }
    }

    private func freshName(_ prefix: String) throws -> Identifier {
        let number = Self.serial.add(1, ordering: .relaxed).newValue
        return try identifier("\(prefix)_\(getpid())_\(number)")
    }

    private func identifier(_ name: String) throws -> Identifier {
        guard let identifier = Identifier(name) else {
            throw Subprocess.Failure(description: "\(name) is no name of a database or role")
        }
        return identifier
    }
}

/// A database made for a test.
public struct TestDatabase: Sendable {
    /// Its server.
    public let cluster: PostgresCluster
    /// Its name.
    public let name: String
    /// Runs migrations.
    public let ownerRole: String
    /// Used by the service.
    public let serviceRole: String
    /// Owns the functions that post; nobody logs in as it.
    public let posterRole: String

    /// How the owner reaches it.
    public var owner: DatabaseConfiguration {
        cluster.configuration(database: name, user: ownerRole)
    }
    /// How the service reaches it.
    public var service: DatabaseConfiguration {
        cluster.configuration(database: name, user: serviceRole)
    }

    /// Drops it before its time, whoever is connected.
    public func drop() async throws {
        guard let identifier = Identifier(name) else { return }
        try await cluster.administer(
            SQLScript("drop database if exists ", .name(identifier), " with (force)")
        )
    }
}
