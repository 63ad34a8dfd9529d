import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Every combination of fragments of a list is a look-up, and its order an index's.
@Suite struct ListPlanTests {
    private static let user = ID<User>.new()

    private static func filter(_ parts: Set<TransactionFilter.Source>) -> TransactionFilter {
        var filter = TransactionFilter(user: user)
        filter.ownAccounts = [.new(), .new()]
        for part in parts {
            switch part {
            case .everything: break
            case .accounts: filter.accounts = [.new(), .new()]
            case .located: filter.isLocated = true
            case .categories: filter.categories = [.new(), .new()]
            case .tags: filter.tags = ["a", "b"]
            case .folder: filter.folder = .new()
            case .amounts: (filter.direction, filter.least, filter.most) = (.outgoing, 1, 9)
            case .words: filter.search = .init(query: "'a':*", fresh: [])
            case .place:
                filter.near = .init(latitude: 45, longitude: 9, kilometres: 1)
            case .days: (filter.from, filter.to) = (someDay, someDay)
            }
        }
        return filter
    }

    /// None, each, each pair, and all of them.
    private static func filters() -> [TransactionFilter] {
        let parts = TransactionFilter.Source.allCases.filter { $0 != .everything }
        var filters = [filter([]), filter(Set(parts))]
        for (index, part) in parts.enumerated() {
            filters.append(filter([part]))
            filters += parts[(index + 1)...].map { filter([part, $0]) }
        }
        let folders = filters.filter { $0.folder != nil }.map(shared).map { filter in
            var filter = filter
            filter.folderCategories = [
                FolderCategory(categoryID: .new(), name: "", userID: user)
            ]
            return filter
        }
        return filters.filter { $0.folder == nil } + filters.map(shared) + folders
    }

    /// The same of somebody who shares wallets: over accounts, whoever recorded on them.
    private static func shared(_ filter: TransactionFilter) -> TransactionFilter {
        var filter = filter
        filter.people = [.new(), user]
        if filter.accounts.isEmpty { filter.accounts = filter.ownAccounts }
        return filter
    }

    private static let indexes: [TransactionFilter.Source: [String]] = [
        .everything: ["money_transaction_user_idx"],
        .accounts: ["money_transaction_account_idx", "money_transaction_amount_idx"],
        .located: ["money_transaction_located_"],
        .categories: ["money_transaction_category_idx", "transaction_line_category_idx"],
        .tags: ["transaction_tag_pkey"], .folder: ["money_transaction_folder_idx"],
        .amounts: ["money_transaction_seq_key"], .days: ["money_transaction_"],
        .words: ["transaction_search_words_idx"], .place: ["money_transaction_location_idx"],
    ]

    @Test func everyCombinationIsALookUp() async throws {
        try await LedgerRig().run { _, books in
            try await books.owner.lease { try await $0.executeScript(explainFunction) }
            try await books.owner.lease { try await $0.executeScript(asShared) }
            try await books.owner.lease { try await $0.executeScript(someRows) }
            try await books.owner.lease { try await $0.executeScript(moreRows) }
            for filter in Self.filters() {
                for order in TransactionOrder.allCases {
                    let isByDay = order == .newestFirst || order == .oldestFirst
                    let plain: TransactionFilter.Source =
                        isByDay && !filter.isShared ? .everything : .accounts
                    for source in [plain] + filter.candidates {
                        try await Self.check(filter, source, order, books)
                    }
                }
                for source in filter.candidates {
                    let count = TransactionListStatements.count(filter, by: source).sql
                    try await Self.check(count, has: nil, books)
                }
                for grouping in TransactionGrouping.allCases {
                    let all = TransactionListStatements.groups(filter, by: grouping, few: nil)
                    try await Self.check(all.sql, has: nil, books)
                    guard let few = filter.candidates.first else { continue }
                    let some = TransactionListStatements.groups(filter, by: grouping, few: few)
                    try await Self.check(some.sql, has: nil, books)
                }
            }
        }
    }

    private static func check(
        _ filter: TransactionFilter,
        _ source: TransactionFilter.Source,
        _ order: TransactionOrder,
        _ books: Books
    ) async throws {
        let place = TransactionPlace(
            order: order,
            day: someDay,
            amount: 1,
            id: .new(),
            group: nil
        )
        for place in [nil, place] {
            let walk = TransactionWalk(order: order, place: place, limit: 51)
            let sql = TransactionListStatements.page(filter, by: source, walk).sql
            let plan = try await check(sql, has: indexes[source], books)
            // What is walked in order has its walks' limits above an index, not above a sort: the
            // only sorts are of what the walks have found.
            let isWalked =
                filter.candidates.isEmpty
                ? source == .everything || source == .accounts
                : source == .located && filter.candidates == [.located]
            if source == .accounts, !walk.isByDay {
                // The first lines are sorted, which are few; the others come in order.
                #expect(plan.contains("money_transaction_amount_idx"), "\(sql)\n\(plan)")
                #expect(plan.contains("money_transaction_seq_key"), "\(sql)\n\(plan)")
            }
            guard isWalked, walk.isByDay else { continue }
            #expect(plan.contains("Index"), "\(sql)\n\(plan)")
            let walked = plan.components(after: "Limit")
            #expect(!walked.contains("Sort  ("), "\(sql)\n\(plan)")
        }
    }

    @discardableResult
    private static func check(
        _ sql: String,
        has indexes: [String]?,
        _ books: Books
    ) async throws -> String {
        let plan = try await lines(sql, books)
        let text = plan.joined(separator: "\n")
        // One row, or none at all.
        let scans = plan.filter { $0.contains("Seq Scan on") && !$0.contains("search_state") }
        #expect(scans.isEmpty, "\(sql)\n\(text)")
        if let indexes {
            let isUsed = indexes.contains { text.contains($0) }
            #expect(isUsed, "\(indexes) of \(sql)\n\(text)")
        }
        return text
    }

    private static func lines(_ sql: String, _ books: Books) async throws -> [String] {
        return try await planText(of: sql, on: books.owner).split(separator: "\n")
            .map(String.init)
    }

    /// A connection keeps the plan that it made while the tables were empty; nothing but the two
    /// indexes of located ones has their condition, and nobody else's plan takes them.
    @Test func locatedOnesAloneAreWalkedByTheirIndexes() async throws {
        try await LedgerRig().run { _, books in
            try await books.owner.lease { try await $0.executeScript(explainFunction) }
            try await books.owner.lease { try await $0.executeScript(asShared) }
            for filled in [false, true] {
                if filled {
                    try await books.owner.lease { try await $0.executeScript(someRows) }
                    try await books.owner.lease { try await $0.executeScript(moreRows) }
                }
                let walk = TransactionWalk(order: .newestFirst, place: nil, limit: 51)
                for filter in [Self.filter([.located]), Self.filter([.located, .accounts])] {
                    let index =
                        filter.accounts.isEmpty
                        ? "money_transaction_located_idx" : "money_transaction_located_account_idx"
                    let page = TransactionListStatements.page(filter, by: .located, walk).sql
                    try await Self.check(page, has: [index], books)
                    let count = TransactionListStatements.count(filter, by: .located).sql
                    try await Self.check(count, has: [index], books)
                }
                for source in TransactionFilter.Source.allCases where source != .located {
                    let filter = Self.filter([source])
                    let page = TransactionListStatements.page(filter, by: source, walk).sql
                    let plan = try await Self.lines(page, books).joined(separator: "\n")
                    #expect(!plan.contains("money_transaction_located_"), "\(page)\n\(plan)")
                }
            }
        }
    }

    @Test func everyOtherStatementIsALookUp() async throws {
        let (some, other) = (ID<MoneyTransaction>.new(), CategoryID.new())
        let transactions = TransactionStatements.self
        let statements = [
            (transactions.find(some, for: Self.user).sql, "money_transaction_"),
            (transactions.findAll([some], for: Self.user).sql, "money_transaction_pkey"),
            (transactions.versions([some], [1]).sql, "money_transaction_pkey"),
            (
                transactions.history(of: some, for: Self.user, upTo: 1, limit: 1).sql,
                "money_transaction_pkey"
            ),
            (
                transactions.ofCategory(other, of: Self.user, limit: 1).sql,
                "money_transaction_category_idx"
            ),
            (transactions.accounts.sql, "account_user_id_idx"),
            (transactions.categories.sql, "category_"),
            (transactions.recordable.sql, "account_"),
            (DeletionStatements.find.sql, "deletion_pkey"),
            (DeletionStatements.lock.sql, "deletion_pkey"),
            (DeletionStatements.markUndone.sql, "deletion_pkey"),
            (DeletionStatements.deleteOld.sql, "deletion_undo_until_idx"),
            (SearchStatements.fresh.sql, "money_transaction_seq_key"),
            (SearchStatements.lock.sql, "search_state"),
            (SearchStatements.entries.sql, "entry_place_key"),
            (SearchStatements.texts.sql, "money_transaction_pkey"),
        ]
        try await LedgerRig().run { _, books in
            try await books.owner.lease { try await $0.executeScript(explainFunction) }
            try await books.owner.lease { try await $0.executeScript(someRows) }
            for (sql, index) in statements { try await Self.check(sql, has: [index], books) }
        }
    }
}

extension String {
    /// What stands behind the last mention of a word's first line in a plan.
    fileprivate func components(after word: String) -> String {
        guard let range = ranges(of: word).last else { return "" }
        return String(self[range.upperBound...])
    }
}

/// As shared connections of the ledger plan.
private let asShared: SQLScript = """
    alter function explain_text(text, bigint) set enable_bitmapscan = off;
    """

/// Lines, tags, places, folders and words of what `someRows` has made.
let moreRows: SQLScript = """
    update ledger.money_transaction
    set folder_id = md5('f' || amount % 100)::uuid, latitude = amount * 1000, longitude = 0
    where amount % 7 = 0;
    insert into ledger.transaction_line
        (transaction_id, version, place, user_id, day, category_id, amount)
    select md5('t' || n)::uuid, 1, 1, md5('u' || n % 200)::uuid, date '2023-01-01' + n % 700,
        md5('c' || n % 2000)::uuid, 1
    from generate_series(1, 20000, 10) n;
    insert into ledger.transaction_tag (user_id, tag, day, transaction_id)
    select md5('u' || n % 200)::uuid, 'tag ' || n % 50, date '2023-01-01' + n % 700,
        md5('t' || n)::uuid
    from generate_series(1, 20000, 5) n;
    insert into ledger.transaction_search (transaction_id, version, user_id, words)
    select md5('t' || n)::uuid, 1, md5('u' || n % 200)::uuid,
        array_to_tsvector(array['u' || n % 200 || 'row'])
    from generate_series(1, 20000) n;
    analyze ledger.money_transaction, ledger.transaction_line, ledger.transaction_tag,
        ledger.transaction_search;
    """
