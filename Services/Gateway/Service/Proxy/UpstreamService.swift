import HTTP
import Loops
import ServiceKit
import WalletProtocol

/// The replicas of one service, as one loop of the gateway sees them.
final class UpstreamService {
    let name: ServiceName
    let upstreams: [Upstream]
    var balancer: Balancer
    var retries = RetryBudget()
    let answered: MetricValue
    let failed: MetricValue
    let duration: DurationHistogram

    static let checkNanoseconds: UInt64 = 500_000_000
    static let checkDeadlineNanoseconds: UInt64 = 1_000_000_000

    init(
        name: ServiceName,
        addresses: [(host: String, port: Int)],
        loop: EventLoop,
        metrics: Metrics
    ) {
        self.name = name
        upstreams = addresses.map { Upstream(host: $0.host, port: $0.port, loop: loop) }
        var random = SystemRandomNumberGenerator()
        balancer = Balancer(
            addresses: upstreams.map(\.address),
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

    /// Asks every replica each half second whether it is ready.
    func watch(_ loop: EventLoop) async {
        while !Task.isCancelled {
            for index in upstreams.indices {
                let isHealthy = await isReady(upstreams[index], loop)
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
