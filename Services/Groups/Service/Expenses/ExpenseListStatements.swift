import Postgres
import ServiceKit
import WalletProtocol

extension ExpenseStatements {
    /// A page of a group's expenses.
    ///
    /// By expense_day_idx, or expense_mine_idx for one's own, or expense_amount_idx, whose order it
    /// is; the other filters are looked at in what it walks over.
    static func list(
        _ query: ExpenseQuery,
        of membership: Membership
    ) throws -> BoundStatement<ExpenseRow> {
        var builder = StatementBuilder(
            """
            select id, name, description, amount, currency, day, split_kind, added_by, version,
                created_at, category_id, tags, latitude, longitude, place_name, recurrence_id
            from groups.expense
            where group_id = $1 and removed_at is null
            """,
            membership.group.id
        )
        try append(query, of: membership, to: &builder)
        let place = try query.cursor?.decode(ExpensePlace.self)
        let count = query.limit + 1
        switch query.sort {
        case .newestFirst:
            if let place { builder.append(" and (day, id) < ($1, $2)", place.day, place.id) }
            builder.append(" order by day desc, id desc limit $1", count)
        case .oldestFirst:
            if let place { builder.append(" and (day, id) > ($1, $2)", place.day, place.id) }
            builder.append(" order by day, id limit $1", count)
        case .largestFirst:
            if let place { builder.append(" and (amount, id) < ($1, $2)", place.amount, place.id) }
            builder.append(" order by amount desc, id desc limit $1", count)
        case .smallestFirst:
            if let place { builder.append(" and (amount, id) > ($1, $2)", place.amount, place.id) }
            builder.append(" order by amount, id limit $1", count)
        }
        return builder.statement { row in try expense(row) }
    }

    private static func append(
        _ query: ExpenseQuery,
        of membership: Membership,
        to builder: inout StatementBuilder
    ) throws {
        let comparesAmounts =
            query.sort.isByAmount || query.minAmount != nil || query.maxAmount != nil
        let currency = query.currency ?? (comparesAmounts ? membership.group.currency : nil)
        if let currency { builder.append(" and currency = $1", currency) }
        if let least = try units(query.minAmount, currency, "minAmount") {
            builder.append(" and amount >= $1", least)
        }
        if let most = try units(query.maxAmount, currency, "maxAmount") {
            builder.append(" and amount <= $1", most)
        }
        if let from = query.from { builder.append(" and day >= $1", from) }
        if let to = query.to { builder.append(" and day <= $1", to) }
        if query.isMine { builder.append(" and added_by = $1", membership.member) }
        if !query.categoryIDs.isEmpty {
            builder.append(
                " and coalesce(category_id, group_id) = any ($1::uuid[])",
                query.categoryIDs
            )
        }
        let tags = query.tags.map { TransactionTags.trimmed($0) }
        if !tags.isEmpty { builder.append(" and tags && $1::text[]", tags) }
        if let words = query.words?.likePattern {
            builder.append(
                " and (name ilike $1::text or description ilike $1::text)",
                words
            )
        }
    }

    private static func units(
        _ amount: ExactDecimal?,
        _ currency: Currency?,
        _ parameter: String
    ) throws(APIError) -> Int64? {
        guard let amount, let currency else { return nil }
        guard let money = amount.money(in: currency) else {
            throw .query(parameter, .invalidAmount, "is no amount of \(currency)")
        }
        return money.minorUnits
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
