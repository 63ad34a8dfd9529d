import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of lists: joined from a closed set of fragments, each combination with its own plan.
///
/// Which of them serves a list is chosen by `TransactionFinder`.
///
/// A page is found first, as ids, by one source; then its rows are read by their primary key. An
/// ordered source is an index in the list's order, one walk a value where there may be several,
/// each with the page's limit, merged: it reads a page's rows, however deep the page and however
/// large the table. An unordered one is taken where few rows are left by it, and sorts them.
enum TransactionListStatements {
    /// Fewer rows than these are sorted rather than looked for in an ordered index.
    static let fewMax = 2_000

    /// A page of ids by a source, with its rows.
    static func page(
        _ filter: TransactionFilter,
        by source: TransactionFilter.Source,
        _ walk: TransactionWalk
    ) -> BoundStatement<TransactionRow> {
        var builder = StatementBuilder(TransactionStatements.select)
        builder.append(
            """

            from (
                select id, version, day, amount from (

            """
        )
        rows(filter, by: source, walk, &builder)
        builder.append("\n    ) as found\n    group by id, version, day, amount\n   ")
        order(walk.order, &builder)
        builder.append(" limit $1", walk.limit)
        builder.append(
            """

            ) as page
            join ledger.money_transaction as t on t.id = page.id and t.version = page.version
            join ledger.account as a on a.id = t.account_id
            order by
            """
        )
        switch walk.order {
        case .newestFirst: builder.append(" page.day desc, page.id desc")
        case .oldestFirst: builder.append(" page.day, page.id")
        case .largestFirst: builder.append(" page.amount desc, page.id desc")
        case .smallestFirst: builder.append(" page.amount, page.id")
        }
        return builder.statement { row in try TransactionRow(row) }
    }

    /// How many rows a source has at least, no more than are few being counted.
    static func count(
        _ filter: TransactionFilter,
        by source: TransactionFilter.Source
    ) -> BoundStatement<Int64> {
        var builder = StatementBuilder("select count(*) from (\n")
        unsorted(filter, by: source, isCounted: true, &builder)
        builder.append(" limit $1\n) as found", fewMax)
        return builder.statement { row in try row.int64(0) }
    }

    /// The currencies of what is in the folder.
    static func currencies(_ filter: TransactionFilter) -> BoundStatement<Currency> {
        var builder = StatementBuilder("select distinct a.currency from (\n")
        unsorted(filter, by: .folder, isCounted: false, &builder)
        builder.append(
            """
            ) as found
            join ledger.money_transaction as t on t.id = found.id and t.version = found.version
            join ledger.account as a on a.id = t.account_id
            """
        )
        return builder.statement { row in try row.value(0) }
    }

    // MARK: Sources

    // Flat: one case a source.
    static func rows(
        _ filter: TransactionFilter,
        by source: TransactionFilter.Source,
        _ walk: TransactionWalk,
        _ builder: inout StatementBuilder
    ) {
        switch source {
        case .everything:
            // money_transaction_user_idx.
            builder.append(
                """
                (select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                where t.user_id = $1 and t.reversed_by is null
                """,
                filter.user
            )
            walkOn(.plain, filter, without: source, walk, &builder)
            builder.append(")")
        case .accounts:
            if !walk.isByDay {
                return byAmount(filter, &builder) { builder in
                    walkOn(.plain, filter, without: source, walk, &builder)
                }
            }
            // money_transaction_account_idx.
            builder.append(
                """
                select each.* from unnest($1::uuid[]) as chosen (id) cross join lateral (
                    select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                    where t.account_id = chosen.id and t.reversed_by is null
                """,
                filter.walkedAccounts
            )
            walkOn(.plain, filter, without: source, walk, &builder)
            builder.append(") as each")
        case .located:
            located(filter, &builder)
            walkOn(.plain, filter, without: source, walk, &builder)
            builder.append(") as each")
        case .categories:
            // money_transaction_category_idx, transaction_line_category_idx.
            builder.append(
                "select each.* from unnest($1::uuid[]) as chosen (id)",
                filter.categories
            )
            people(filter, &builder)
            categoryWalks(filter, by: source, walk, &builder) { builder in
                person(filter, &builder)
            }
        case .tags:
            // transaction_tag_pkey, money_transaction_pkey.
            builder.append(
                "select each.* from unnest($1::text[]) as chosen (tag)",
                filter.tags
            )
            people(filter, &builder)
            builder.append(
                """
                 cross join lateral (
                    select t.id, t.version, t.day, t.amount from ledger.transaction_tag as tag
                    join ledger.money_transaction as t
                        on t.id = tag.transaction_id and t.reversed_by is null
                    where tag.tag = chosen.tag and tag.user_id =
                """
            )
            person(filter, &builder)
            walkOn(.tag, filter, without: source, walk, &builder)
            builder.append(") as each")
        case .folder:
            // money_transaction_folder_idx, and as by categories.
            builder.append(
                """
                select each.* from unnest($2::uuid[]) as who (id) cross join lateral (
                    select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                    where t.folder_id = $1 and t.user_id = who.id and t.reversed_by is null
                """,
                filter.folder,
                filter.people
            )
            walkOn(.plain, filter, without: source, walk, &builder)
            builder.append(") as each")
            if filter.folderCategories.isEmpty { return }
            builder.append(
                "\nunion all select each.* from unnest($1::uuid[], $2::uuid[]) as chosen (id, who)",
                filter.folderCategories.map(\.categoryID),
                filter.folderCategories.map(\.userID)
            )
            categoryWalks(filter, by: source, walk, &builder) { builder in
                builder.append(" chosen.who")
            }
        case .amounts, .words, .place, .days:
            // The fence keeps it from being sorted by a walk over another index.
            builder.append("(select t.id, t.version, t.day, t.amount from (\n")
            unsorted(filter, by: source, isCounted: false, &builder)
            builder.append("\noffset 0) as t where true")
            if let place = walk.place { behind(place, .plain, &builder) }
            order(walk.order, &builder)
            builder.append(" limit $1)", walk.limit)
        }
    }

    /// Both ways into the chosen categories: as the one category, and in a line.
    private static func categoryWalks(
        _ filter: TransactionFilter,
        by source: TransactionFilter.Source,
        _ walk: TransactionWalk,
        _ builder: inout StatementBuilder,
        owner: (inout StatementBuilder) -> Void
    ) {
        builder.append(
            """
             cross join lateral (
                (select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                where t.category_id = chosen.id and t.reversed_by is null and not t.is_split
                    and t.user_id =
            """
        )
        owner(&builder)
        walkOn(.plain, filter, without: source, walk, &builder)
        builder.append(
            """
            )
                union all
                (select t.id, t.version, t.day, t.amount from ledger.transaction_line as line
                join ledger.money_transaction as t
                    on t.id = line.transaction_id and t.version = line.version
                where line.category_id = chosen.id and line.is_current and line.user_id =
            """
        )
        owner(&builder)
        walkOn(.line, filter, without: source, walk, &builder)
        builder.append(")) as each")
    }

    /// An account's rows in two parts: money_transaction_amount_idx has those from the 2,001st line
    /// on; the first, of which a purse seldom has more, are read by money_transaction_seq_key, and
    /// no index by amount is kept of them.
    private static func byAmount(
        _ filter: TransactionFilter,
        _ builder: inout StatementBuilder,
        part: (inout StatementBuilder) -> Void
    ) {
        builder.append(
            """
            select each.* from unnest($1::uuid[]) as chosen (id) cross join lateral (
                (select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                where t.account_id = chosen.id and t.reversed_by is null and t.seq > 2000
            """,
            filter.walkedAccounts
        )
        part(&builder)
        builder.append(
            """
            )
                union all
                (select t.id, t.version, t.day, t.amount from (
                    select * from ledger.money_transaction
                    where account_id = chosen.id and seq <= 2000
                    offset 0
                ) as t where t.reversed_by is null
            """
        )
        part(&builder)
        builder.append(")) as each")
    }

    /// What the folder's categories bring, in no order.
    private static func brought(_ filter: TransactionFilter, _ builder: inout StatementBuilder) {
        builder.append(
            """

            union all
            select each.* from unnest($1::uuid[], $2::uuid[]) as chosen (id, who)
            cross join lateral (
                select * from ledger.money_transaction as whole
                where whole.category_id = chosen.id and whole.user_id = chosen.who
                    and whole.reversed_by is null and not whole.is_split
                union all
                select whole.* from ledger.transaction_line as line
                join ledger.money_transaction as whole
                    on whole.id = line.transaction_id and whole.version = line.version
                where line.category_id = chosen.id and line.user_id = chosen.who
                    and line.is_current
                offset 0
            ) as each
            """,
            filter.folderCategories.map(\.categoryID),
            filter.folderCategories.map(\.userID)
        )
    }

    /// The rows of a source in no order; all other conditions hold of them where they are not
    /// merely counted.
    // Flat: one case a source.
    private static func unsorted(
        _ filter: TransactionFilter,
        by source: TransactionFilter.Source,
        isCounted: Bool,
        _ builder: inout StatementBuilder
    ) {
        switch source {
        case .everything, .days:
            builder.append(
                """
                select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                where t.user_id = $1 and t.reversed_by is null
                """,
                filter.user
            )
            if isCounted { days(filter, .plain, &builder) }
        case .amounts:
            byAmount(filter, &builder) { builder in
                if isCounted {
                    amounts(filter, &builder)
                } else {
                    conditions(filter, without: source, .plain, source, &builder)
                }
            }
            return
        case .accounts:
            builder.append(
                """
                select each.* from unnest($1::uuid[]) as chosen (id) cross join lateral (
                    select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                    where t.account_id = chosen.id and t.reversed_by is null
                """,
                filter.walkedAccounts
            )
            if !isCounted { conditions(filter, without: source, .plain, source, &builder) }
            builder.append(" offset 0) as each")
            return
        case .located:
            located(filter, &builder)
            if isCounted {
                days(filter, .plain, &builder)
            } else {
                conditions(filter, without: source, .plain, source, &builder)
            }
            builder.append(" offset 0) as each")
            return
        case .categories:
            builder.append(
                "select each.* from unnest($1::uuid[]) as chosen (id)",
                filter.categories
            )
            people(filter, &builder)
            builder.append(
                """
                 cross join lateral (
                    select t.id from ledger.money_transaction as t
                    where t.category_id = chosen.id and t.reversed_by is null and not t.is_split
                        and t.user_id =
                """
            )
            person(filter, &builder)
            builder.append(
                """

                    union all
                    select line.transaction_id from ledger.transaction_line as line
                    where line.category_id = chosen.id and line.is_current and line.user_id =
                """
            )
            person(filter, &builder)
            builder.append("\n) as each")
            return
        case .tags:
            builder.append(
                "select each.* from unnest($1::text[]) as chosen (tag)",
                filter.tags
            )
            people(filter, &builder)
            builder.append(
                """
                 cross join lateral (
                    select transaction_id from ledger.transaction_tag as tag
                    where tag.tag = chosen.tag and tag.user_id =
                """
            )
            person(filter, &builder)
            builder.append(" offset 0) as each")
            return
        case .folder:
            // money_transaction_folder_idx, and as by categories.
            builder.append(
                """
                select t.id, t.version, t.day, t.amount from (
                    select each.* from unnest($2::uuid[]) as who (id) cross join lateral (
                        select * from ledger.money_transaction
                        where folder_id = $1 and user_id = who.id and reversed_by is null
                        offset 0
                    ) as each
                """,
                filter.folder,
                filter.people
            )
            if !filter.folderCategories.isEmpty { brought(filter, &builder) }
            builder.append(") as t where true")
        case .place:
            // money_transaction_location_idx.
            if filter.isShared {
                builder.append(
                    """
                    select t.id, t.version, t.day, t.amount
                    from unnest($1::uuid[]) as who (id)
                    join ledger.money_transaction as t on t.user_id = who.id
                    where t.reversed_by is null and t.latitude is not null
                    """,
                    filter.people
                )
            } else {
                builder.append(
                    """
                    select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                    where t.user_id = $1 and t.reversed_by is null and t.latitude is not null
                    """,
                    filter.user
                )
            }
            if isCounted, let near = filter.near { builder.append(near) }
        case .words:
            SearchStatements.found(filter, &builder)
        }
        if !isCounted { conditions(filter, without: source, .plain, source, &builder) }
    }

    /// Whoever may have recorded on what is seen, beside the values that are walked.
    private static func people(_ filter: TransactionFilter, _ builder: inout StatementBuilder) {
        guard filter.isShared else { return }
        builder.append(" cross join unnest($1::uuid[]) as who (id)", filter.people)
    }

    /// In whose books a walk looks.
    private static func person(_ filter: TransactionFilter, _ builder: inout StatementBuilder) {
        if filter.isShared {
            builder.append(" who.id")
        } else {
            builder.append(" $1", filter.user)
        }
    }

    // MARK: Orders

    /// The columns that a walk's order stands on.
    enum Walked { case plain, line, tag }

    private static func walkOn(
        _ walked: Walked,
        _ filter: TransactionFilter,
        without source: TransactionFilter.Source,
        _ walk: TransactionWalk,
        _ builder: inout StatementBuilder
    ) {
        let walks: TransactionFilter.Source = walk.isByDay ? .days : .amounts
        conditions(filter, without: source, walked, walks, &builder)
        if let place = walk.place { behind(place, walked, &builder) }
        switch (walked, walk.order) {
        case (.line, .newestFirst):
            builder.append(" order by line.day desc, line.transaction_id desc")
        case (.line, .oldestFirst): builder.append(" order by line.day, line.transaction_id")
        case (.tag, .newestFirst):
            builder.append(" order by tag.day desc, tag.transaction_id desc")
        case (.tag, .oldestFirst): builder.append(" order by tag.day, tag.transaction_id")
        case (_, .newestFirst): builder.append(" order by t.day desc, t.id desc")
        case (_, .oldestFirst): builder.append(" order by t.day, t.id")
        case (_, .largestFirst): builder.append(" order by t.amount desc, t.id desc")
        case (_, .smallestFirst): builder.append(" order by t.amount, t.id")
        }
        builder.append(" limit $1", walk.limit)
    }

    private static func order(_ order: TransactionOrder, _ builder: inout StatementBuilder) {
        switch order {
        case .newestFirst: builder.append(" order by day desc, id desc")
        case .oldestFirst: builder.append(" order by day, id")
        case .largestFirst: builder.append(" order by amount desc, id desc")
        case .smallestFirst: builder.append(" order by amount, id")
        }
    }

    private static func behind(
        _ place: TransactionPlace,
        _ walked: Walked,
        _ builder: inout StatementBuilder
    ) {
        switch (walked, place.order) {
        case (.line, .newestFirst):
            builder.append(
                " and (line.day, line.transaction_id) < ($1, $2)",
                place.day,
                place.id
            )
        case (.line, .oldestFirst):
            builder.append(
                " and (line.day, line.transaction_id) > ($1, $2)",
                place.day,
                place.id
            )
        case (.tag, .newestFirst):
            builder.append(" and (tag.day, tag.transaction_id) < ($1, $2)", place.day, place.id)
        case (.tag, .oldestFirst):
            builder.append(" and (tag.day, tag.transaction_id) > ($1, $2)", place.day, place.id)
        case (_, .newestFirst):
            builder.append(" and (t.day, t.id) < ($1, $2)", place.day, place.id)
        case (_, .oldestFirst):
            builder.append(" and (t.day, t.id) > ($1, $2)", place.day, place.id)
        case (_, .largestFirst):
            builder.append(" and (t.amount, t.id) < ($1, $2)", place.amount, place.id)
        case (_, .smallestFirst):
            builder.append(" and (t.amount, t.id) > ($1, $2)", place.amount, place.id)
        }
    }
}
