import Postgres
import ServiceKit
import WalletProtocol

extension ExpenseStatements {
    /// A page of a group's expenses.
    ///
    /// By expense_day_idx, or expense_mine_idx for one's own, or expense_amount_idx, whose order it
    /// is; the other filters are looked at in what it walks over. Where groups are in another order
    /// than the list, all of the filter is sorted. The lines of a bill are summed by
    /// expense_item_pkey.
    static func list(
        _ query: ExpenseQuery,
        by filter: ExpenseFilter
    ) throws -> BoundStatement<(expense: ExpenseRow, length: Int)> {
        var builder = StatementBuilder(
            """
            select id, name, description, amount, currency, day, split_kind, added_by, version,
                created_at, category_id, tags, latitude, longitude, place_name, recurrence_id,
            """
        )
        builder.append(length)
        builder.append(
            " from groups.expense as t where group_id = $1 and removed_at is null",
            filter.group
        )
        append(filter, to: &builder)
        let grouping = query.sort.groups(by: query.groupBy)
        if let place = try query.cursor?.decode(ExpensePlace.self) {
            behind(place, in: grouping, filter.group, &builder)
            behind(place, by: query.sort, &builder)
            if grouping != nil { builder.append("))") }
        }
        builder.append(" order by ")
        switch grouping {
        case nil: break
        case .category: builder.append("coalesce(category_id, group_id), ")
        case .day: builder.append("day desc, ")
        case .month: builder.append("date_trunc('month', day) desc, ")
        }
        switch query.sort {
        case .newestFirst: builder.append("day desc, id desc")
        case .oldestFirst: builder.append("day, id")
        case .largestFirst: builder.append("amount desc, id desc")
        case .smallestFirst: builder.append("amount, id")
        }
        builder.append(" limit $1", query.limit + 1)
        return builder.statement { row in
            (expense: try expense(row), length: Int(try row.int64(16)))
        }
    }

    /// About how long one of `t` is as JSON: what others are paid and owed is most of it.
    private static let length: StaticString = """
         1000 + octet_length(name) + coalesce(octet_length(description), 0)
            + coalesce(octet_length(array_to_string(tags, '","')), 0)
            + coalesce(octet_length(place_name), 0) + 110::bigint * cardinality(payer_ids)
            + (case when split_kind is null then 110::bigint else 190 end) * cardinality(bearer_ids)
            + case
                when split_kind = 'itemised' then (
                    select coalesce(sum(
                        130 + coalesce(octet_length(i.name), 0)
                            + 39 * cardinality(i.member_ids)), 0)
                    from groups.expense_item i
                    where i.group_id = t.group_id and i.expense_id = t.id)
                else 0
            end
        """

    /// In a group behind the place's, or in the same.
    private static func behind(
        _ place: ExpensePlace,
        in grouping: TransactionGrouping?,
        _ group: ID<Group>,
        _ builder: inout StatementBuilder
    ) {
        switch grouping {
        case nil: break
        case .category:
            builder.append(
                """
                 and (coalesce(category_id, group_id) > $1::uuid
                    or (coalesce(category_id, group_id) = $1::uuid
                """,
                place.category ?? .others(of: group)
            )
        case .day: builder.append(" and (day < $1::date or (day = $1::date", place.day)
        case .month:
            builder.append(
                """
                 and (date_trunc('month', day) < date_trunc('month', $1::date)
                    or (date_trunc('month', day) = date_trunc('month', $1::date)
                """,
                place.day
            )
        }
    }

    private static func behind(
        _ place: ExpensePlace,
        by sort: ExpenseOrder,
        _ builder: inout StatementBuilder
    ) {
        switch sort {
        case .newestFirst: builder.append(" and (day, id) < ($1, $2)", place.day, place.id)
        case .oldestFirst: builder.append(" and (day, id) > ($1, $2)", place.day, place.id)
        case .largestFirst: builder.append(" and (amount, id) < ($1, $2)", place.amount, place.id)
        case .smallestFirst: builder.append(" and (amount, id) > ($1, $2)", place.amount, place.id)
        }
    }

    /// What each group comes to in each currency, in the list's order of groups: of all that the
    /// filter leaves.
    static func sums(
        _ query: ExpenseQuery,
        by grouping: TransactionGrouping,
        of filter: ExpenseFilter
    ) -> BoundStatement<ExpenseGroup> {
        var builder = StatementBuilder("select ")
        switch grouping {
        case .category: builder.append("coalesce(category_id, group_id)::text")
        case .day: builder.append("to_char(day, 'YYYY-MM-DD')")
        case .month: builder.append("to_char(day, 'YYYY-MM')")
        }
        builder.append(
            """
            , currency, count(*), sum(amount)
            from groups.expense as t
            where group_id = $1 and removed_at is null
            """,
            filter.group
        )
        append(filter, to: &builder)
        if grouping == .category || query.sort == .oldestFirst {
            builder.append(" group by 1, 2 order by 1, 2")
        } else {
            builder.append(" group by 1, 2 order by 1 desc, 2")
        }
        builder.append(" limit $1", ExpensePage.groupsMax)
        return builder.statement { row in
            ExpenseGroup(
                key: try row.string(0),
                count: Int(try row.int64(2)),
                outgoing: Total(minorUnits: try row.value(3), try row.value(1))
            )
        }
    }

    /// Those in which a group has expenses.
    static let currencies = Statement(
        by: "group_total_pkey, expense_amount_idx",
        """
        select t.currency
        from groups.group_total t
        cross join lateral (
            select
            from groups.expense e
            where e.group_id = $1 and e.currency = t.currency and e.removed_at is null
            order by e.amount desc
            limit 1
        ) largest
        where t.group_id = $1
        order by t.currency
        limit 2
        """
    ) { row in try row.value(0, as: Currency.self) }

    /// What the filter asks of each of `t`.
    static func append(_ filter: ExpenseFilter, to builder: inout StatementBuilder) {
        if let currency = filter.currency { builder.append(" and currency = $1", currency) }
        if let least = filter.least { builder.append(" and amount >= $1", least) }
        if let most = filter.most { builder.append(" and amount <= $1", most) }
        if let from = filter.from { builder.append(" and day >= $1", from) }
        if let to = filter.to { builder.append(" and day <= $1", to) }
        if let member = filter.addedBy { builder.append(" and added_by = $1", member) }
        if !filter.categories.isEmpty {
            builder.append(
                " and coalesce(category_id, group_id) = any ($1::uuid[])",
                filter.categories
            )
        }
        if !filter.tags.isEmpty { builder.append(" and tags && $1::text[]", filter.tags) }
        if let words = filter.words {
            builder.append(
                " and (name ilike $1::text or description ilike $1::text)",
                words
            )
        }
        if let near = filter.near { builder.append(near) }
    }

    static func expense(_ row: borrowing PostgresRow) throws -> ExpenseRow {
        let kind = try row.value(6, as: String?.self)
        var location: ExpenseDetails.Location?
        if let latitude = try row.value(12, as: Int32?.self),
            let longitude = try row.value(13, as: Int32?.self)
        {
            location = ExpenseDetails.Location(
                latitude: latitude,
                longitude: longitude,
                label: try row.value(14)
            )
        }
        return try ExpenseRow(
            id: row.value(0),
            details: ExpenseDetails(
                name: row.string(1),
                description: row.value(2),
                category: row.value(10),
                tags: row.value(11),
                location: location
            ),
            amount: Money(minorUnits: row.int64(3), row.value(4)),
            day: row.value(5),
            splitKind: kind.flatMap { SplitKind(rawValue: $0) },
            addedBy: row.value(7),
            recurrence: row.value(15),
            version: Int(row.int32(8)),
            createdAt: row.value(9)
        )
    }
}
