import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Holds cells against the facts that they are sums of, a piece at a time.
///
/// `Services/Analytics/REBUILD.md` says why that is exact.
struct CellRecount {
    let comparison: Comparison
    private var database: Database { comparison.database }

    /// About how many bookings one piece is of, and how many differences of it are told.
    static let pieceMax = 20_000
    static let linesMax: Int32 = 1_000

    init(comparison: Comparison) { self.comparison = comparison }

    /// Everybody's.
    func run() async throws {
        var after = CopyKey.first.owner.retagged(CellOwner.self)
        while true {
            let owners = try await database.query(RecountStatements.owners, after)
            guard let last = owners.last else { return }
            for owner in owners { try await run(owner) }
            after = last
        }
    }

    /// One owner's: whole months of a currency at a time.
    func run(_ owner: ID<CellOwner>) async throws {
        guard let first = Day(year: 1, month: 1, day: 1),
            let last = Day(year: 9_999, month: 12, day: 31)
        else { return }
        var behind = ""
        while true {
            let found = try await database.queryOne(RecountStatements.currency, owner, behind)
            guard let currency = found.flatMap(\.self) else { return }
            behind = currency
            var from: Day? = first
            while let start = from {
                let full = try await database.queryOne(
                    RecountStatements.end,
                    owner,
                    currency,
                    start,
                    Self.pieceMax
                )
                let through = full.flatMap(\.self).map(\.month.lastDay) ?? last
                try await recount(owner, currency, start, through)
                from = through.adding(days: 1)
            }
        }
    }

    private func recount(
        _ owner: ID<CellOwner>,
        _ currency: String,
        _ from: Day,
        _ through: Day
    ) async throws {
        let found: [DifferingCell] = try await database.transaction { transaction in
            if comparison.corrects {
                guard try await isHeld(owner, in: transaction) else { return [] }
            }
            return try await transaction.query(
                RecountStatements.recount,
                owner,
                currency,
                from,
                through,
                comparison.corrects,
                Self.linesMax
            )
        }
        for cell in found { comparison.report(cell.words(of: owner)) }
    }

    /// Keeps others who recount away, and whoever takes all of an owner's cells: what is added to a
    /// cell that goes meanwhile would be there again.
    /// - Returns: false of whoever is erased.
    private func isHeld(_ owner: ID<CellOwner>, in transaction: Transaction) async throws -> Bool {
        try await transaction.execute(RecountStatements.lock, owner.text)
        if try await transaction.queryOne(RecountStatements.isPerson, owner) != true {
            _ = try await InboxRows.hold(["group:\(owner)"], of: .groups, in: transaction)
        }
        let users = [owner.retagged(User.self)]
        return try await ErasedUsers.those(ofMany: users, in: transaction).isEmpty
    }
}

/// A cell that is not what its facts come to.
struct DifferingCell: Sendable {
    let grain: String
    let start: Day
    let account: ID<Account>
    let category: CategoryID
    let counted: Total
    let kept: Total
    let parts: (counted: Int64, kept: Int64)

    func words(of owner: ID<CellOwner>) -> String {
        "cell of \(owner), \(start.month.text) \(counted.currency.code): "
            + "\(grain) of \(start.text), account \(account), category \(category): "
            + "\(counted) of \(parts.counted) in facts, \(kept) of \(parts.kept) here"
    }
}
