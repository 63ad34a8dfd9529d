import Postgres
import ServiceKit
import WalletProtocol

/// Reads a page of a round.
///
/// A round tells of every row that was written by a transaction at or above its floor. The floor is
/// the `xmin` of the snapshot with which the round before began: what that one did not see was
/// written at or above it, whenever it was committed. (The highest id seen is no such floor, for
/// transactions end in another order than ids are given out.) Lines are found by their account's
/// own numbers, from the newest down; all else by the id of what wrote it. A row that changes while
/// a round is under way gets an id that its snapshot did not see, and so comes in the next one.
///
/// Cost: a look-up for each kind and each account, and one for each row that was written since.
struct ChangeReader {
    let database: Database
    let user: ID<User>
    let floor: Int64
    let round: ChangeRound

    /// Statements a page at most: of several versions of one thing one is told.
    static let readsMax = 40

    /// Up to so many items; where the next page begins, nil at the end.
    func page(_ limit: Int) async throws -> (items: [ChangeItem], next: ChangeRound?) {
        var items: [ChangeItem] = []
        var deleted: Set<ID<Change>> = []
        var (stage, position) = (round.stage, round.position)
        var left = PageSize.bytesMax
        for _ in 0..<Self.readsMax {
            let wanted = limit - items.count
            guard wanted > 0, left > 0 else { break }
            let found = try await rows(of: stage, behind: position, wanted)
            let rows = found.prefix { row in
                defer { left -= row.item.map { JSON.write($0).count } ?? 0 }
                return left > 0
            }
            for item in rows.compactMap(\.item) {
                // Each version of a transaction that is gone tells of it.
                if item.deletedAt != nil, !deleted.insert(item.id).inserted { continue }
                items.append(item)
            }
            if let last = rows.last, rows.count == wanted || rows.count < found.count {
                position = last.position
            } else if let following = stage.next {
                (stage, position) = (following, .start(floor))
            } else {
                return (items, nil)
            }
        }
        let next = ChangeRound(next: round.next, end: round.end, stage: stage, position: position)
        return (items, next)
    }

    private func rows(
        of stage: ChangeStage,
        behind position: StagePlace,
        _ limit: Int
    ) async throws -> [ChangeRow] {
        let (from, end, count) = (String(position.xid), String(round.end), Int32(clamping: limit))
        let statement: Statement<ChangeRow>
        switch stage {
        case .access:
            // What a first load tells of is all that is to be loaded.
            if floor == 0 { return [] }
            statement = ChangeStatements.access
        case .folderAccess:
            if floor == 0 { return [] }
            statement = ChangeStatements.folderAccess
        case .folders: return try await folders(behind: position, count)
        case .categories: statement = ChangeStatements.categories
        case .recurrences: statement = ChangeStatements.recurrences
        case .standingOrders: statement = ChangeStatements.standingOrders
        case .importRules: statement = ChangeStatements.importRules
        case .allocations: statement = ChangeStatements.allocations
        case .accounts: return try await accounts(behind: position, count)
        case .transactions: return try await transactions(behind: position, count)
        case .touched: return try await touched(behind: position, count)
        case .attachments: return try await attached(behind: position, count)
        }
        return try await database.query(statement, user, from, position.id, end, count)
    }

    /// Accounts and their balances: however much they have changed, once each.
    private func accounts(
        behind position: StagePlace,
        _ limit: Int32
    ) async throws -> [ChangeRow] {
        let ids = try await database.query(
            ChangeStatements.changedAccounts,
            user,
            position.id,
            String(floor),
            limit
        )
        guard !ids.isEmpty else { return [] }
        var items: [ID<Change>: ChangeItem] = [:]
        for row in try await database.query(AccountStatements.findAll, user, ids) {
            let id = row.id.change
            items[id] = ChangeItem(kind: .account, id: id, account: row.view)
        }
        return ids.map { id in
            let position = StagePlace(scope: .zero, xid: floor, id: id.change)
            return ChangeRow(position: position, item: items[id.change])
        }
    }

    /// Folders by id, once each, as they are now.
    private func folders(
        behind position: StagePlace,
        _ limit: Int32
    ) async throws -> [ChangeRow] {
        let rows = try await database.query(
            FolderStatements.changed(
                for: user,
                behind: position.id,
                since: String(floor),
                limit: limit
            )
        )
        return rows.map { row in
            let id = row.view.id.change
            let item =
                row.endedAt.map { ChangeItem(kind: .folder, id: id, deletedAt: $0) }
                ?? ChangeItem(kind: .folder, id: id, folder: row.view)
            return ChangeRow(
                position: StagePlace(scope: .zero, xid: floor, id: id),
                item: item
            )
        }
    }

    private func transactions(
        behind position: StagePlace,
        _ limit: Int32
    ) async throws -> [ChangeRow] {
        try await told(
            database.query(
                ChangeStatements.transactions,
                user,
                position.scope,
                String(floor),
                position.seq ?? .max,
                String(round.end),
                limit
            )
        )
    }

    /// What befell those that stood; a first load has each as it is.
    private func touched(
        behind position: StagePlace,
        _ limit: Int32
    ) async throws -> [ChangeRow] {
        if floor == 0 { return [] }
        return try await told(written(ChangeStatements.touched, position, limit))
    }

    private func told(_ written: [WrittenRow]) async throws -> [ChangeRow] {
        var there = try await transactions(written.map(\.transaction))
        let known = Set(there.keys)
        // Each version tells of the transaction as it is now: the one that was replaced and the one
        // that replaced it may stand at one place, and a page may end between them.
        return written.map { version in
            let id = version.transaction.change
            var item = there.removeValue(forKey: id)
            if let endedAt = version.endedAt, !known.contains(id) {
                item = ChangeItem(kind: .transaction, id: id, deletedAt: endedAt)
            }
            return ChangeRow(position: version.position, item: item)
        }
    }

    /// Transactions that got or lost attachments; a first load has them with each transaction.
    private func attached(
        behind position: StagePlace,
        _ limit: Int32
    ) async throws -> [ChangeRow] {
        if floor == 0 { return [] }
        let written = try await written(ChangeStatements.attachments, position, limit)
        var there = try await transactions(written.map(\.transaction))
        return written.map { row in
            let item = there.removeValue(forKey: row.transaction.change)
            return ChangeRow(position: row.position, item: item)
        }
    }

    private func written(
        _ statement: Statement<WrittenRow>,
        _ position: StagePlace,
        _ limit: Int32
    ) async throws -> [WrittenRow] {
        try await database.query(
            statement,
            user,
            position.scope,
            String(floor),
            String(position.xid),
            position.id,
            String(round.end),
            limit
        )
    }

    /// Those of them that are there and that the user may see, each as it is now.
    private func transactions(
        _ ids: [ID<MoneyTransaction>]
    ) async throws -> [ID<Change>: ChangeItem] {
        guard !ids.isEmpty else { return [:] }
        let wanted = Array(Set(ids))
        // The attachments first: of a transaction that the user may not see none is told.
        let attachments = Dictionary(
            grouping: try await database.query(ChangeStatements.attachmentsOf, wanted),
            by: \.transaction
        )
        var items: [ID<Change>: ChangeItem] = [:]
        for (row, _) in try await database.query(
            TransactionStatements.findAll(wanted, for: user)
        ) {
            items[row.id.change] = ChangeItem(
                kind: .transaction,
                id: row.id.change,
                transaction: row.view(for: user),
                attachments: attachments[row.id]?.map(\.view) ?? []
            )
        }
        return items
    }
}
