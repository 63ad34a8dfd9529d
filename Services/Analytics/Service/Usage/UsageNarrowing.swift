import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Decides anew of a month that was told, where a figure needs more people now than it did then.
///
/// It is decided of what was kept, by the same rule, and not of what people have done: that is
/// forgotten after a while. What was not told is told no more.
struct UsageNarrowing {
    let month: Month
    let usersMin: Int
    let blocking: BlockingPool
    let transaction: Transaction

    func run() async throws {
        let first = month.firstDay
        let sizes = try await transaction.query(UsageReleaseStatements.sizes, first)
        var kept: [UsageKind: [KeptUsageRow]] = [:]
        for kind in UsageKind.allCases {
            kept[kind] = try await transaction.query(
                UsageReleaseStatements.kept,
                kind.rawValue,
                first
            )
        }
        let (rows, usersMin) = (kept, usersMin)
        let narrowed = try await blocking.run {
            let cells = rows.map { UsageCells($0.key, kept: $0.value) }
            return Self.narrowed(cells, sizes, usersMin: usersMin)
        }
        for cells in narrowed { try await hide(cells, of: kept[cells.kind] ?? []) }
        try await transaction.execute(UsageReleaseStatements.raise, first, Int64(usersMin))
    }

    /// - Parameter sizes: of every cohort up to the month's.
    static func narrowed(
        _ kept: [UsageCells],
        _ sizes: [UsageRow],
        usersMin: Int
    ) -> [UsageCells] {
        let present = kept.first { $0.kind == .activity }.map(UsageRelease.present) ?? [:]
        return kept.map { cells in
            let whole: [UsageCells.Place: UsageFigures] =
                switch cells.kind {
                case .cohort, .funnel: [:]
                case .activity: UsageCells.sums(of: sizes)
                case .imports, .exports: present
                }
            return cells.narrowed(partOf: whole, usersMin: usersMin)
        }
    }

    private func hide(_ cells: UsageCells, of kept: [KeptUsageRow]) async throws {
        let (kind, first) = (cells.kind.rawValue, month.firstDay)
        let closed = cells.closed.map(UsageCells.code).sorted()
        try await transaction.execute(UsageReleaseStatements.close, kind, first, closed)
        let gone = kept.filter { $0.isTold && !cells.told.contains($0.place) }
        try await transaction.execute(
            UsageReleaseStatements.hide,
            kind,
            first,
            gone.map { UsageCells.code($0.place.map(\.count)) },
            gone.map(\.number)
        )
    }
}
