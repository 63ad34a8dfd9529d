import Postgres
import ServiceKit
import WalletProtocol

/// An expense in another currency than its group's, on its way to a rate.
struct ForeignExpense: Sendable, Hashable {
    let group: ID<Group>
    let id: ID<Expense>
    let amount: Money
    let day: Day
    /// Into which currency.
    let target: Currency
}

/// What one has come to count as.
struct CountedExpense: Sendable, Hashable {
    let id: ID<Expense>
    /// In the group's currency.
    let amount: Int128
    let day: Day
    /// Which day it was for whoever wrote it.
    let writtenOn: Day
    /// Its place among limits and expenses in other currencies, as they came.
    let number: Int64
}

/// The SQL of expenses in other currencies than their group's, as limits see them; each statement
/// names the index that serves it.
///
/// A row below the number of its group's walk is of limits that are gone: it counts for nothing.
enum ForeignExpenseStatements {
    /// New ones, and such as are back or are another: what is of the same amount, currency and day
    /// counts as before.
    static let track = Statement(
        by: "foreign_expense_pkey, foreign_walk_pkey",
        """
        insert into groups.foreign_expense as known (
            group_id, expense_id, amount, currency, day, written_on)
        select $1, expense_id, amount, currency, day, $6::date
        from unnest($2::uuid[], $3::bigint[], $4::text[], $5::date[])
            as had (expense_id, amount, currency, day)
        on conflict (group_id, expense_id) do update
        set (amount, currency, day, written_on, number, is_counted) = (
                excluded.amount, excluded.currency, excluded.day, excluded.written_on,
                excluded.number, true),
            (look_at, converted, rate, rate_source, rate_day) = (
                select case when same and known.converted is not null then null
                        else excluded.look_at end,
                    case when same then known.converted end, case when same then known.rate end,
                    case when same then known.rate_source end,
                    case when same then known.rate_day end
                from (
                    select (known.amount, known.currency, known.day)
                        = (excluded.amount, excluded.currency, excluded.day)
                        and known.number >= (
                            select number from groups.foreign_walk where group_id = $1) as same
                ) compared)
        returning coalesce(converted, 0)
        """
    ) { row in try row.value(0, as: Int128.self) }

    /// Those that count no more, and what each counted as on its day.
    static let release = Statement(
        by: "foreign_expense_pkey, foreign_walk_pkey",
        """
        update groups.foreign_expense
        set is_counted = false
        where group_id = $1 and expense_id = any($2) and is_counted
            and number >= (select number from groups.foreign_walk where group_id = $1)
        returning day, coalesce(converted, 0)
        """
    ) { row in try SpendingRise(day: row.value(0), amount: row.value(1)) }

    /// Spent between two days and not converted, by currency; also what the walk has not come to.
    static let open = Statement(
        by: "foreign_expense_open_idx, foreign_walk_pkey, expense_",
        """
        select currency, sum(amount)
        from (
            select currency, amount
            from groups.foreign_expense
            where group_id = $1 and day >= $2 and day <= $3 and is_counted and converted is null
                and number >= (select number from groups.foreign_walk where group_id = $1)
            union all
            select e.currency, e.amount
            from groups.foreign_walk w
            join groups.expense_group g on g.id = w.group_id
            join groups.expense e on e.group_id = w.group_id and e.currency <> g.currency
                and e.day >= $2 and e.day <= $3 and e.removed_at is null
            where w.group_id = $1 and w.look_at is not null
                and (w.walked_to is null or e.id > w.walked_to)
                and not exists (
                    select from groups.foreign_expense f
                    where f.group_id = $1 and f.expense_id = e.id and f.number >= w.number)
        ) waiting
        group by currency
        order by currency
        """
    ) { row in
        Total(minorUnits: try row.value(1, as: Int128.self), try row.value(0, as: Currency.self))
    }

    /// Whose rate is to be asked for.
    static let due = Statement(
        by: "foreign_expense_look_idx, foreign_walk_pkey, expense_group_pkey",
        """
        select f.group_id, f.expense_id, f.amount, f.day, f.currency, g.currency
        from groups.foreign_expense f
        join groups.foreign_walk w on w.group_id = f.group_id and f.number >= w.number
        join groups.expense_group g on g.id = f.group_id
        where f.is_counted and f.converted is null and f.look_at <= $1
        order by f.look_at
        limit $2
        """
    ) { row in
        try ForeignExpense(
            group: row.value(0),
            id: row.value(1),
            amount: Money(minorUnits: row.int64(2), row.value(4)),
            day: row.value(3),
            target: row.value(5)
        )
    }

    /// Of those that are still what was converted.
    static let convert = Statement(
        by: "foreign_expense_, foreign_walk_pkey",
        """
        update groups.foreign_expense f
        set converted = got.converted, rate = got.rate, rate_source = got.rate_source,
            rate_day = got.rate_day, look_at = null
        from unnest(
            $2::uuid[], $3::bigint[], $4::text[], $5::date[], $6::numeric[], $7::text[],
            $8::text[], $9::date[])
            as got (expense_id, amount, currency, day, converted, rate, rate_source, rate_day)
        where f.group_id = $1 and f.expense_id = got.expense_id and f.amount = got.amount
            and f.currency = got.currency and f.day = got.day and f.is_counted
            and f.converted is null
            and f.number >= (select number from groups.foreign_walk where group_id = $1)
        returning f.expense_id, f.converted, f.day, f.written_on, f.number
        """
    ) { row in
        try CountedExpense(
            id: row.value(0),
            amount: row.value(1),
            day: row.value(2),
            writtenOn: row.value(3),
            number: row.int64(4)
        )
    }

    /// Without a rate now; there may be one later.
    static let putOff = Statement<Void>(
        by: "foreign_expense_",
        """
        update groups.foreign_expense
        set look_at = $3
        where group_id = $1 and expense_id = any ($2) and converted is null
        """
    )

    /// Those that could not be converted come behind the others; what somebody is at is left.
    static let postpone = Statement<Void>(
        by: "foreign_expense_pkey",
        """
        update groups.foreign_expense f
        set look_at = $3
        from (
            select d.group_id, d.expense_id
            from unnest($1::uuid[], $2::uuid[]) as failed (group_id, expense_id)
            join groups.foreign_expense d
                on d.group_id = failed.group_id and d.expense_id = failed.expense_id
            where d.converted is null
            for no key update of d skip locked
        ) free
        where f.group_id = free.group_id and f.expense_id = free.expense_id
        """
    )
}
