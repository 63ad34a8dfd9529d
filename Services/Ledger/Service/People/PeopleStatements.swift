import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of people; person_pkey serves every statement, category_default_key the first.
enum PeopleStatements {
    static let find = Statement(
        by: "person_pkey, category_default_key",
        """
        select currency, time_zone, display_name, category.id, month_start, language,
            date_format, profile_version
        from ledger.person
        join ledger.category on category.user_id = person.user_id and is_default
        where person.user_id = $1 and erased_at is null
        """
    ) { row in
        try Person(
            currency: row.value(0),
            timeZone: row.string(1),
            displayName: row.string(2),
            monthStart: Int(row.int16(4)),
            language: row.string(5),
            dateFormat: (row.value(6) as String?).flatMap { DateFormat(rawValue: $0) },
            version: Int(row.int32(7)),
            others: row.value(3)
        )
    }

    /// Nothing where the person is there already, erased ones included.
    static let insert = Statement<Void>(
        """
        insert into ledger.person
            (user_id, currency, time_zone, display_name, month_start, language, date_format,
            profile_version)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict do nothing
        """
    )

    /// A release of auth from before versions tells of version 0, and of what is newest.
    ///
    /// Too: whoever shares a wallet of somebody who is called otherwise now is told of it, and
    /// whoever has a standing order to them.
    static let update = Statement<Void>(
        by: "account_user_id_idx, account_member_pkey, standing_order_to_account_idx",
        """
        with renamed as (
            select user_id from ledger.person where user_id = $1 and display_name <> $4
        ), told as (
            update ledger.account set xid = pg_current_xact_id()
            where user_id in (select user_id from renamed) and exists (
                select from ledger.account_member as member
                where member.account_id = account.id and left_at is null
            )
        ), told_payers as (
            update ledger.standing_order set xid = pg_current_xact_id()
            where deleted_at is null and to_account = any (array(
                select account.id from ledger.account
                join renamed on renamed.user_id = account.user_id
            ))
        )
        update ledger.person
        set currency = $2, time_zone = $3, display_name = $4, month_start = $5, language = $6,
            date_format = $7, profile_version = greatest(profile_version, $8)
        where user_id = $1 and erased_at is null and (profile_version <= $8 or $8 = 0)
        """
    )
}
