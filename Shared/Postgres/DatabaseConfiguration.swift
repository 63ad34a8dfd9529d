/// Where a database is and how much of it one loop may use.
public struct DatabaseConfiguration: Sendable {
    /// How the server is reached; names are resolved by `Database.resolve`, never by libpq, which
    /// blocks.
    public enum Server: Sendable, Equatable {
        /// A numeric address and a port.
        case address(String, port: UInt16)
        /// A host's name, resolved before each connection, and a port.
        case name(String, port: UInt16)
        /// The folder of a unix socket and the port in its file's name.
        case unixSocket(folder: String, port: UInt16)
    }

    /// What is asked of TLS.
    public enum Encryption: Sendable, Equatable {
        /// None: unix sockets and trusted networks.
        case none
        /// Encrypted; the server's certificate is not checked.
        case required
        /// Encrypted, and the certificate must be signed by this authority for this host name.
        case verified(authorityFile: String, hostName: String)
    }

    /// The server.
    public var server: Server
    /// The database's name.
    public var database: String
    /// The role to log in as.
    public var user: String
    /// The password, where the server asks for one.
    public var password: String?
    /// TLS.
    public var encryption: Encryption = .none
    /// The name shown in `pg_stat_activity`.
    public var applicationName = "ezwallet"
    /// The schemas of unqualified names, in order; empty: the role's own setting.
    public var searchPath: [Identifier] = []

    /// Pipelined connections that many requests share, per loop.
    public var sharedConnectionsMax = 2
    /// Connections lent to one holder at a time, per loop.
    public var leasedConnectionsMax = 4
    /// Statements under way on one shared connection; more wait.
    public var inFlightMax = 64
    /// Requests that may wait for a connection, of each kind, per loop; more are refused at once.
    public var waitersMax = 256
    /// Prepared statements kept on one connection; the least lately used goes.
    public var preparedStatementsMax = 256

    /// How long a wait lasts where the request names no nearer deadline.
    public var waitMillisecondsMax: UInt64 = 5_000
    /// The server's own bound on a statement, the backstop behind abandoned waits.
    public var statementTimeoutMilliseconds = 10_000
    /// The server's bound on a transaction that stands idle.
    public var idleInTransactionMilliseconds = 30_000
    /// How long one attempt to connect may take.
    public var connectMillisecondsMax: UInt64 = 5_000
    /// The pause after the first failed attempt; it doubles with each, with jitter.
    public var backOffMillisecondsMin: UInt64 = 50
    /// The longest pause between attempts.
    public var backOffMillisecondsMax: UInt64 = 2_000

    /// Whether shared connections plan without bitmaps and scans of whole tables, so that a page of
    /// a list is always a walk over an index in the list's order.
    ///
    /// By what is usual of a key the planner may think that reading all rows of one and sorting
    /// them costs as little; of a key with a million rows it does not.
    public var sharedAvoidsBitmaps = false

    /// A configuration with the defaults above.
    public init(server: Server, database: String, user: String, password: String? = nil) {
        self.server = server
        self.database = database
        self.user = user
        self.password = password
    }

    /// One replica's budget of connections, split over its loops: at least one of each kind a loop.
    ///
    /// A quarter is shared, for pipelining makes a few of them enough.
    public mutating func split(connectionsMax: Int, loops: Int) {
        let perLoop = max(2, connectionsMax / max(1, loops))
        sharedConnectionsMax = max(1, perLoop / 4)
        leasedConnectionsMax = max(1, perLoop - sharedConnectionsMax)
    }

    /// The same for whoever waits as long as it takes: commands, and readers of the whole.
    public var withoutDeadlines: DatabaseConfiguration {
        var patient = self
        patient.statementTimeoutMilliseconds = 0
        patient.idleInTransactionMilliseconds = 0
        patient.waitMillisecondsMax = 365 * 24 * 3_600_000
        patient.connectMillisecondsMax = 30_000
        patient.sharedConnectionsMax = 1
        patient.leasedConnectionsMax = 1
        return patient
    }

    /// The keywords and values for libpq; of several addresses it tries each in turn.
    func parameters(resolved addresses: [String] = []) -> [(String, String)] {
        var all = [
            ("dbname", database), ("user", user), ("gssencmode", "disable"),
            ("client_encoding", "UTF8"), ("fallback_application_name", applicationName),
            ("options", options), ("connect_timeout", "0"),
        ]
        if let password { all.append(("password", password)) }
        switch server {
        case .address(let address, let port):
            all.append(("hostaddr", address))
            all.append(("port", String(port)))
        case .name(let name, let port):
            all.append(("hostaddr", addresses.joined(separator: ",")))
            all.append(("port", String(port)))
            if hostToVerify == nil { all.append(("host", repeated(name, addresses.count))) }
        case .unixSocket(let folder, let port):
            all.append(("host", folder))
            all.append(("port", String(port)))
        }
        switch encryption {
        case .none: all.append(("sslmode", "disable"))
        case .required: all.append(("sslmode", "require"))
        case .verified(let file, let name):
            all.append(("sslmode", "verify-full"))
            all.append(("sslrootcert", file))
            all.append(("host", repeated(name, max(1, addresses.count))))
        }
        return all
    }

    private var hostToVerify: String? {
        if case .verified(_, let name) = encryption { name } else { nil }
    }

    /// libpq wants as many hosts as addresses.
    private func repeated(_ name: String, _ count: Int) -> String {
        Array(repeating: name, count: count).joined(separator: ",")
    }

    /// Settings of every session; what a transaction sets with SET LOCAL falls back to these.
    private var options: String {
        var text = "-c statement_timeout=\(statementTimeoutMilliseconds)"
        text += " -c idle_in_transaction_session_timeout=\(idleInTransactionMilliseconds)"
        text += " -c timezone=UTC -c jit=off"
        if sharedAvoidsBitmaps { text += " -c enable_bitmapscan=off -c enable_seqscan=off" }
        if !searchPath.isEmpty {
            text += " -c search_path=" + searchPath.map(\.name).joined(separator: ",")
        }
        return text
    }
}
