import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of snapshots, each a walk along a key; each statement names the index that serves it.
enum SnapshotStatements {
    /// Of persons, that is: the system's have no events.
    static let accounts = Statement(
        by: "account_pkey, aggregate_sequence_pkey",
        """
        select a.id, a.user_id, a.kind, a.currency, a.opened_at, coalesce(s.sequence, 0)
        from ledger.account a
        left join ledger.aggregate_sequence s on s.aggregate = 'account:' || a.id::text
        where a.id > $1 and a.user_id is not null
        order by a.id
        limit $2
        """
    ) { row in
        let account: ID<Account> = try row.value(0)
        return Snapshot(
            aggregate: "account:\(account)",
            sequence: try row.int64(5),
            data: AccountOpened(
                accountID: account,
                userID: try row.value(1),
                kind: try row.word(2),
                currency: try row.value(3),
                openedAt: try row.value(4)
            )
        )
    }

    /// Person by person, of whom each has some hundreds: an index by owner and category would be
    /// chosen where the category alone is enough.
    static let categories = Statement(
        by: "person_pkey, category_user_xid_idx, aggregate_sequence_pkey",
        """
        select c.id, c.user_id, c.parent_id, c.coicop, c.is_default, c.deleted_at is not null,
            coalesce(s.sequence, 0)
        from ledger.person p
        cross join lateral (
            select id, user_id, parent_id, coicop, is_default, deleted_at
            from ledger.category
            where user_id = p.user_id and (p.user_id > $1 or id > $2)
            order by id
            limit $3
        ) as c
        left join ledger.aggregate_sequence s on s.aggregate = 'category:' || c.id::text
        where p.user_id >= $1
        order by p.user_id, c.id
        limit $3
        """
    ) { row in
        let category: CategoryID = try row.value(0)
        let coicop = try row.value(3, as: String?.self)
        return Snapshot(
            aggregate: "category:\(category)",
            sequence: try row.int64(6),
            data: CategoryChanged(
                categoryID: category,
                userID: try row.value(1),
                parentID: try row.value(2),
                coicop: coicop.flatMap { Coicop(rawValue: $0) },
                isDefault: try row.bool(4),
                isDeleted: try row.bool(5)
            )
        )
    }

    static let members = Statement(
        by: "account_member_user_id_idx, aggregate_sequence_pkey",
        """
        select m.account_id, m.user_id, m.left_at is null, coalesce(s.sequence, 0)
        from ledger.account_member m
        left join ledger.aggregate_sequence s on s.aggregate = 'account:' || m.account_id::text
        where (m.user_id, m.account_id) > ($1, $2)
        order by m.user_id, m.account_id
        limit $3
        """
    ) { row in
        let account: ID<Account> = try row.value(0)
        return Snapshot(
            aggregate: "account:\(account)",
            sequence: try row.int64(3),
            data: WalletMemberChanged(
                accountID: account,
                userID: try row.value(1),
                isMember: try row.bool(2)
            )
        )
    }

    /// What is split and has no line is what others owe: it counts nowhere.
    static let versions = Statement(
        by: "money_transaction_pkey, transaction_line_",
        """
        select t.id, t.version, t.user_id, t.parts, t.reversed_by is not null
        from unnest($1::uuid[], $2::int4[]) as asked (id, version)
        cross join lateral (
            select m.id, m.version, m.user_id, m.reversed_by,
                case
                    when m.own_transfer then 0
                    when not m.is_split then 1
                    else (
                        select count(*)::int4
                        from ledger.transaction_line l
                        where l.transaction_id = m.id and l.version = m.version)
                end as parts
            from ledger.money_transaction m
            where m.id = asked.id and m.version = asked.version
            limit 1
        ) as t
        """
    ) { row in
        BookedVersion(
            transactionID: try row.value(0),
            version: Int(try row.int32(1)),
            userID: try row.value(2),
            parts: Int(try row.int32(3)),
            isReversed: try row.bool(4)
        )
    }
}
