internal import Synchronization

/// A number that only grows, or a gauge that is set; written from any thread without a lock.
public final class MetricValue: Sendable {
    private let value = Atomic<Int64>(0)

    /// Adds.
    public func add(_ amount: Int64 = 1) { value.add(amount, ordering: .relaxed) }
    /// Sets.
    public func set(_ new: Int64) { value.store(new, ordering: .relaxed) }
    /// Reads.
    public var current: Int64 { value.load(ordering: .relaxed) }
}

/// How long requests took, in fixed buckets.
public final class DurationHistogram: Sendable {
    /// Upper bounds in milliseconds.
    static let boundsMilliseconds: [Double] = [
        1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
    ]
    private let buckets: [MetricValue] = (0...boundsMilliseconds.count).map { _ in MetricValue() }
    private let sumMicroseconds = MetricValue()
    private let boundsNanoseconds = boundsMilliseconds.map { UInt64($0 * 1e6) }

    /// Counts one that took so many nanoseconds.
    public func observe(nanoseconds: UInt64) {
        var index = 0
        while index < boundsNanoseconds.count, nanoseconds > boundsNanoseconds[index] { index += 1 }
        buckets[index].add()
        sumMicroseconds.add(Int64(clamping: nanoseconds / 1_000))
    }

    func render(_ name: String, _ labels: String, into text: inout String) {
        var count: Int64 = 0
        let comma = labels.isEmpty ? "" : ","
        for (index, bucket) in buckets.enumerated() {
            count += bucket.current
            let bound =
                index < Self.boundsMilliseconds.count
                ? "\(Self.boundsMilliseconds[index] / 1_000)" : "+Inf"
            text += "\(name)_bucket{\(labels)\(comma)le=\"\(bound)\"} \(count)\n"
        }
        let block = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(block) \(Double(sumMicroseconds.current) / 1e6)\n"
        text += "\(name)_count\(block) \(count)\n"
    }
}

/// What an executable tells Prometheus; names are interface, append only.
///
/// Source: Prometheus text exposition format 0.0.4; RED per route (rate, errors, duration).
public final class Metrics: Sendable {
    private struct State {
        var counters: [(name: String, help: String, isGauge: Bool, labels: String, MetricValue)] =
            []
        var histograms: [(name: String, help: String, labels: String, DurationHistogram)] = []
        var samplers: [@Sendable () -> Void] = []
    }
    private let state = Mutex(State())

    /// No metrics yet.
    public init() {}

    /// A counter; the same name and labels give the same one.
    public func counter(_ name: String, _ help: String, labels: String = "") -> MetricValue {
        value(name, help, isGauge: false, labels: labels)
    }

    /// A gauge.
    public func gauge(_ name: String, _ help: String, labels: String = "") -> MetricValue {
        value(name, help, isGauge: true, labels: labels)
    }

    private func value(
        _ name: String,
        _ help: String,
        isGauge: Bool,
        labels: String
    ) -> MetricValue {
        state.withLock { state in
            if let old = state.counters.first(where: { $0.name == name && $0.labels == labels }) {
                return old.4
            }
            let new = MetricValue()
            state.counters.append((name, help, isGauge, labels, new))
            return new
        }
    }

    /// A histogram of durations.
    public func histogram(
        _ name: String,
        _ help: String,
        labels: String = ""
    ) -> DurationHistogram {
        state.withLock { state in
            if let old = state.histograms.first(where: { $0.name == name && $0.labels == labels }) {
                return old.3
            }
            let new = DurationHistogram()
            state.histograms.append((name, help, labels, new))
            return new
        }
    }

    /// Runs before each scrape, to bring gauges up to date.
    public func onScrape(_ sample: @escaping @Sendable () -> Void) {
        state.withLock { $0.samplers.append(sample) }
    }

    /// The page that Prometheus reads.
    public func render() -> String {
        for sample in state.withLock({ $0.samplers }) { sample() }
        return state.withLock { state in
            var text = ""
            var told: Set<String> = []
            for entry in state.counters.sorted(by: { ($0.name, $0.labels) < ($1.name, $1.labels) })
            {
                if told.insert(entry.name).inserted {
                    text += "# HELP \(entry.name) \(entry.help)\n"
                    text += "# TYPE \(entry.name) \(entry.isGauge ? "gauge" : "counter")\n"
                }
                let labels = entry.labels.isEmpty ? "" : "{\(entry.labels)}"
                text += "\(entry.name)\(labels) \(entry.4.current)\n"
            }
            for entry in state.histograms.sorted(by: { ($0.name, $0.labels) < ($1.name, $1.labels) }
            ) {
                if told.insert(entry.name).inserted {
                    text += "# HELP \(entry.name) \(entry.help)\n# TYPE \(entry.name) histogram\n"
                }
                entry.3.render(entry.name, entry.labels, into: &text)
            }
            return text
        }
    }
}
