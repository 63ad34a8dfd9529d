import Postgres
import ServiceKit
import WalletProtocol

/// Makes releases: at most one in so many hours, by whichever replica comes first, or by command.
struct ReleaseWork {
    static let usage =
        "usage: ezwallet-analytics release: tells everybody's figures as they are now"
    let service: ServiceLoop
    let rates: RateStore
    let settings: ReleaseSettings
    let also: [ReleasePart]

    /// Forgets who was erased while a month was at work, and makes one where it is time.
    func run() async throws {
        let gone = try await service.database.queryOne(BookingStatements.someGone)
        let latest = try await service.database.queryOne(ReleaseStatements.latest)
        let isDue = settings.isDue(after: latest, at: .now())
        guard gone != nil || isDue else { return }
        try await withStore { store in
            try await store.forgetGone()
            if isDue { _ = try await store.makeWhereDue(at: .now()) }
            // Who was erased during its last month.
            try await store.forgetGone()
        }
    }

    /// Makes one now, and says which.
    func command(_ arguments: [String]) async throws {
        guard arguments.isEmpty else { throw UsageFailure() }
        var missing: [String] = []
        let release = try await withStore(missing: { missing.append($0) }) { store in
            let release = try await store.make(at: .now())
            try await store.forgetGone()
            return release
        }
        writeText("release \(release.number) of \(release.releasedAt)\n", to: 1)
        guard missing.isEmpty else { throw PartFailure(parts: missing) }
    }

    /// A release was made, and not all of it.
    struct PartFailure: CommandFailure, CustomStringConvertible {
        let parts: [String]
        var exitStatus: Int32 { 1 }
        var description: String {
            "made without \(parts.joined(separator: ", ")): the log says why, the next one makes it"
        }
    }

    struct UsageFailure: CommandFailure, CustomStringConvertible {
        var exitStatus: Int32 { 2 }
        var description: String { ReleaseWork.usage }
    }

    private func withStore<Value>(
        missing: @escaping (String) -> Void = { _ in },
        _ body: (ReleaseStore) async throws -> Value
    ) async throws -> Value {
        let database = service.longDatabase()
        defer { database.close() }
        let logger = service.logger
        let failures = service.metrics.counter(
            "ezwallet_release_failures_total",
            "Parts that a release of everybody's figures was made without."
        )
        return try await body(
            ReleaseStore(
                database: database,
                rates: rates,
                blocking: service.blocking,
                settings: settings,
                also: also,
                note: { part, error in
                    failures.add()
                    let cause = String(describing: error)
                    logger.error("release without a part", [("part", part), ("cause", cause)])
                    missing(part)
                }
            )
        )
    }
}
