import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// The SQL by which the journal is told to other services: by place, and never by transaction id.
enum TellingStatements {
    /// The journal as its relay and whoever misses something read it.
    static let journal = JournalSource(
        places: places,
        holes: holes,
        postings: postings,
        span: span,
        isOlder: isOlder,
        waiting: waiting
    )

    static let places = Statement(
        by: "entry_place_key",
        """
        select place
        from ledger.entry
        where place between $1 and $2
        order by place
        limit $3
        """
    ) { row in try row.int64(0) }

    /// Once a hole; one row at least, for the snapshot's xmin.
    static let holes = Statement<(xmin: Int64, place: Int64?)>(
        by: "entry_place_key",
        """
        with snapshot as (
            select pg_snapshot_xmin(pg_current_snapshot()) as xmin
        )
        select snapshot.xmin, found.place
        from snapshot
        left join (
            select inside.place
            from unnest($1::int8[], $2::int8[]) as hole (low, high)
            cross join lateral (
                select place
                from ledger.entry
                where place between hole.low and hole.high
                order by place
                limit $3
            ) as inside
            order by inside.place
            limit $3
        ) as found on true
        order by found.place
        """
    ) { row in (xmin: try row.value(0), place: try row.value(1)) }

    /// What an entry takes back, and then what it makes; in the order of places.
    ///
    /// None of it changes after the entry's commit: words do, and are not told.
    static let postings = Statement(
        by: """
            entry_place_key, money_transaction_reversed_by_idx, money_transaction_pkey, \
            account_pkey, transaction_line_pkey
            """,
        """
        select e.id, e.place, e.traceparent, e.recorded_at, t.kind, t.id, t.version, t.user_id,
            t.account_id, a.kind, t.amount, a.currency, t.day, t.category_id, t.coicop,
            t.transfer_id, t.own_transfer,
            case when t.is_split then (
                select array_agg(category_id order by place) from ledger.transaction_line
                where transaction_id = t.id and version = t.version) end,
            case when t.is_split then (
                select array_agg(coalesce(coicop, '') order by place) from ledger.transaction_line
                where transaction_id = t.id and version = t.version) end,
            case when t.is_split then (
                select array_agg(amount order by place) from ledger.transaction_line
                where transaction_id = t.id and version = t.version) end,
            case when t.is_split then not exists (
                select from ledger.transaction_line
                where transaction_id = t.id and version = t.version) else false end
        from ledger.entry as e
        cross join lateral (
            select 'reversed' as kind, 0 as nth, id, version, user_id, account_id, amount, day,
                category_id, coicop, transfer_id, own_transfer, is_split
            from ledger.money_transaction
            where reversed_by = e.id and e.kind in ('reversal', 'revision')
            union all
            select 'posted', named.nth, made.*
            from unnest(e.transactions, e.versions) with ordinality as named (id, version, nth)
            cross join lateral (
                select id, version, user_id, account_id, amount, day, category_id, coicop,
                    transfer_id, own_transfer, is_split
                from ledger.money_transaction
                where id = named.id and version = named.version
                limit 1
            ) as made
        ) as t
        cross join lateral (
            select kind, currency
            from ledger.account
            where id = t.account_id
            limit 1
        ) as a
        where e.place = any ($1::int8[])
        order by e.place, t.nth, t.id
        """
    ) { row in try posted(row) }

    /// Both ends.
    static let span = Statement(
        by: "entry_place_key",
        "select coalesce(min(place), 0), coalesce(max(place), 0) from ledger.entry"
    ) { row in (low: try row.int64(0), high: try row.int64(1)) }

    static let isOlder = Statement(
        by: "entry_place_key",
        """
        select recorded_at < clock_timestamp() - make_interval(secs => $2::int8)
        from ledger.entry
        where place >= $1
        order by place
        limit 1
        """
    ) { row in try row.bool(0) }

    static let waiting = Statement(
        by: "entry_place_key",
        """
        select
            (
                select count(*)
                from (
                    select 1
                    from ledger.entry
                    where place > $1
                    limit 100000
                ) as told
            ),
            coalesce((
                select (extract(epoch from clock_timestamp() - recorded_at) * 1000)::int8
                from ledger.entry
                where place > $1
                order by place
                limit 1
            ), 0)
        """
    ) { row in (entries: try row.int64(0), milliseconds: try row.int64(1)) }

    private static func posted(
        _ row: borrowing PostgresRow
    ) throws -> TransactionPosted {
        let currency: Currency = try row.value(11)
        return TransactionPosted(
            source: JournalLine(
                entryID: try row.value(0),
                place: try row.value(1),
                traceParent: try row.value(2)
            ),
            transactionID: try row.value(5),
            version: try row.value(6),
            kind: try row.word(4),
            userID: try row.value(7),
            accountID: try row.value(8),
            accountKind: try row.word(9),
            amount: Money(minorUnits: try row.value(10), currency),
            day: try row.value(12),
            categoryID: try row.value(13),
            coicop: try row.value(14, as: String?.self).flatMap { Coicop(rawValue: $0) },
            transferID: try row.value(15),
            isOwnTransfer: try row.value(16),
            lines: try lines(row, from: 17, currency),
            isUncounted: try row.bool(20),
            recordedAt: try row.value(3)
        )
    }

    private static func lines(
        _ row: borrowing PostgresRow,
        from column: Int,
        _ currency: Currency
    ) throws -> [PostedLine]? {
        guard let categories = try row.value(column, as: [CategoryID]?.self),
            let coicops = try row.value(column + 1, as: [String]?.self),
            let amounts = try row.value(column + 2, as: [Int64]?.self)
        else { return nil }
        return zip(categories, zip(coicops, amounts)).map { category, rest in
            PostedLine(
                categoryID: category,
                coicop: Coicop(rawValue: rest.0),
                amount: Money(minorUnits: rest.1, currency)
            )
        }
    }
}
