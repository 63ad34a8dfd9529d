import Loops
import Postgres
import WalletProtocol

/// How what is kept is held against its owners.
final class Comparison {
    let database: Database
    let origins: Origins
    /// Whether what differs is corrected, or told alone.
    let corrects: Bool
    /// Of each difference a line.
    private let tell: (String) -> Void
    private let pause: () async throws -> Void
    private(set) var differences = 0
    /// What differs, and may be on its way still: it was looked at for long enough.
    private(set) var doubts = 0
    /// How often it is looked again at what may still be on its way, in all.
    private var looks: Int

    init(
        database: Database,
        origins: Origins,
        corrects: Bool,
        looks: Int = 300,
        pause: @escaping () async throws -> Void,
        tell: @escaping (String) -> Void
    ) {
        self.database = database
        self.origins = origins
        self.corrects = corrects
        self.looks = looks
        self.pause = pause
        self.tell = tell
    }

    /// How many corrections are told of, a line each: from nothing there is one for all there is.
    static let correctionsMax = 10_000

    func report(_ difference: String) {
        differences += 1
        if !corrects || differences <= Self.correctionsMax { tell(difference) }
    }

    func doubt(_ difference: String) {
        doubts += 1
        if doubts <= Self.correctionsMax { tell("cannot tell: \(difference)") }
    }

    /// Waits a moment.
    /// - Returns: whether it is worth another look.
    func waits() async throws -> Bool {
        guard looks > 0 else { return false }
        looks -= 1
        try await pause()
        return true
    }

    /// Everything: copies first, for cells of groups are sums of them.
    func run() async throws {
        try await CopyWalk(table: PersonCopy(origins: origins), comparison: self).run()
        try await CopyWalk(table: CategoryCopy(origins: origins), comparison: self).run()
        try await CopyWalk(table: WalletMemberCopy(origins: origins), comparison: self).run()
        try await CopyWalk(table: GroupCategoryCopy(origins: origins), comparison: self).run()
        try await CopyWalk(table: GroupExpenseCopy(origins: origins), comparison: self).run()
        try await FactWalk(comparison: self).run()
        if corrects { try await noteGroups() }
        try await CellRecount(comparison: self).run()
    }

    /// The first group of everybody who is in one by now; who has left them has it by events alone.
    private func noteGroups() async throws {
        var cursor: Cursor?
        repeat {
            let page = try await origins.groupMembers(SnapshotQuery(cursor: cursor))
            try await FirstStep.rebuild(page.items.compactMap { FirstStep($0.data) }, in: database)
            cursor = page.nextCursor
        } while cursor != nil
    }
}
