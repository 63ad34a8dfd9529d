import Postgres
import ServiceKit
import WalletProtocol

/// The SQL that keeps the cells; report_cell_pkey serves every statement.
enum ReportCellStatements {
    /// In the order of the key, so that two who do it never wait in a ring; what comes to nothing
    /// within the call touches nothing.
    static let add = Statement<Void>(
        by: "report_cell_pkey",
        """
        insert into analytics.report_cell (
            owner_id, grain, currency, start, category_id, account_id, is_income, amount,
            part_count, transaction_count
        )
        select told.owner_id, grained.grain, told.currency, grained.start, grained.category_id,
            told.account_id, told.amount >= 0, sum(told.sign * told.amount::numeric),
            sum(told.sign), coalesce(sum(told.sign) filter (where told.part = 0), 0)
        from unnest(
            $1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::date[], $6::int8[], $7::int4[],
            $8::int4[]
        ) as told (owner_id, account_id, category_id, currency, day, amount, part, sign)
        cross join lateral (
            values ('day', told.day, told.category_id),
                ('month', date_trunc('month', told.day::timestamp)::date, told.category_id),
                ('total', told.day, '00000000-0000-0000-0000-000000000000')
        ) as grained (grain, start, category_id)
        group by 1, 2, 3, 4, 5, 6, 7
        having sum(told.sign) <> 0 or sum(told.sign * told.amount::numeric) <> 0
        order by 1, 2, 3, 4, 5, 6, 7
        on conflict (owner_id, grain, currency, start, category_id, account_id, is_income)
        do update set amount = report_cell.amount + excluded.amount,
            part_count = report_cell.part_count + excluded.part_count,
            transaction_count = report_cell.transaction_count + excluded.transaction_count
        """
    )

    /// Some of an owner's.
    static let forget = Statement<Void>(
        by: "report_cell_pkey",
        """
        delete from analytics.report_cell
        where ctid = any (array(
            select ctid from analytics.report_cell
            where owner_id = $1
            limit $2
        ))
        """
    )
}
