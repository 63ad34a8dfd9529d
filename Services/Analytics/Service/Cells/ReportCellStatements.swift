import Postgres
import ServiceKit
import WalletProtocol

/// The SQL that keeps the cells; report_cell_pkey serves every statement.
enum ReportCellStatements {
    /// Cells in the order of their key, so that two who do it never wait in a ring; the days of
    /// each are a stretch of one array.
    ///
    /// Days are put behind those that are there, which is cheap, and merged before a row outgrows
    /// what is kept in its page.
    static let add = Statement<Void>(
        by: "report_cell_pkey",
        """
        insert into analytics.report_cell as cell (
            owner_id, currency, month, category_id, account_id, is_income, amount, part_count,
            transaction_count, days
        )
        select owner_id, currency, month, category_id, account_id, is_income, amount, part_count,
            transaction_count, ($12::int8[])[low:high]
        from (
            select unnest($1::uuid[]) as owner_id, unnest($2::text[]) as currency,
                unnest($3::date[]) as month, unnest($4::uuid[]) as category_id,
                unnest($5::uuid[]) as account_id, unnest($6::bool[]) as is_income,
                unnest($7::numeric[]) as amount, unnest($8::int8[]) as part_count,
                unnest($9::int8[]) as transaction_count, unnest($10::int4[]) as low,
                unnest($11::int4[]) as high
        ) as told
        on conflict (owner_id, currency, month, category_id, account_id, is_income)
        do update set amount = cell.amount + excluded.amount,
            part_count = cell.part_count + excluded.part_count,
            transaction_count = cell.transaction_count + excluded.transaction_count,
            days = case
                when cardinality(cell.days) < 192 then cell.days || excluded.days
                else analytics.merged_days(cell.days || excluded.days)
            end
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
