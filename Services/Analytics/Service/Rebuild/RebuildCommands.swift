import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// `ezwallet-analytics verify`, `rebuild` and `recount`.
enum RebuildCommands {
    static let verifyUsage =
        "usage: ezwallet-analytics verify: holds what is kept against the ledger, auth and groups, "
        + "a line a difference; exits with 0 (none), 1 (some) or 2 (cannot tell)"
    static let rebuildUsage =
        "usage: ezwallet-analytics rebuild: corrects what differs from the ledger, auth and "
        + "groups, while serving; from nothing, too"
    static let recountUsage =
        "usage: ezwallet-analytics recount [--person ID]: makes everybody's cells, or a person's "
        + "or group's, what the facts come to, while serving"

    /// A word that is none of a command's, or what keeps it from telling.
    struct Failure: CommandFailure, CustomStringConvertible {
        let description: String
        var exitStatus: Int32 { 2 }
    }

    /// Not all is as its owners have it.
    struct Differing: CommandFailure, CustomStringConvertible {
        let count: Int
        var exitStatus: Int32 { 1 }
        var description: String { "\(count) differences" }
    }

    static func verify(_ arguments: [String], service: ServiceLoop) async throws {
        guard arguments.isEmpty else { throw Failure(description: verifyUsage) }
        let count = try await compare(service, corrects: false) { try await $0.run() }
        guard count == 0 else { throw Differing(count: count) }
        writeText("all is as its owners have it\n", to: 1)
    }

    static func rebuild(_ arguments: [String], service: ServiceLoop) async throws {
        guard arguments.isEmpty else { throw Failure(description: rebuildUsage) }
        let count = try await compare(service, corrects: true) { try await $0.run() }
        writeText("\(count) differences corrected\n", to: 1)
    }

    static func recount(_ arguments: [String], service: ServiceLoop) async throws {
        let owner = try owner(in: arguments)
        let count = try await compare(service, corrects: true) { comparison in
            let recount = CellRecount(comparison: comparison)
            if let owner { try await recount.run(owner) } else { try await recount.run() }
        }
        writeText("\(count) cells corrected\n", to: 1)
    }

    /// Whose cells; nil is everybody's.
    static func owner(in arguments: [String]) throws -> ID<CellOwner>? {
        if arguments.isEmpty { return nil }
        guard arguments.count == 2, arguments[0] == "--person",
            let owner = ID<CellOwner>(arguments[1])
        else { throw Failure(description: recountUsage) }
        return owner
    }

    private static func compare(
        _ service: ServiceLoop,
        corrects: Bool,
        _ body: (Comparison) async throws -> Void
    ) async throws -> Int {
        let database = service.longDatabase()
        defer { database.close() }
        let comparison = Comparison(
            database: database,
            origins: Origins(service),
            corrects: corrects,
            pause: { try await service.loop.sleep(nanoseconds: 200_000_000) },
            tell: { writeText($0 + "\n", to: 1) }
        )
        do {
            try await body(comparison)
        } catch { throw Failure(description: "cannot tell: \(error)") }
        guard comparison.doubts == 0 || (!corrects && comparison.differences > 0) else {
            let done = corrects ? "\(comparison.differences) corrected, " : ""
            throw Failure(
                description: done + "\(comparison.doubts) may be on their way still: run it again"
            )
        }
        return comparison.differences
    }
}
