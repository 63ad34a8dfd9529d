import Postgres
import WalletProtocol

/// What a row of a copy is found by.
struct CopyKey: Hashable, Comparable, Sendable {
    /// What stands in a copy's key: each table has its own.
    enum Part {}

    /// A person or a group.
    let owner: ID<Part>
    /// What of theirs; nothing, where there is one row of each.
    let part: ID<Part>

    init<Owner, Other>(_ owner: ID<Owner>, _ part: ID<Other>) {
        self.owner = owner.retagged(Part.self)
        self.part = part.retagged(Part.self)
    }

    static let first = CopyKey(ID<Part>(high: 0, low: 0), ID<Part>(high: 0, low: 0))
    static let last = CopyKey(ID<Part>(high: .max, low: .max), ID<Part>(high: .max, low: .max))

    static func < (left: Self, right: Self) -> Bool {
        left.owner == right.owner ? left.part < right.part : left.owner < right.owner
    }
}

/// A row of a copy: its columns as texts, in the table's order.
struct CopyRow: Hashable, Sendable {
    let key: CopyKey
    let columns: [String?]
}

/// A page of what an owner says.
struct ToldPage {
    /// The rows that a copy has, each with the sequence as of which it is so.
    let rows: [(row: CopyRow, sequence: Int64)]
    /// Up to where that is all there is.
    let through: CopyKey
    let next: Cursor?

    /// What `row` makes of a page's items; it leaves out what has no place in the copy.
    init<Value>(
        _ page: Page<Snapshot<Value>>,
        key: (Value) -> CopyKey,
        row: (Value) -> [String?]?
    ) {
        rows = page.items.compactMap { item in
            row(item.data).map { (CopyRow(key: key(item.data), columns: $0), item.sequence) }
        }
        next = page.nextCursor
        through = next == nil ? .last : page.items.last.map { key($0.data) } ?? .last
    }
}

/// A table that repeats what another service owns, in the order of one key.
protocol CopiedTable {
    var producer: ServiceName { get }
    /// Whether rows are people's, who may be erased.
    var isOfPeople: Bool { get }

    /// Whose events tell of a row.
    func aggregate(of key: CopyKey) -> String
    func told(_ query: SnapshotQuery) async throws -> ToldPage
    /// Some rows behind a key, in order, up to another; fewer than the limit are all.
    func kept(
        after: CopyKey,
        through: CopyKey,
        limit: Int,
        in database: some Querying
    ) async throws -> [CopyRow]
    /// Writes rows as they were told, and takes others away.
    func replace(
        _ rows: [(row: CopyRow, sequence: Int64)],
        removing keys: [CopyKey],
        in transaction: Transaction
    ) async throws
    /// A line for whoever operates it.
    func words(_ key: CopyKey, told: CopyRow?, kept: CopyRow?) -> String
}

extension CopiedTable {
    /// `what: how it is there, how it is here`.
    func line(
        _ what: String,
        _ told: CopyRow?,
        _ kept: CopyRow?,
        _ describe: (CopyRow) -> String
    ) -> String {
        "\(what): \(told.map(describe) ?? "unknown") in \(producer.rawValue), "
            + "\(kept.map(describe) ?? "missing") here"
    }
}
