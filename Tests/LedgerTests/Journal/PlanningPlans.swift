import Postgres

@testable import LedgerService

/// What the service sends of plans for the time to come, and the index that serves it.
func planningStatements() -> [(sql: String, index: String)] {
    let (recurrences, recurring) = (RecurrenceStatements.self, RecurrenceWorkStatements.self)
    return [
        (recurrences.count.sql, "recurrence_user_"),
        (recurrences.list.sql, "recurrence_user_idx"),
        (recurrences.find.sql, "recurrence_"),
        (recurrences.lock.sql, "recurrence_"),
        (recurrences.lastDay.sql, "recurrence_occurrence_pkey"),
        (recurrences.past.sql, "recurrence_occurrence_pkey"),
        (recurrences.change.sql, "recurrence_pkey"),
        (recurrences.delete.sql, "recurrence_pkey"),
        (recurrences.ofCategory.sql, "recurrence_user_"),
        (recurrences.recategorise.sql, "recurrence_pkey"),
        (recurrences.lookAgain.sql, "recurrence_user_"),
        (recurring.next.sql, "recurrence_look_at_idx"),
        (recurring.categories.sql, "category_"),
        (recurring.skip.sql, "recurrence_occurrence_pkey"),
        (recurring.advance.sql, "recurrence_pkey"),
        (recurring.lookLater.sql, "recurrence_pkey"),
        (recurring.putOff.sql, "recurrence_pkey"),
        (PlanningExportStatements.recurrences.sql, "recurrence_user_idx"),
        (RateStatements.revision.sql, "rate_fetch_pkey"),
        (RateStatements.all.sql, "exchange_rate_pkey"),
        (RateStatements.claim.sql, "rate_fetch_pkey"),
        (RateStatements.lock.sql, "rate_fetch_pkey"),
        (RateStatements.confirmed.sql, "rate_doubt_pkey"),
        (RateStatements.forgetDoubts.sql, "rate_doubt_pkey"),
        (RateStatements.succeed.sql, "rate_fetch_pkey"),
        (RateStatements.fail.sql, "rate_fetch_pkey"),
    ]
}

/// Rows of it beside those of everything else.
let planningRows: SQLScript = """
    insert into ledger.recurrence
        (id, user_id, account_id, currency, amount, category_id, every, unit, anchor, next_number,
        next_day, look_at)
    select md5('r' || n)::uuid, md5('u' || n % 200)::uuid, md5('a' || n % 600)::uuid, 'EUR', n,
        md5('c' || n % 2000)::uuid, 1, 'day', '2024-01-01', 1, '2024-01-02',
        now() + n * interval '1 hour'
    from generate_series(1, 4000) n;
    insert into ledger.recurrence_occurrence (recurrence_id, day, number, transaction_id)
    select md5('r' || n % 4000 + 1)::uuid, date '2024-01-01' + n / 4000, n / 4000,
        md5('t' || n)::uuid
    from generate_series(1, 20000) n;
    insert into ledger.exchange_rate
    select date '2024-01-01' + n, 'USD', 1, 0 from generate_series(1, 400) n;
    analyze ledger.exchange_rate, ledger.recurrence, ledger.recurrence_occurrence;
    """
