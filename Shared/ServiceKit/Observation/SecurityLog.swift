public import HTTP
public import Loops
public import WalletProtocol

/// Writes one line for each security event, and bounds the lines of a flood.
///
/// Of one kind from one network, a loop writes up to `linesMax` lines a minute; further ones are
/// counted and make one line when the minute ends. The same holds for the networks above
/// `networksMax`, together for each kind. Metrics count all of them.
public final class SecurityLog {
    /// The facts of one event; nothing of a request's content.
    public struct Facts {
        let route: String
        let sender: SecuritySender
        let network: String
        let further: [(String, String)]

        /// - Parameters:
        ///   - route: method and path template.
        ///   - address: the client's, which is cut to its network (IPv4 /24, IPv6 /48).
        ///   - further: the error's code and cause, or the methods of a proof.
        public init(
            route: String,
            sender: SecuritySender,
            address: String,
            further: [(String, String)] = []
        ) {
            self.route = route
            self.sender = sender
            network = ClientNetwork(address).network
            self.further = further
        }

        private init(_ facts: Facts, _ further: [(String, String)]) {
            route = facts.route
            sender = facts.sender
            network = facts.network
            self.further = further
        }

        func adding(_ more: [(String, String)]) -> Facts { Facts(self, further + more) }
    }

    private struct Source: Hashable {
        let event: SecurityEvent
        let network: String
    }

    static let linesMax = 10
    static let networksMax = 256
    static let windowNanoseconds: UInt64 = 60_000_000_000
    /// How often a loop looks whether the minute has ended.
    private static let lookNanoseconds: UInt64 = 5_000_000_000
    private static let others = "others"

    private let logger: Logger
    private let clock: () -> UInt64
    private let counters: [SecurityEvent: MetricValue]
    private let metrics: Metrics
    private var seen: [Source: Int] = [:]
    private var began: UInt64

    /// The log of one loop.
    public init(
        _ logger: Logger,
        metrics: Metrics,
        clock: @escaping () -> UInt64 = monotonicNanoseconds
    ) {
        self.logger = logger
        self.clock = clock
        self.metrics = metrics
        began = clock()
        // Cannot fire: the keys are the cases of an enumeration, each once.
        counters = Dictionary(
            uniqueKeysWithValues: SecurityEvent.allCases.map { event in
                let counter = metrics.counter(
                    "ezwallet_security_events_total",
                    "Log-ins and refusals, by kind.",
                    labels: "event=\"\(event.rawValue)\""
                )
                return (event, counter)
            }
        )
    }

    /// Writes the event, or counts it where its network has caused too many lines.
    public func note(
        _ event: SecurityEvent,
        _ facts: Facts,
        of request: RequestContext? = RequestContext.current
    ) {
        counters[event]?.add()
        endWindow()
        var source = Source(event: event, network: facts.network)
        if seen[source] == nil, seen.count >= Self.networksMax {
            source = Source(event: event, network: Self.others)
        }
        let count = seen[source, default: 0] + 1
        seen[source] = count
        guard count <= Self.linesMax else { return }
        let fields = [
            ("event", event.rawValue), ("route", facts.route), ("who", facts.sender.text),
            ("network", facts.network),
        ]
        let level: LogLevel = event.isSuccess ? .info : .warning
        logger.log(level, "security event", fields + facts.further, of: request)
    }

    /// Writes a refusal with its code, and with its cause where it has one.
    public func note(
        _ event: SecurityEvent,
        _ refusal: APIError,
        _ facts: Facts,
        of request: RequestContext? = RequestContext.current
    ) {
        var further = [("code", refusal.code.text)]
        if let cause = refusal.cause { further.append(("cause", cause)) }
        note(event, facts.adding(further), of: request)
    }

    /// Writes that a peer sent bytes that are no request.
    public func noteUnreadable(_ refusal: APIError, from peer: PeerAddress) {
        let facts = Facts(route: "unread", sender: .unknown, address: peer.text)
        if let event = SecurityEvent(refusal) { note(event, refusal, facts, of: nil) }
    }

    /// Counts a connection that ended before TLS stood: scanners open too many for a line each.
    public func noteHandshake(_ error: TransportError) {
        let reason =
            switch error {
            case .tls: "invalid"
            case .timedOut: "timed-out"
            case .closed, .cannotConnect, .answered: "closed"
            }
        metrics.counter(
            "ezwallet_tls_handshakes_failed_total",
            "Connections that ended before TLS stood, by reason.",
            labels: "reason=\"\(reason)\""
        ).add()
    }

    /// Ends each minute in time, until the task is cancelled.
    package func run(on loop: EventLoop) async {
        while !Task.isCancelled {
            endWindow()
            try? await loop.sleep(nanoseconds: Self.lookNanoseconds)
        }
        endWindow(isLast: true)
    }

    /// Once the minute has ended, or at the executable's end, writes what was only counted.
    func endWindow(isLast: Bool = false) {
        let now = clock()
        // Cannot wrap: the clock never goes back.
        guard isLast || now &- began >= Self.windowNanoseconds else { return }
        began = now
        guard !seen.isEmpty else { return }
        let ended = seen
        seen = [:]
        for (source, count) in ended where count > Self.linesMax {
            logger.log(
                .warning,
                "security events counted",
                [
                    ("event", source.event.rawValue), ("network", source.network),
                    ("count", String(count - Self.linesMax)),
                ],
                of: nil
            )
        }
    }
}
