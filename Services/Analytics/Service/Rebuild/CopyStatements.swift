import Postgres
import ServiceKit
import WalletProtocol

/// The SQL by which copies are held against their owners, each by the table's key.
enum CopyStatements {
    static let people = Statement(
        by: "person_pkey",
        """
        select user_id, area, date_of_birth, currency, time_zone, language, registered_on,
            date_format
        from analytics.person
        where user_id > $1 and user_id <= $2
        order by user_id
        limit $3
        """
    ) { row in
        CopyRow(
            key: CopyKey(try row.value(0, as: ID<User>.self), CopyKey.first.part),
            columns: [
                try row.value(1), try row.value(2, as: Day?.self)?.text, try row.value(3),
                try row.value(4), try row.value(5), try row.value(6, as: Day?.self)?.text,
                try row.value(7),
            ]
        )
    }

    static let putPeople = Statement<Void>(
        by: "person_pkey",
        """
        insert into analytics.person (
            user_id, area, date_of_birth, currency, time_zone, language, registered_on,
            date_format)
        select user_id, area, date_of_birth::date, currency, time_zone, language,
            registered_on::date, date_format
        from unnest(
            $1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
            $8::text[]
        ) as told (
            user_id, area, date_of_birth, currency, time_zone, language, registered_on,
            date_format
        )
        on conflict (user_id) do update
        set area = excluded.area, date_of_birth = excluded.date_of_birth,
            currency = excluded.currency, time_zone = excluded.time_zone,
            language = excluded.language, registered_on = excluded.registered_on,
            date_format = excluded.date_format
        """
    )

    static let categories = Statement(
        by: "category_pkey",
        """
        select user_id, category_id, coicop, parent_id
        from analytics.category
        where (user_id, category_id) > ($1, $2) and (user_id, category_id) <= ($3, $4)
        order by user_id, category_id
        limit $5
        """
    ) { row in
        CopyRow(
            key: CopyKey(
                try row.value(0, as: ID<User>.self),
                try row.value(1, as: CategoryID.self)
            ),
            columns: [try row.value(2), try row.value(3, as: CategoryID?.self)?.text]
        )
    }

    static let removeCategory = Statement<Void>(
        by: "category_pkey",
        "delete from analytics.category where user_id = $1 and category_id = $2"
    )

    static let members = Statement(
        by: "wallet_member_pkey",
        """
        select user_id, account_id, is_member
        from analytics.wallet_member
        where (user_id, account_id) > ($1, $2) and (user_id, account_id) <= ($3, $4)
        order by user_id, account_id
        limit $5
        """
    ) { row in
        CopyRow(
            key: CopyKey(
                try row.value(0, as: ID<User>.self),
                try row.value(1, as: ID<Account>.self)
            ),
            columns: [String(try row.bool(2))]
        )
    }

    /// Later events have a higher sequence than what was read with the row.
    static let putMembers = Statement<Void>(
        by: "wallet_member_pkey",
        """
        insert into analytics.wallet_member (user_id, account_id, is_member, sequence)
        select user_id, account_id, is_member, sequence
        from unnest($1::uuid[], $2::uuid[], $3::bool[], $4::int8[])
            as told (user_id, account_id, is_member, sequence)
        on conflict (user_id, account_id) do update
        set is_member = excluded.is_member, sequence = excluded.sequence
        """
    )

    static let removeMember = Statement<Void>(
        by: "wallet_member_pkey",
        "delete from analytics.wallet_member where user_id = $1 and account_id = $2"
    )

    static let groupCategories = Statement(
        by: "group_category_pkey",
        """
        select group_id, category_id, parent_id
        from analytics.group_category
        where (group_id, category_id) > ($1, $2) and (group_id, category_id) <= ($3, $4)
        order by group_id, category_id
        limit $5
        """
    ) { row in
        CopyRow(
            key: CopyKey(
                try row.value(0, as: ID<Group>.self),
                try row.value(1, as: ID<GroupCategory>.self)
            ),
            columns: [try row.value(2, as: ID<GroupCategory>.self).text]
        )
    }

    static let putGroupCategories = Statement<Void>(
        by: "group_category_pkey",
        """
        insert into analytics.group_category (group_id, category_id, parent_id)
        select group_id, category_id, parent_id::uuid
        from unnest($1::uuid[], $2::uuid[], $3::text[]) as told (group_id, category_id, parent_id)
        on conflict (group_id, category_id) do update set parent_id = excluded.parent_id
        """
    )
}
