import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of fetched rates.
enum RateStatements {
    /// How many additions there have been.
    static let revision = Statement(
        by: "rate_fetch_pkey",
        "select revision from ledger.rate_fetch where is_one"
    ) { row in
        try row.int64(0)
    }

    /// In its order: some thirty a day since the executables were built.
    static let all = Statement(
        by: "exchange_rate_pkey",
        """
        select revision, day, currency, mantissa, scale, source
        from ledger.rate_fetch join ledger.exchange_rate on true
        where is_one
        order by day, currency
        """
    ) { row in
        try (
            revision: row.int64(0),
            day: row.value(1, as: Day.self),
            currency: row.string(2),
            rate: PublishedRate(mantissa: UInt64(row.int64(3)), scale: Int(row.int16(4))),
            publisher: row.string(5)
        )
    }

    /// Of all replicas one has it for so long.
    static let claim = Statement(
        by: "rate_fetch_pkey",
        """
        update ledger.rate_fetch
        set claimed_until = now() + interval '3 minutes'
        where is_one and next_at <= now() and claimed_until < now()
        returning failures
        """
    ) { row in try row.int32(0) }

    /// Whoever adds rows has its lock.
    static let lock = Statement(
        by: "rate_fetch_pkey",
        "select revision from ledger.rate_fetch where is_one for no key update"
    ) { row in try row.int64(0) }

    /// A day that is there stays as it is.
    static let insert = Statement<Void>(
        """
        insert into ledger.exchange_rate (day, currency, mantissa, scale, source)
        select day, currency, mantissa, scale, $5
        from unnest($1::date[], $2::text[], $3::bigint[], $4::smallint[])
            as new (day, currency, mantissa, scale)
        on conflict do nothing
        """
    )

    /// What has been in doubt for long enough.
    static let confirmed = Statement(
        by: "rate_doubt_pkey",
        """
        select day, currency, mantissa, scale from ledger.rate_doubt
        where day > current_date - 3660 and seen_at < now() - interval '12 hours'
        order by day, currency
        limit 1000
        """
    ) { row in
        try (
            day: row.value(0, as: Day.self),
            currency: row.string(1),
            rate: PublishedRate(mantissa: UInt64(row.int64(2)), scale: Int(row.int16(3)))
        )
    }

    static let doubt = Statement<Void>(
        """
        insert into ledger.rate_doubt (day, currency, mantissa, scale, seen_at)
        select day, currency, mantissa, scale, now()
        from unnest($1::date[], $2::text[], $3::bigint[], $4::smallint[])
            as new (day, currency, mantissa, scale)
        on conflict do nothing
        """
    )

    /// Those that are decided.
    static let forgetDoubts = Statement<Void>(
        by: "rate_doubt_pkey",
        "delete from ledger.rate_doubt where day <= $1"
    )

    /// The next one so many seconds from now.
    static let succeed = Statement<Void>(
        by: "rate_fetch_pkey",
        """
        update ledger.rate_fetch
        set next_at = now() + $1 * interval '1 second', claimed_until = '-infinity', failures = 0,
            fetched_at = now(), error = null, revision = revision + $2
        where is_one
        """
    )

    static let fail = Statement<Void>(
        by: "rate_fetch_pkey",
        """
        update ledger.rate_fetch
        set next_at = now() + $1 * interval '1 second', claimed_until = '-infinity',
            failures = failures + 1, error = $2
        where is_one
        """
    )
}
