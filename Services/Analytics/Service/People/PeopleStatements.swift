import Postgres
import ServiceKit
import WalletProtocol

/// What a report falls back on.
struct PersonSettings {
    let currency: Currency
    let timeZone: String

    /// Of whom no event has come yet.
    static let unknown = PersonSettings(currency: .eur, timeZone: "UTC")
}

/// The SQL of what analytics knows of people; person_pkey serves every statement.
enum PeopleStatements {
    static let upsert = Statement<Void>(
        """
        insert into analytics.person (user_id, area, date_of_birth, currency, time_zone)
        values ($1, $2::text, $3, $4::text, $5::text)
        on conflict (user_id) do update
        set area = excluded.area, date_of_birth = excluded.date_of_birth,
            currency = excluded.currency, time_zone = excluded.time_zone
        where person.erased_at is null
        """
    )

    static let erase = Statement<Void>(
        """
        insert into analytics.person (user_id, currency, time_zone, erased_at)
        values ($1, 'EUR', 'UTC', $2)
        on conflict (user_id) do update
        set area = null, date_of_birth = null, currency = 'EUR', time_zone = 'UTC',
            erased_at = coalesce(person.erased_at, excluded.erased_at)
        """
    )

    /// By fact_pkey: what erased people have booked.
    static let forgetFacts = Statement<Void>(
        """
        delete from analytics.fact
        where user_id = any($1)
        """
    )

    /// By category_pkey.
    static let forgetCategories = Statement<Void>(
        """
        delete from analytics.category
        where user_id = any($1)
        """
    )

    /// By person_erased_idx: who was erased while an event of theirs may still come.
    static let lastErased = Statement(
        """
        select user_id
        from analytics.person
        where erased_at > now() - interval '31 days'
        limit 100000
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    static let settings = Statement(
        """
        select currency, time_zone
        from analytics.person
        where user_id = $1
        limit 1
        """
    ) { row in try PersonSettings(currency: row.value(0), timeZone: row.string(1)) }
}
