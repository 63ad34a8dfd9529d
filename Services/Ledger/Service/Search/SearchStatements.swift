import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of full-text search.
///
/// `transaction_search` is filled behind the writes; what is newer than its mark is looked through
/// word by word, and named.
enum SearchStatements {
    /// transaction_search_words_idx, money_transaction_pkey: as a source of rows.
    static func found(_ filter: TransactionFilter, _ builder: inout StatementBuilder) {
        builder.append(
            """
            select t.id, t.version, t.day, t.amount from (
                select transaction_id, version from ledger.transaction_search
                where words @@ $1::text::tsquery
                union
                select id, version from ledger.money_transaction
                where id = any ($2) and reversed_by is null
            ) as hit
            cross join lateral (
                select * from ledger.money_transaction
                where id = hit.transaction_id and version = hit.version limit 1
            ) as t
            where t.reversed_by is null
            """,
            filter.search?.query,
            filter.search?.fresh ?? []
        )
        // Of who shares wallets the accounts decide.
        if !filter.isShared { builder.append(" and t.user_id = $1", filter.user) }
    }

    /// transaction_search_pkey: as a condition of a row.
    static func matches(_ filter: TransactionFilter, _ builder: inout StatementBuilder) {
        builder.append(
            """
             and case when t.id = any ($2) then true else exists (
                select from ledger.transaction_search as hit
                where hit.transaction_id = t.id and hit.version = t.version
                    and hit.words @@ $1::text::tsquery
            ) end
            """,
            filter.search?.query,
            filter.search?.fresh ?? []
        )
    }

    /// What somebody has that may not have been taken up: of each account its lines from the newest
    /// down to the first that was, for the places of the journal rise with them.
    static let fresh = Statement(
        by: "account_user_id_idx, money_transaction_seq_key, entry_pkey",
        """
        with recursive newest as (
            select t.*
            from ledger.account as a
            cross join lateral (
                select * from ledger.money_transaction
                where account_id = a.id
                order by account_id desc, seq desc
                limit 1
            ) as t
            where a.user_id = $1
            union all
            select before.*
            from newest
            join ledger.entry as made on made.id = newest.entry_id
            cross join lateral (
                select * from ledger.money_transaction
                where account_id = newest.account_id and seq < newest.seq
                order by account_id desc, seq desc
                limit 1
            ) as before
            where made.place > (select mark from ledger.search_state)
        )
        select id, name, description, place, tags from newest
        where reversed_by is null
        limit $2
        """
    ) { row in
        try (id: row.value(0, as: ID<MoneyTransaction>.self), texts: texts(row, from: 1))
    }

    private static func texts(_ row: borrowing PostgresRow, from column: Int) throws -> [String] {
        let single = try [
            row.value(column, as: String?.self), row.value(column + 1, as: String?.self),
            row.value(column + 2, as: String?.self),
        ]
        return single.compactMap(\.self) + (try row.value(column + 3, as: [String].self))
    }

    /// One replica at a time; and below what nothing can still appear.
    static let lock = Statement(
        by: "search_state_pkey",
        """
        select mark from ledger.search_state for no key update skip locked
        """
    ) { row in try row.int64(0) }

    /// The next entries that are there for good.
    static let entries = Statement(
        by: "entry_place_key",
        """
        select place, transactions from ledger.entry
        where place > $1 and place <= $2
        order by place
        limit $3
        """
    ) { row in
        try (
            place: row.int64(0),
            transactions: row.value(1, as: [ID<MoneyTransaction>].self)
        )
    }

    /// What they say now.
    ///
    /// By the last version, not by the one that stands: planned while the table was small, that
    /// walked an index of all that stand for each of them.
    static let texts = Statement(
        by: "money_transaction_pkey",
        """
        select t.id, t.version, t.user_id, t.name, t.description, t.place, t.tags
        from unnest($1::uuid[]) as wanted (id)
        cross join lateral (
            select * from ledger.money_transaction
            where id = wanted.id order by version desc limit 1
        ) as t
        where t.reversed_by is null
        """
    ) { row in
        try (
            id: row.value(0, as: ID<MoneyTransaction>.self),
            version: row.int32(1),
            user: row.value(2, as: ID<User>.self),
            texts: texts(row, from: 3)
        )
    }

    /// Words with spaces between them.
    static let upsert = Statement<Void>(
        by: "transaction_search_pkey",
        """
        insert into ledger.transaction_search (transaction_id, version, user_id, words)
        select id, version, user_id, array_to_tsvector(string_to_array(words, ' '))
        from unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[])
            as made (id, version, user_id, words)
        order by id
        on conflict (transaction_id) do update
        set version = excluded.version, user_id = excluded.user_id, words = excluded.words
        where transaction_search.version <= excluded.version
        """
    )

    static let advance = Statement<Void>(
        by: "search_state_pkey",
        "update ledger.search_state set mark = $1"
    )
}
