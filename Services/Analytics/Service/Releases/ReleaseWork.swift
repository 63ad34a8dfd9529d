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
    let also: (Release, LeasedConnection) async throws -> Void

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
        let release = try await withStore { store in
            let release = try await store.make(at: .now())
            try await store.forgetGone()
            return release
        }
        writeText("release \(release.number) of \(release.releasedAt)\n", to: 1)
    }

    struct UsageFailure: CommandFailure, CustomStringConvertible {
        var exitStatus: Int32 { 2 }
        var description: String { ReleaseWork.usage }
    }

    private func withStore<Value>(
        _ body: (ReleaseStore) async throws -> Value
    ) async throws -> Value {
        let database = service.longDatabase()
        defer { database.close() }
        return try await body(
            ReleaseStore(
                database: database,
                rates: rates,
                blocking: service.blocking,
                settings: settings,
                also: also
            )
        )
    }
}
