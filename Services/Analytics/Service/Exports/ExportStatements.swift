import Postgres
import ServiceKit

/// What analytics holds on somebody; each statement names the index that serves it.
///
/// Cells are left out: they are sums of the facts, which are here.
enum ExportStatements {
    static let parts = [
        ExportPart("report-profile", from: ExportPart.firstID, profile),
        ExportPart("report-facts", from: " 0001-01-01 \(ExportPart.firstID) 0 0", facts),
        ExportPart("report-wallets", from: ExportPart.firstID, wallets),
        ExportPart("insight-bookings", from: "0", bookings),
        ExportPart("saved-queries", from: ExportPart.firstID, savedQueries),
    ]

    static let profile = Statement(
        by: "person_pkey",
        """
        select user_id::text, json_build_object(
            'area', area, 'dateOfBirth', date_of_birth, 'currency', currency,
            'timeZone', time_zone, 'language', language, 'registeredOn', registered_on)::text
        from analytics.person
        where user_id = $1 and user_id > $2::text::uuid
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let wallets = Statement(
        by: "wallet_member_pkey",
        """
        select account_id::text, json_build_object(
            'accountId', account_id, 'member', is_member)::text
        from analytics.wallet_member
        where user_id = $1 and account_id > $2::text::uuid
        order by account_id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let facts = Statement(
        by: "fact_user_currency_day_idx",
        """
        select concat_ws(' ', currency, day, transaction_id, version, part), json_build_object(
            'transactionId', transaction_id, 'version', version, 'part', part,
            'reversed', is_reversed,
            'accountId', account_id, 'accountKind', account_kind,
            'date', day, 'amount', json_build_object('minorUnits', amount, 'currency', currency),
            'categoryId', category_id, 'coicop', coicop)::text
        from analytics.fact
        where user_id = $1 and (currency, day, transaction_id, version, part) > (
            split_part($2::text, ' ', 1), split_part($2::text, ' ', 2)::date,
            split_part($2::text, ' ', 3)::uuid, split_part($2::text, ' ', 4)::int8,
            split_part($2::text, ' ', 5)::int4)
        order by currency, day, transaction_id, version, part
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let savedQueries = Statement(
        by: "saved_query_pkey",
        """
        select id::text, json_build_object(
            'id', id, 'name', name, 'query', query::json, 'createdAt', created_at,
            'changedAt', changed_at)::text
        from analytics.saved_query
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What of them counts in everybody's figures, and from and until which release.
    static let bookings = Statement(
        by: "booking_person_idx, insight_person_pkey",
        """
        select id::text, json_build_object(
            'date', day, 'incoming', is_incoming,
            'amount', json_build_object('minorUnits', amount, 'currency', currency),
            'times', times, 'coicop', category, 'area', area, 'ageBand', age_band,
            'accountKind', account_kind, 'fromRelease', counts_from,
            'untilRelease', counts_until)::text
        from analytics.booking
        where person = (select number from analytics.insight_person where user_id = $1)
            and id > $2::text::int8
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }
}
