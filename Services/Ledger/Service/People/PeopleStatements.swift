import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of people; person_pkey serves every statement, category_default_key the first.
enum PeopleStatements {
    static let find = Statement(
        by: "person_pkey, category_default_key",
        """
        select currency, time_zone, display_name, category.id, category.name, month_start,
            language
        from ledger.person
        join ledger.category on category.user_id = person.user_id and is_default
        where person.user_id = $1 and erased_at is null
        """
    ) { row in
        try Person(
            currency: row.value(0),
            timeZone: row.string(1),
            displayName: row.string(2),
            monthStart: Int(row.int16(5)),
            language: row.string(6),
            others: row.value(3),
            othersName: row.string(4)
        )
    }

    /// Nothing where the person is there already, erased ones included.
    static let insert = Statement<Void>(
        """
        insert into ledger.person
            (user_id, currency, time_zone, display_name, month_start, language)
        values ($1, $2, $3, $4, $5, $6)
        on conflict do nothing
        """
    )

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
        set currency = $2, time_zone = $3, display_name = $4, month_start = $5, language = $6
        where user_id = $1 and erased_at is null
        """
    )
}
