public import Crypto
internal import Glibc
public import HTTP
public import Loops
internal import Messaging
internal import Names
internal import Postgres
public import ServiceKit
public import WalletProtocol

/// One loop of a service as it runs: its routes on a free port, a migrated database of its own.
///
/// Workers are not started: a test calls what they call. There is no broker and no other service
/// but the one that `gatewayPort` names.
public final class ServiceRig {
    /// What a test reads of an answer.
    public struct Answer: Sendable {
        /// The status.
        public let status: Int
        /// The fields, names in lower case; of equal names the last.
        public let headers: [String: String]
        /// The body.
        public let body: [UInt8]

        /// The body as a text.
        public var text: String { String(decoding: body, as: UTF8.self) }
        /// The `code` of a problem.
        public var code: String? {
            (try? JSON.read(Problem.self, from: body, ignoringUnknownFields: true))?.code
        }
    }

    /// The loop's things.
    public let service: ServiceLoop
    /// Where it answers.
    public let port: Int
    /// Who may be asked whether it is ready.
    public let readiness: ServiceReadiness
    /// What signs tokens, unless the service has keys of its own.
    public let key: ES256Key
    private let upstream: Upstream
    private let log: Int32

    /// The public address in the rig's settings.
    public static let publicURL = "https://wallet.example"
    /// Each has connections, threads and hashes of passwords of its own.
    private static let places = Places(16)
    /// Long enough for a secret.
    public static let secret = "0123456789abcdef0123456789abcdef"

    /// Runs a test against a service with a database of its own, once there is a place for it: none
    /// of them runs within another.
    public static func run<Value: Sendable>(
        _ definition: ServiceDefinition,
        environment: [String: String] = [:],
        template: String? = nil,
        gatewayPort: Int = 1,
        _ body: @escaping @Sendable (isolated LoopActor, ServiceRig) async throws -> Value
    ) async throws -> Value {
        await places.take()
        defer { places.leave() }
        let name = definition.name.rawValue
        let made = try await PostgresCluster.shared().makeDatabase(
            name,
            template: template ?? "rig of \(name)"
        ) {
            try await migrate($0, definition)
        }
        let value = try await onLoop { actor in
            let settings = try Settings(
                CommonVariables.all + definition.variables,
                environment: [
                    "EZWALLET_PUBLIC_URL": publicURL, "EZWALLET_SERVICE_SECRET": secret,
                    "EZWALLET_DATABASE_NAME": made.name,
                    "EZWALLET_DATABASE_USER": made.serviceRole,
                    "EZWALLET_GATEWAY_INTERNAL_URL": "http://127.0.0.1:\(gatewayPort)",
                ].merging(environment) { $1 }
            )
            var configuration = made.service
            configuration.searchPath = [name, "pg_temp"].compactMap { Identifier($0) }
            let database = Database(configuration: configuration, loop: actor.loop)
            defer { database.close() }
            let rig = try await ServiceRig(definition, settings, database, gatewayPort, actor)
            defer { rig.service.logger.flush() }
            return try await body(actor, rig)
        }
        try await made.drop()
        return value
    }

    static func migrate(
        _ database: TestDatabase,
        _ definition: ServiceDefinition
    ) async throws {
        try await onLoop { actor in
            let owner = Database(configuration: database.owner, loop: actor.loop)
            defer { owner.close() }
            _ = try await Migrations(
                files: definition.migrations,
                settings: [("ezwallet.service_role", database.serviceRole)]
            ).run(on: owner)
        }
    }

    private init(
        _ definition: ServiceDefinition,
        _ settings: Settings,
        _ database: Database,
        _ gatewayPort: Int,
        _ actor: isolated LoopActor
    ) async throws {
        key = try ES256Key.generate()
        // Safety: a template of our own, lent for one call; the file lives as long as it is open.
        var path = Array("/tmp/ezw-log-XXXXXX".utf8CString)
        log = unsafe mkstemp(&path)
        unsafe _ = unlink(path)
        service = ServiceLoop(
            name: definition.name,
            settings: settings,
            names: NameResolver(on: actor.loop),
            database: database,
            internalClient: InternalClient(
                host: "127.0.0.1",
                port: gatewayPort,
                service: definition.name,
                secret: settings.secret(CommonVariables.serviceSecret),
                loop: actor.loop
            ),
            logger: Logger(service: definition.name.rawValue, level: .debug, descriptor: log),
            metrics: Metrics(),
            revocations: Revocations(),
            people: PeopleVersions(),
            blocking: BlockingPool(threads: 2, queueMax: 64),
            nats: NatsConnection(NatsConfiguration(urls: [], name: "rig")),
            relayBell: RelayBell()
        )
        try await definition.wire(actor, service)
        if service.keySource == nil { service.keySource = RigKeys(key) }
        readiness = ServiceReadiness()
        let server = HTTPServer(loops: LoopGroup(sharing: [actor.loop]))
        server.attach(service.handler(readiness), on: actor)
        port = try server.listen(host: "127.0.0.1", port: 0, on: actor)
        upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
    }

    deinit { close(log) }

    /// What has been logged so far, once the logger has been flushed.
    public func logText() -> String {
        service.logger.flush()
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        // Safety: the array lent for one call with its own length.
        let count = unsafe pread(log, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// A user's token, signed by the rig's key.
    public func token(
        of user: ID<User>,
        session: ID<Session> = .new(),
        roles: [Role] = [.user],
        lifeSeconds: Int = 600
    ) -> String {
        let now = Int(Instant.now().secondsSince1970)
        let claims = AccessClaims(
            issuer: Self.publicURL,
            audience: AccessClaims.userAudience,
            subject: user.text,
            session: session,
            roles: roles,
            generation: 1,
            issuedAt: now,
            expiresAt: now + lifeSeconds
        )
        return CompactJWS.sign(JSON.write(claims), with: key)
    }

    /// A service's token, signed by the rig's key.
    public func token(of service: ServiceName) -> String {
        let now = Int(Instant.now().secondsSince1970)
        let claims = AccessClaims(
            issuer: Self.publicURL,
            audience: AccessClaims.serviceAudience,
            subject: AccessClaims.servicePrefix + service.rawValue,
            issuedAt: now,
            expiresAt: now + 600
        )
        return CompactJWS.sign(JSON.write(claims), with: key)
    }

    /// Opens a call; its answer's body is the caller's to read.
    public func open(
        _ method: HTTPMethod,
        _ target: String,
        headers: [(StaticString, String)] = [],
        body: [UInt8]? = nil,
        token: String? = nil
    ) async throws -> HTTPExchange {
        // Nobody polls here: what has been added counts as fresh.
        service.revocations.add([])
        var block = HeaderBlock()
        for (name, value) in headers { block.append(name, value) }
        if let token { block.append(.authorization, "Bearer " + token) }
        if body != nil, !headers.contains(where: { "\($0.0)" == "content-type" }) {
            block.append(.contentType, "application/json")
        }
        return try await upstream.send(
            ClientRequest(
                method: method,
                target: Array(target.utf8)[...],
                host: "127.0.0.1",
                headers: block,
                body: body.map { .bytes($0) } ?? .none,
                deadline: monotonicNanoseconds() + 60_000_000_000
            )
        )
    }

    /// A call with its whole answer.
    public func call(
        _ method: HTTPMethod,
        _ target: String,
        headers: [(StaticString, String)] = [],
        body: [UInt8]? = nil,
        token: String? = nil
    ) async throws -> Answer {
        let exchange = try await open(
            method,
            target,
            headers: headers,
            body: body,
            token: token
        )
        var block = HeaderBlock()
        exchange.head.copyEndToEndFields(to: &block) { _ in false }
        var fields: [String: String] = [:]
        for line in String(decoding: block.bytes, as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = String(line[colon...].dropFirst(2))
        }
        let status = exchange.head.status
        return Answer(
            status: status,
            headers: fields,
            body: try await exchange.body(max: 8 << 20)
        )
    }
}

/// One key, known by its name.
private final class RigKeys: KeySource {
    private let view: KeyView
    init(_ key: ES256Key) {
        view = KeyView(
            keyType: "EC",
            curve: "P-256",
            x: Base64URL.encode(key.x),
            y: Base64URL.encode(key.y),
            keyID: key.id,
            use: "sig",
            algorithm: "ES256"
        )
    }
    func key(_ id: String) async -> VerificationKey? {
        id == view.keyID ? VerificationKey(view) : nil
    }
}

/// Does the same so many times at once, each in a task of its own on the loop.
public func atOnce<Value: Sendable>(
    _ count: Int,
    on actor: LoopActor,
    _ work: @escaping @Sendable (isolated LoopActor, Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<count {
            group.addTask { try await actor.run { actor in try await work(actor, number) } }
        }
        var values: [Value] = []
        for try await value in group { values.append(value) }
        return values
    }
}
