import Postgres
import ServiceKit
import WalletProtocol

/// Finds a page by the index that costs least.
struct TransactionFinder {
    let database: Database
    let filter: TransactionFilter
    let sort: TransactionOrder

    /// A page, each row with the group that it stands under.
    struct Found {
        var rows: [(row: TransactionRow, group: String?)] = []
        var next: TransactionPlace?
        var groups: [TransactionGroup]?
    }

    private var isByDay: Bool { sort == .newestFirst || sort == .oldestFirst }

    /// The page behind a place.
    func page(behind place: TransactionPlace?, _ limit: Int) async throws -> Found {
        let source = try await source()
        let rows = try await rows(source, behind: place, limit + 1)
        return found(rows.map { ($0, nil) }, limit)
    }

    /// The page behind a place of a list by groups, and what each group comes to.
    func groupedPage(
        by grouping: TransactionGrouping,
        behind place: TransactionPlace?,
        _ limit: Int
    ) async throws -> Found {
        let source = try await source()
        // Of a folder its own rows are read, and not all that its members have.
        let few: TransactionFilter.Source? =
            isWalked(source) ? filter.folder.map { _ in .folder } : source
        if grouping != .category, isByDay {
            let rows = try await self.rows(source, behind: place, limit + 1)
            var found = found(rows.map { ($0, Self.key(of: $0.day, grouping)) }, limit)
            let days = place.map { _ in found.rows.map(\.row.day).sorted() }
            let groups = days == [] ? [] : try await groups(by: grouping, few, within: days)
            found.groups = Array(groups.prefix(TransactionPage.groupsMax))
            return found
        }
        let groups = try await groups(by: grouping, few)
        var rows: [(row: TransactionRow, group: String?)] = []
        var keys: [String] = []
        for group in groups where keys.last != group.key { keys.append(group.key) }
        var isBehind = place == nil
        for key in keys where rows.count <= limit {
            // A group that is gone: those that follow it.
            if let wanted = place?.group, !isBehind {
                let isAscending = grouping == .category || sort == .oldestFirst
                if isAscending ? key < wanted : key > wanted { continue }
                isBehind = true
            }
            let part = try await part(key, of: grouping).rows(
                behind: place?.group == key ? place : nil,
                limit + 1 - rows.count
            )
            rows += part.map { ($0, key) }
        }
        var found = found(rows, limit)
        let shown = Set(found.rows.map(\.group))
        found.groups = Array(
            groups.filter { place == nil || shown.contains($0.key) }
                .prefix(TransactionPage.groupsMax)
        )
        return found
    }

    /// What each group comes to, in the list's order.
    /// - Parameter days: those of a page, in order, whose groups are wanted; all where there are
    ///   none.
    private func groups(
        by grouping: TransactionGrouping,
        _ few: TransactionFilter.Source?,
        within days: [Day]? = nil
    ) async throws -> [TransactionGroup] {
        var filter = filter
        if let first = days?.first, let last = days?.last {
            filter.from = Self.part(Self.key(of: first, grouping), of: filter, grouping).from
            filter.to = Self.part(Self.key(of: last, grouping), of: filter, grouping).to
        }
        let sums = try await database.query(
            TransactionListStatements.groups(filter, by: grouping, few: few)
        )
        let groups = sums.map(\.view)
        // They come by key.
        return grouping != .category && sort != .oldestFirst ? groups.reversed() : groups
    }

    private func found(
        _ rows: [(row: TransactionRow, group: String?)],
        _ limit: Int
    ) -> Found {
        let shown = PageSize.first(of: rows, limit: limit) { $0.row.length }
        var found = Found(rows: Array(shown))
        if shown.count < rows.count, let last = shown.last {
            found.next = TransactionPlace(last.row, in: sort, group: last.group)
        }
        return found
    }

    /// The same list within one group.
    private func part(_ key: String, of grouping: TransactionGrouping) -> TransactionFinder {
        TransactionFinder(
            database: database,
            filter: Self.part(key, of: filter, grouping),
            sort: sort
        )
    }

    private static func part(
        _ key: String,
        of filter: TransactionFilter,
        _ grouping: TransactionGrouping
    ) -> TransactionFilter {
        var filter = filter
        switch grouping {
        case .category: filter.categories = [ID(key)].compactMap(\.self)
        case .day:
            filter.from = Day(key)
            filter.to = filter.from
        case .month:
            guard let month = Month(key) else { break }
            filter.from = max(filter.from ?? month.firstDay, month.firstDay)
            filter.to = min(filter.to ?? month.lastDay, month.lastDay)
        }
        return filter
    }

    private static func key(of day: Day, _ grouping: TransactionGrouping) -> String {
        grouping == .month ? day.month.text : day.text
    }

    private func rows(
        behind place: TransactionPlace?,
        _ limit: Int
    ) async throws -> [TransactionRow] {
        try await rows(try await source(), behind: place, limit)
    }

    private func rows(
        _ source: TransactionFilter.Source,
        behind place: TransactionPlace?,
        _ limit: Int
    ) async throws -> [TransactionRow] {
        try await database.query(
            TransactionListStatements.page(
                filter,
                by: source,
                TransactionWalk(order: sort, place: place, limit: limit)
            )
        )
    }

    // MARK: Sources

    /// Whether a source is walked in the list's order, however much it has.
    private func isWalked(_ source: TransactionFilter.Source) -> Bool {
        switch source {
        case .everything, .located, .categories, .tags: isByDay
        // By amount it is sorted: no index of its own, and never all that its members have.
        case .accounts, .folder: true
        case .amounts, .words, .place, .days: false
        }
    }

    /// What to walk: where the filter is one index in its order, that; else what leaves few rows,
    /// or the best of what is ordered, whose rows are then looked through.
    func source() async throws -> TransactionFilter.Source {
        // Part of each index in the order that it is part of.
        let included: Set<TransactionFilter.Source> = isByDay ? [.days] : [.amounts, .accounts]
        let candidates = filter.candidates.filter { !included.contains($0) }
        let ordered = candidates.first(where: isWalked) ?? plain
        if candidates.isEmpty || candidates == [ordered] { return ordered }
        var best: (source: TransactionFilter.Source, count: Int64)?
        for candidate in candidates {
            let counted = try await database.queryOne(
                TransactionListStatements.count(filter, by: candidate)
            )
            let count = counted ?? 0
            if count < best?.count ?? .max { best = (candidate, count) }
        }
        guard let best, best.count < TransactionListStatements.fewMax else { return ordered }
        return best.source
    }

    /// Without a filter that an ordered index knows.
    private var plain: TransactionFilter.Source {
        if !isByDay { return .accounts }
        return filter.accounts.isEmpty ? .everything : .accounts
    }
}
