import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of the copy of exchange rates.
enum RateStatements {
    /// The days among these of which the rates are known well enough.
    static let known = Statement(
        by: "rate_day_pkey",
        """
        select day
        from analytics.rate_day
        where day = any($1) and (is_final or fetched_at > clock_timestamp() - interval '1 minute')
        order by day
        limit 100000
        """
    ) { row in try row.value(0, as: Day.self) }

    static let upsertDay = Statement<Void>(
        by: "rate_day_pkey",
        """
        insert into analytics.rate_day (day, is_final)
        values ($1, $2)
        on conflict (day) do update
        set is_final = excluded.is_final, fetched_at = clock_timestamp()
        """
    )

    /// By currency, so that two who do it never wait in a ring.
    static let upsertRates = Statement<Void>(
        by: "exchange_rate_pkey",
        """
        insert into analytics.exchange_rate (day, currency, minor_units)
        select $1, rate.currency, rate.minor_units::numeric
        from unnest($2::text[], $3::text[]) as rate (currency, minor_units)
        order by rate.currency
        on conflict (day, currency) do update set minor_units = excluded.minor_units
        """
    )
}
