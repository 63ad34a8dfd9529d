import Postgres
import ServiceKit
import WalletProtocol

/// A version, with what made it and what took it back.
struct TransactionVersion: Sendable {
    /// An entry of the journal; those of one database transaction have the same number.
    struct Cause: Sendable {
        let actor: ID<User>?
        let at: Instant
        let number: String
    }
    let row: TransactionRow
    let made: Cause
    let ended: Cause?

    init(_ row: borrowing PostgresRow) throws {
        self.row = try TransactionRow(row)
        made = try Cause(actor: row.value(22), at: row.value(23), number: row.string(24))
        if let at = try row.value(26, as: Instant?.self) {
            ended = try Cause(actor: row.value(25), at: at, number: row.string(27))
        } else {
            ended = nil
        }
    }
}

/// Tells what became of a transaction, version by version.
struct TransactionHistory {
    let database: Database

    /// The newest first.
    /// - Throws: 404 where the reader sees no version of it.
    func page(
        _ query: PageQuery,
        of id: ID<MoneyTransaction>,
        for reader: ID<User>
    ) async throws -> Page<TransactionHistoryItem> {
        let limit = query.limit
        let place = try query.cursor?.decode(HistoryPlace.self)
        // One above the page, to tell what followed, and one below, to tell what changed.
        let versions = try await database.query(
            TransactionStatements.history(
                of: id,
                for: reader,
                upTo: place.map { Int32($0.version + 1) } ?? .max,
                limit: limit + 3
            )
        )
        guard !versions.isEmpty else { throw APIError.notFound }
        let isWhole = versions.count < limit + 3
        let items = Self.items(versions, isWhole, for: reader).drop { item in
            place.map { !$0.isBefore(item) } ?? false
        }
        return Page(rows: Array(items), limit: limit) { Cursor(HistoryPlace($0)) }
    }

    /// The newest first; a version ends before it was made, read backwards.
    ///
    /// Versions on accounts that somebody does not see are left out: what follows one came from
    /// another account.
    private static func items(
        _ versions: [TransactionVersion],
        _ isWhole: Bool,
        for reader: ID<User>
    ) -> [TransactionHistoryItem] {
        var items: [TransactionHistoryItem] = []
        for (index, version) in versions.enumerated() {
            let newer = index > 0 ? versions[index - 1] : nil
            let older = index + 1 < versions.count ? versions[index + 1] : nil
            if let ended = version.ended, newer?.made.number != ended.number {
                items.append(item(version, .deleted, ended, [], for: reader))
            }
            if let older, older.row.version + 1 == version.row.version {
                let isChange = older.ended?.number == version.made.number
                let names = changed(from: older.row, to: version.row, for: reader)
                let action: TransactionAction = isChange ? .changed : .restored
                items.append(item(version, action, version.made, names, for: reader))
            } else if version.row.version == 1 {
                items.append(item(version, .recorded, version.made, [], for: reader))
            } else if older != nil || isWhole {
                let moved = ["accountId"]
                items.append(item(version, .changed, version.made, moved, for: reader))
            }
        }
        return items
    }

    private static func item(
        _ version: TransactionVersion,
        _ action: TransactionAction,
        _ cause: TransactionVersion.Cause,
        _ changed: [String],
        for reader: ID<User>
    ) -> TransactionHistoryItem {
        TransactionHistoryItem(
            version: Int(version.row.version),
            action: action,
            at: cause.at,
            userID: cause.actor,
            changed: changed,
            transaction: version.row.view(for: reader)
        )
    }

    private static func changed(
        from old: TransactionRow,
        to new: TransactionRow,
        for reader: ID<User>
    ) -> [String] {
        var names: [String] = []
        if old.amount != new.amount || old.currency != new.currency { names.append("amount") }
        if old.account != new.account { names.append("accountId") }
        if old.name != new.name { names.append("name") }
        if old.day != new.day { names.append("date") }
        if old.category != new.category { names.append("categoryId") }
        if old.lines != new.lines { names.append("lines") }
        if old.description != new.description { names.append("description") }
        if old.location != new.location || old.placeName != new.placeName {
            names.append("location")
        }
        // Nobody is told of another's folders.
        if old.folder != new.folder, old.owner == reader, new.owner == reader {
            names.append("folderId")
        }
        if old.tags != new.tags { names.append("tags") }
        return names
    }
}

/// Where a page of a history ends.
struct HistoryPlace: JSONObject, Hashable {
    let version: Int
    let isMaking: Bool

    init(version: Int, isMaking: Bool) {
        self.version = version
        self.isMaking = isMaking
    }

    init(_ item: TransactionHistoryItem) {
        self.init(version: item.version, isMaking: item.action != .deleted)
    }

    /// Whether it comes before an item, in the list's order.
    func isBefore(_ item: TransactionHistoryItem) -> Bool {
        if item.version != version { return item.version < version }
        return !isMaking && item.action != .deleted
    }

    static let json = Object(
        HistoryPlace.init(version:isMaking:),
        Field("v", \.version, .range(1...Int(Int32.max) - 1)),
        Field("m", \.isMaking)
    )
}
