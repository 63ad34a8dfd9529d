import Postgres
import ServiceKit
import WalletProtocol

/// What a report falls back on.
struct PersonSettings {
    let currency: Currency
    let timeZone: String
    /// Of documents, BCP 47.
    let language: String
    /// How they write days; nil: as the language does.
    var dateFormat: DateFormat?
    /// Of their profile, by which auth tells of a change.
    var version = 0

    /// Of whom no event has come yet.
    static let unknown = PersonSettings(currency: .eur, timeZone: "UTC", language: "en")
}

/// The SQL of what analytics knows of people; each statement names the index that serves it.
enum PeopleStatements {
    /// Unless a later version is there.
    ///
    /// A release of auth from before versions tells of version 0, and of what is newest.
    static let upsert = Statement<Void>(
        by: "person_pkey",
        """
        insert into analytics.person (
            user_id, area, date_of_birth, currency, time_zone, language, date_format,
            profile_version)
        values ($1, $2::text, $3, $4::text, $5::text, $6::text, $7::text, $8)
        on conflict (user_id) do update
        set area = excluded.area, date_of_birth = excluded.date_of_birth,
            currency = excluded.currency, time_zone = excluded.time_zone,
            language = excluded.language, date_format = excluded.date_format,
            profile_version = greatest(person.profile_version, excluded.profile_version)
        where person.profile_version <= excluded.profile_version or excluded.profile_version = 0
        """
    )

    static let delete = Statement<Void>(
        by: "person_pkey",
        "delete from analytics.person where user_id = $1"
    )

    /// Some of a person's.
    static let forgetFacts = Statement<Void>(
        by: "fact_user_currency_day_idx",
        """
        delete from analytics.fact
        where ctid = any (array(
            select ctid from analytics.fact
            where user_id = $1
            limit $2
        ))
        """
    )

    /// Whether anything is left of what they have booked.
    ///
    /// In the indexes' order: of what mostly is not there the first row would be looked for in the
    /// whole table, where few people have booked most of it.
    static let hasFacts = Statement(
        by: "fact_user_currency_day_idx, report_cell_pkey",
        """
        select (
                select true from analytics.fact
                where user_id = $1
                order by currency, day
                limit 1
            ) is not null
            or (
                select true from analytics.report_cell
                where owner_id = $1
                order by currency, month
                limit 1
            ) is not null
        """
    ) { row in try row.bool(0) }

    static let forgetCategories = Statement<Void>(
        by: "category_pkey",
        """
        delete from analytics.category
        where user_id = $1
        """
    )

    static let forgetWallets = Statement<Void>(
        by: "wallet_member_pkey",
        "delete from analytics.wallet_member where user_id = $1"
    )

    static let settings = Statement(
        by: "person_pkey",
        """
        select currency, time_zone, language, date_format, profile_version
        from analytics.person
        where user_id = $1
        limit 1
        """
    ) { row in
        try PersonSettings(
            currency: row.value(0),
            timeZone: row.string(1),
            language: row.string(2),
            dateFormat: (row.value(3) as String?).flatMap { DateFormat(rawValue: $0) },
            version: Int(row.int32(4))
        )
    }
}
