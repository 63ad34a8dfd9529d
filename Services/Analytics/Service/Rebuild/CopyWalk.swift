import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Holds a copied table against its owner, page by page.
///
/// `Services/Analytics/REBUILD.md` says why that is exact.
struct CopyWalk<Table: CopiedTable> {
    let table: Table
    let comparison: Comparison

    /// A row that is otherwise than told, or not told at all.
    private struct Difference {
        let key: CopyKey
        let told: (row: CopyRow, sequence: Int64)?
        let kept: CopyRow?
    }

    /// A page, where it begins, and how often it was read.
    private struct Look {
        let page: ToldPage
        let after: CopyKey
        let number: Int
        /// How far the events went of aggregates whose rows it does not have, as asked before it.
        let before: [String: Int64]
    }

    /// What a page left open.
    private struct Open {
        let keys: Set<CopyKey>
        /// How far the first look went: a row that has gone since makes room for others behind.
        let through: CopyKey
        /// Those of rows that their owner does not have.
        let aggregates: Set<String>
    }

    /// Each may be a lock of a person's.
    private static var pageMax: Int { 500 }

    /// More are corrected by another look.
    private static var differencesMax: Int { 10_000 }

    /// How often a page is looked at: what is never heard of does not use up all looks.
    private static var looksMax: Int { 100 }

    /// How often, before something of a person is told of that their owner does not have: an
    /// erasure, which no event of the row tells of, may be on its way.
    private static var looksAtPeople: Int { 25 }

    func run() async throws {
        var (cursor, after) = (nil as Cursor?, CopyKey.first)
        while true {
            let page = try await settle(cursor, behind: after)
            guard let next = page.next else { return }
            (cursor, after) = (next, page.through)
        }
    }

    /// Looks at a page, and again until nothing of what differed may be on its way.
    private func settle(_ cursor: Cursor?, behind after: CopyKey) async throws -> ToldPage {
        var open: Open?
        var looks = 0
        while true {
            looks += 1
            let before = try await sequences(of: open?.aggregates ?? [])
            let page = try await table.told(
                SnapshotQuery(cursor: cursor, limit: Self.pageMax)
            )
            let found = try await differences(page, behind: after, in: comparison.database)
                .filter { one in
                    open.map { $0.keys.contains(one.key) || $0.through < one.key } ?? true
                }
            guard !found.isEmpty else { return page }
            let look = Look(page: page, after: after, number: looks, before: before)
            var unsure: [Difference] = []
            var rest = found.map(\.key)[...]
            while !rest.isEmpty {
                unsure += try await decide(Set(rest.prefix(Self.pageMax)), look)
                rest = rest.dropFirst(Self.pageMax)
            }
            if unsure.isEmpty {
                guard comparison.corrects, found.count >= Self.differencesMax else { return page }
            } else {
                let goesOn = looks < Self.looksMax ? try await comparison.waits() : false
                guard goesOn else {
                    for one in unsure { comparison.doubt(words(of: one)) }
                    return page
                }
            }
            open =
                unsure.isEmpty
                ? nil
                : Open(
                    keys: Set(unsure.map(\.key)),
                    through: open.map { min($0.through, page.through) } ?? page.through,
                    aggregates: Set(
                        unsure.filter { $0.told == nil }.map { table.aggregate(of: $0.key) }
                    )
                )
        }
    }

    /// How far the owner's events of some aggregates go by now.
    private func sequences(of aggregates: Set<String>) async throws -> [String: Int64] {
        var found: [String: Int64] = [:]
        for aggregate in aggregates {
            found[aggregate] = try await comparison.origins.lastSequence(
                table.producer,
                aggregate
            )
        }
        return found
    }

    private func words(of one: Difference) -> String {
        table.words(one.key, told: one.told?.row, kept: one.kept)
    }

    private func differences(
        _ page: ToldPage,
        behind after: CopyKey,
        in database: some Querying
    ) async throws -> [Difference] {
        var told = Dictionary(page.rows.map { ($0.row.key, $0) }) { _, last in last }
        var found: [Difference] = []
        var behind = after
        // Mostly there are as many here.
        let limit = page.rows.count + 100
        while found.count < Self.differencesMax {
            let some = try await table.kept(
                after: behind,
                through: page.through,
                limit: limit,
                in: database
            )
            for row in some {
                let other = told.removeValue(forKey: row.key)
                if other?.row != row { found.append(.init(key: row.key, told: other, kept: row)) }
            }
            guard let last = some.last, some.count == limit else {
                return found + told.values.map { .init(key: $0.row.key, told: $0, kept: nil) }
            }
            behind = last.key
        }
        return found
    }

    /// Corrects or tells what can be decided on.
    /// - Returns: what may be on its way.
    private func decide(
        _ keys: Set<CopyKey>,
        _ look: Look
    ) async throws -> [Difference] {
        // Of what the owner does not have: the page is as of a sequence that is the same before it
        // and behind it, both asked next to it, for an owner may never rest.
        let toldKeys = Set(look.page.rows.map(\.row.key))
        let missing = Set(keys.subtracting(toldKeys).map(table.aggregate))
        let known = try await sequences(of: missing.intersection(look.before.keys))
            .filter { look.before[$0.key] == $0.value }
        let options = TransactionOptions(
            isolation: comparison.corrects ? .readCommitted : .repeatableRead
        )
        let (sure, unsure) = try await comparison.database.transaction(options) { transaction in
            let applied = try await place(of: keys, in: transaction)
            let found = try await differences(look.page, behind: look.after, in: transaction)
                .filter { keys.contains($0.key) }
            let erased = try await whoIsErased(found, in: transaction)
            var (sure, unsure) = ([Difference](), [Difference]())
            for one in found where !erased.contains(one.key.owner.retagged(User.self)) {
                let aggregate = table.aggregate(of: one.key)
                let here = applied[aggregate] ?? 0
                let there = one.told?.sequence ?? known[aggregate] ?? -1
                let isEarly =
                    one.told == nil && table.isOfPeople
                    && look.number < Self.looksAtPeople
                let isSure = comparison.corrects ? here <= there : here == there && !isEarly
                if isSure { sure.append(one) } else { unsure.append(one) }
            }
            if comparison.corrects { try await correct(sure, in: transaction) }
            return (sure, unsure)
        }
        for one in sure { comparison.report(words(of: one)) }
        return unsure
    }

    /// How far the events of the rows are applied; whoever corrects keeps them there.
    private func place(
        of keys: Set<CopyKey>,
        in transaction: Transaction
    ) async throws -> [String: Int64] {
        let aggregates = keys.map(table.aggregate)
        return comparison.corrects
            ? try await InboxRows.hold(aggregates, of: table.producer, in: transaction)
            : try await InboxRows.sequences(of: aggregates, of: table.producer, in: transaction)
    }

    private func whoIsErased(
        _ found: [Difference],
        in transaction: Transaction
    ) async throws -> Set<ID<User>> {
        guard table.isOfPeople else { return [] }
        let owners = Set(found.map { $0.key.owner.retagged(User.self) }).sorted()
        // Those of people and those of their buckets: tables have triggers of either kind.
        try await ErasedUsers.hold(owners, in: transaction)
        return try await ErasedUsers.those(ofMany: owners, in: transaction)
    }

    private func correct(_ sure: [Difference], in transaction: Transaction) async throws {
        let ordered = sure.sorted { $0.key < $1.key }
        try await table.replace(
            ordered.compactMap(\.told),
            removing: ordered.filter { $0.told == nil }.map(\.key),
            in: transaction
        )
    }
}
