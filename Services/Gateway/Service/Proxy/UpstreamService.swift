import HTTP
import Loops
import ServiceKit
import WalletProtocol

/// The replicas of one service, as one loop of the gateway sees them.
final class UpstreamService {
    let name: ServiceName
    /// By the balancer's indices; that of a retired replica stays until its place is taken.
    private(set) var upstreams: [Upstream] = []
    private let loop: EventLoop
    var balancer: Balancer
    var retries = RetryBudget()
    let answered: MetricValue
    let failed: MetricValue
    let duration: DurationHistogram

    static let checkNanoseconds: UInt64 = 500_000_000
    static let checkDeadlineNanoseconds: UInt64 = 1_000_000_000

    init(
        name: ServiceName,
        loop: EventLoop,
        metrics: Metrics
    ) {
        self.name = name
        self.loop = loop
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
        var wanted = addresses.map { Upstream(host: $0.host, port: $0.port, loop: loop) }
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
            if index == upstreams.count {
                upstreams.append(upstream)
            } else {
                upstreams[index] = upstream
            }
        }
    }

    private func has(_ address: String) -> Bool {
        balancer.endpoints.contains { !$0.isRetired && $0.address == address }
    }

    /// Asks every replica each half second whether it is ready.
    func watch(_ loop: EventLoop) async {
        while !Task.isCancelled {
            for (index, upstream) in upstreams.enumerated()
            where !balancer.endpoints[index].isRetired {
                let isHealthy = await isReady(upstream, loop)
                // Another may have taken its place meanwhile.
                guard upstreams[index] === upstream else { continue }
                balancer.observe(index, isHealthy: isHealthy, now: loop.now)
            }
            try? await loop.sleep(nanoseconds: Self.checkNanoseconds)
        }
    }

    private func isReady(_ upstream: Upstream, _ loop: EventLoop) async -> Bool {
        let request = ClientRequest(
            method: .get,
            target: Array("/internal/ready".utf8)[...],
            host: upstream.address,
            deadline: monotonicNanoseconds() &+ Self.checkDeadlineNanoseconds
        )
        guard let exchange = try? await upstream.send(request) else { return false }
        let status = exchange.head.status
        _ = try? await exchange.body(max: 65_536)
        return status == 200
    }
}

/// One request's turn at one replica, chosen by the balancer.
struct Attempt {
    let service: UpstreamService
    let upstream: Upstream
    let index: Int
    private let started = monotonicNanoseconds()

    /// Nil: there is no replica.
    @inline(never)
    init?(at service: UpstreamService, excluding excluded: Int?, now: UInt64) {
        guard let index = service.balancer.choose(excluding: excluded, now: now) else { return nil }
        self.service = service
        self.index = index
        upstream = service.upstreams[index]
    }

    /// Takes an answer into account.
    @inline(never)
    func succeeded(_ status: Int, now: UInt64) {
        let nanoseconds = monotonicNanoseconds() &- started
        if status == 502 || status == 503 {
            service.balancer.failed(index, now: now)
        } else {
            service.balancer.succeeded(index, roundTripNanoseconds: nanoseconds, now: now)
        }
        service.answered.add()
        service.duration.observe(nanoseconds: nanoseconds)
    }
}
