import HTTP
import Loops
import ServiceKit
import WalletProtocol

/// The replicas of one service, as one loop of the gateway sees them.
final class UpstreamService {
    let name: ServiceName
    /// By the balancer's indices; that of a retired replica stays until its place is taken.
    private(set) var upstreams: [Upstream] = []
    /// The replicas' checks, by the same indices.
    private var checks: [ReadinessCheck] = []
    private let loop: EventLoop
    private let limits: ClientLimits
    var balancer: Balancer
    var retries = RetryBudget()
    var repeats = RepeatGuard()
    let answered: MetricValue
    let failed: MetricValue
    let duration: DurationHistogram

    static let checkNanoseconds: UInt64 = 250_000_000

    init(
        name: ServiceName,
        loop: EventLoop,
        metrics: Metrics,
        limits: ClientLimits = ClientLimits()
    ) {
        self.name = name
        self.loop = loop
        self.limits = limits
        var random = SystemRandomNumberGenerator()
        balancer = Balancer(
            addresses: [],
            now: monotonicNanoseconds(),
            seed: random.next()
        )
        let labels = "service=\"\(name.rawValue)\""
        answered = metrics.counter(
            "ezwallet_gateway_answered_total",
            "Requests that a service answered.",
            labels: labels
        )
        failed = metrics.counter(
            "ezwallet_gateway_failed_total",
            "Requests that no replica answered.",
            labels: labels
        )
        duration = metrics.histogram(
            "ezwallet_gateway_upstream_seconds",
            "How long services took.",
            labels: labels
        )
    }

    /// Brings the replicas to these: new ones are taken in, those that are gone get no more
    /// requests, and those under way there end as they do.
    func use(_ addresses: [(host: String, port: Int)]) {
        var wanted = addresses.map {
            Upstream(host: $0.host, port: $0.port, loop: loop, limits: limits)
        }
        for index in upstreams.indices where !balancer.endpoints[index].isRetired {
            if let same = wanted.firstIndex(where: { $0.address == upstreams[index].address }) {
                wanted.remove(at: same)
            } else {
                balancer.retire(index)
                upstreams[index].closeIdle()
            }
        }
        let isFirst = upstreams.isEmpty
        for upstream in wanted where !has(upstream.address) {
            let index = balancer.add(upstream.address, now: loop.now)
            // At the beginning all are equally new: there is no reason to doubt any of them.
            if isFirst { balancer.observe(index, isHealthy: true, now: loop.now) }
            let check = ReadinessCheck(of: upstream, loop)
            if index == upstreams.count {
                upstreams.append(upstream)
                checks.append(check)
            } else {
                upstreams[index] = upstream
                checks[index] = check
                repeats.replaced(index)
            }
        }
    }

    private func has(_ address: String) -> Bool {
        balancer.endpoints.contains { !$0.isRetired && $0.address == address }
    }

    /// Asks every replica again and again whether it is ready; whoever does not answer holds up
    /// nobody else's check.
    func watch(_ loop: EventLoop) async {
        while !Task.isCancelled {
            let bound = LoopBound(self, to: loop.actor)
            for (index, check) in checks.enumerated()
            where !check.isAsking && !balancer.endpoints[index].isRetired {
                loop.actor.spawn { actor in await bound.on(actor).look(at: index) }
            }
            try? await loop.sleep(nanoseconds: Self.checkNanoseconds)
        }
    }

    private func look(at index: Int) async {
        let check = checks[index]
        let isHealthy = await check.ask()
        // Another may have taken its place meanwhile.
        guard checks[index] === check else { return }
        if let isHealthy {
            balancer.observe(index, isHealthy: isHealthy, now: loop.now)
        } else {
            balancer.doubt(index)
        }
    }
}

/// Asks one replica whether it is ready, on a connection of its own: a replica whose connections
/// are all in use is busy, not ill.
final class ReadinessCheck {
    /// A frozen replica is out after two seconds: so many checks and the pauses between them.
    static let deadlineNanoseconds: UInt64 = 500_000_000
    /// One that does not answer is out after so many checks in a row; one that says that it is not
    /// ready is so at once, for it is about to go.
    static let missesMax = 3

    private let upstream: Upstream
    private let loop: EventLoop
    private var misses = 0
    private(set) var isAsking = false

    init(of replica: Upstream, _ loop: EventLoop) {
        var limits = ClientLimits()
        limits.connectionsMax = 1
        upstream = Upstream(host: replica.host, port: replica.port, loop: loop, limits: limits)
        self.loop = loop
    }

    /// Nil: it has not answered, which says nothing yet.
    func ask() async -> Bool? {
        isAsking = true
        defer { isAsking = false }
        let request = ClientRequest(
            method: .get,
            target: Array("/internal/ready".utf8)[...],
            host: upstream.address,
            // Cannot wrap: half a second is added to the clock.
            deadline: monotonicNanoseconds() &+ Self.deadlineNanoseconds
        )
        do {
            let exchange = try await upstream.send(request)
            let status = exchange.head.status
            _ = try await exchange.body(max: 65_536)
            misses = 0
            return status == 200
        } catch {
            misses += 1
            return misses < Self.missesMax ? nil : false
        }
    }
}
