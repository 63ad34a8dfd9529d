/// The settings that every service has.
public enum CommonVariables {
    /// Where requests come in.
    public static let listen = Variable(
        "EZWALLET_LISTEN",
        "address and port of requests",
        default: "127.0.0.1:8080"
    )
    /// Where operators look.
    public static let adminListen = Variable(
        "EZWALLET_ADMIN_LISTEN",
        "address and port of /healthz, /readyz and /metrics",
        default: "127.0.0.1:9080"
    )
    /// How many loops, and threads for what burns the processor.
    public static let loops = Variable(
        "EZWALLET_LOOPS",
        "event loops, and threads for passwords and files; 0 is one a core",
        kind: .integer(0...64),
        default: "0"
    )
    /// The least level that is logged.
    public static let logLevel = Variable(
        "EZWALLET_LOG_LEVEL",
        "least level that is logged",
        kind: .choice(LogLevel.allCases.map(\.rawValue)),
        default: "info"
    )
    /// The address by which clients know us.
    public static let publicURL = Variable(
        "EZWALLET_PUBLIC_URL",
        "address by which clients know the suite; issuer of tokens",
        default: "https://localhost:8443"
    )
    /// The gateway's internal listener.
    public static let gatewayURL = Variable(
        "EZWALLET_GATEWAY_INTERNAL_URL",
        "internal listener of the gateway, http://host:port",
        default: "http://127.0.0.1:8081"
    )
    /// Our credentials.
    public static let serviceSecret = Variable(
        "EZWALLET_SERVICE_SECRET",
        "the service's own credentials towards auth",
        kind: .secrets,
        required: true,
        secret: true
    )
    /// The longest that a request may take.
    public static let requestSeconds = Variable(
        "EZWALLET_REQUEST_SECONDS",
        "longest time of a request, in seconds",
        kind: .integer(1...300),
        default: "30"
    )
    /// Time for the balancer to see that we go.
    public static let drainSeconds = Variable(
        "EZWALLET_DRAIN_SECONDS",
        "longest time for requests under way at the end, in seconds",
        kind: .integer(0...300),
        default: "10"
    )

    static let databaseHost = Variable(
        "EZWALLET_DATABASE_HOST",
        "host of PostgreSQL, or a socket's folder",
        default: "127.0.0.1"
    )
    static let databasePort = Variable(
        "EZWALLET_DATABASE_PORT",
        "port of PostgreSQL",
        kind: .integer(1...65_535),
        default: "5432"
    )
    /// The service's own database.
    public static let databaseName = Variable(
        "EZWALLET_DATABASE_NAME",
        "the service's own database",
        required: true
    )
    static let databaseUser = Variable(
        "EZWALLET_DATABASE_USER",
        "role of the running service, without DDL",
        required: true
    )
    static let databasePassword = Variable(
        "EZWALLET_DATABASE_PASSWORD",
        "its password",
        secret: true
    )
    static let databaseOwnerUser = Variable(
        "EZWALLET_DATABASE_OWNER_USER",
        "role that runs migrations"
    )
    static let databaseOwnerPassword = Variable(
        "EZWALLET_DATABASE_OWNER_PASSWORD",
        "its password",
        secret: true
    )
    static let databaseConnections = Variable(
        "EZWALLET_DATABASE_CONNECTIONS",
        "connections of this replica, over all its loops",
        kind: .integer(4...200),
        default: "12"
    )
    static let natsURL = Variable(
        "EZWALLET_NATS_URL",
        "servers of NATS, nats://host:port, comma-separated",
        default: "nats://127.0.0.1:4222"
    )

    package static let all: [Variable] = [
        listen, adminListen, loops, logLevel, publicURL, gatewayURL, serviceSecret,
        requestSeconds, drainSeconds, databaseHost, databasePort, databaseName, databaseUser,
        databasePassword, databaseOwnerUser, databaseOwnerPassword, databaseConnections, natsURL,
    ]
}
