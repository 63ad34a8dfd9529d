import Loops
import Names
import ServiceKit

/// Keeps one service's replicas to what their names stand for, on one loop.
///
/// Each address of a name is a replica of its own. Names are resolved again when their time to
/// live is over, within bounds, and each second while a replica fails its checks, for it may have
/// moved. A name that cannot be resolved keeps the addresses that it had.
final class ReplicaNames {
    /// A host and port as configured, and the addresses it stands for; empty: none known yet.
    private struct Target {
        let host: String
        let port: Int
        var addresses: [String]
        var error: NameError?
    }

    static let refreshSecondsMin = 1
    static let refreshSecondsMax = 30
    /// A name that has not been resolved yet is asked for again after this.
    static let waitNanoseconds: UInt64 = 250_000_000

    private let service: UpstreamService
    private let names: NameResolver
    private var targets: [Target]
    /// Told of what changes, for the log.
    private let report: (_ event: String, _ detail: String) -> Void

    init(
        _ addresses: [(host: String, port: Int)],
        of service: UpstreamService,
        names: NameResolver,
        report: @escaping (_ event: String, _ detail: String) -> Void = { _, _ in }
    ) {
        self.service = service
        self.names = names
        self.report = report
        targets = addresses.map { address in
            let numeric = NumericAddress(numeric: address.host)
            return Target(
                host: address.host,
                port: address.port,
                addresses: numeric.map { [$0.text] } ?? []
            )
        }
        apply()
    }

    /// Whether there is a name among the addresses.
    var haveNames: Bool { targets.contains { NumericAddress(numeric: $0.host) == nil } }

    /// Whether every name has been resolved.
    var areKnown: Bool { targets.allSatisfy { !$0.addresses.isEmpty } }

    /// Follows the names until it is cancelled; `known` is called once, when all are resolved.
    func follow(known: () -> Void) async {
        var isTold = false
        while haveNames, !Task.isCancelled {
            let seconds = await refresh()
            if areKnown, !isTold {
                isTold = true
                known()
            }
            let pause =
                areKnown ? UInt64(seconds) * 1_000_000_000 : Self.waitNanoseconds
            try? await names.loop.sleep(nanoseconds: pause)
        }
    }

    /// Resolves every name and answers after how many seconds to do so again.
    func refresh() async -> Int {
        let doubtful = service.balancer.endpoints.contains { !$0.isRetired && !$0.isHealthy }
        let secondsMax = doubtful ? Self.refreshSecondsMin : Self.refreshSecondsMax
        var seconds = secondsMax
        for index in targets.indices where NumericAddress(numeric: targets[index].host) == nil {
            do throws(NameError) {
                let found = try await names.addresses(
                    of: targets[index].host,
                    secondsOldMax: secondsMax
                )
                targets[index].addresses = found.map(\.text)
                targets[index].error = nil
                seconds = min(seconds, found.map(\.secondsToLive).min() ?? seconds)
            } catch {
                seconds = Self.refreshSecondsMin
                if targets[index].error != error {
                    report("name not resolved", "\(targets[index].host): \(error)")
                }
                targets[index].error = error
            }
        }
        apply()
        return max(seconds, Self.refreshSecondsMin)
    }

    private func apply() {
        let before = addresses
        service.use(
            targets.flatMap { target in target.addresses.map { ($0, target.port) } }
        )
        if haveNames, addresses != before {
            report("replicas", addresses.joined(separator: ","))
        }
    }

    private var addresses: [String] {
        service.balancer.endpoints.filter { !$0.isRetired }.map(\.address).sorted()
    }
}
