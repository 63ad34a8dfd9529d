import Postgres
import WalletProtocol

@testable import LedgerService

/// What the service sends of plans for the time to come, and the index that serves it.
func planningStatements() -> [(sql: String, index: String)] {
    let (budgets, watch) = (BudgetStatements.self, BudgetWatchStatements.self)
    let calendar = BudgetCalendar(monthStart: 1)
    let spent = budgets.spent(by: .new(), from: someDay, before: someDay, calendar, in: .eur)
    let some = budgets.spent(
        by: .new(),
        from: someDay,
        before: someDay,
        calendar,
        in: .eur,
        categories: []
    )
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
        (recurring.take.sql, "recurrence_"),
        (recurring.setAside.sql, "recurrence_pkey"),
        (recurring.categories.sql, "category_"),
        (recurring.skip.sql, "recurrence_occurrence_pkey"),
        (recurring.advance.sql, "recurrence_pkey"),
        (recurring.lookLater.sql, "recurrence_pkey"),
        (recurring.putOff.sql, "recurrence_pkey"),
        (PlanningExportStatements.recurrences.sql, "recurrence_user_idx"),
        (spent.sql, "money_transaction_user_idx"),
        (some.sql, "money_transaction_"),
        (some.sql, "transaction_line_category_idx"),
        (budgets.exists.sql, "budget_allocation_pkey"),
        (budgets.allocations.sql, "budget_allocation_pkey"),
        (budgets.firstMonth.sql, "budget_allocation_"),
        (budgets.move.sql, "budget_allocation_pkey"),
        (budgets.drop.sql, "budget_allocation_pkey"),
        (budgets.closing.sql, "budget_closing_pkey"),
        (budgets.changes.sql, "money_transaction_xid_idx"),
        (budgets.forgetMonths.sql, "budget_spending_pkey"),
        (budgets.forgetAll.sql, "budget_spending_pkey"),
        (budgets.kept.sql, "budget_spending_pkey"),
        (watch.forgetAlert.sql, "budget_alert_pkey"),
        (watch.mark.sql, "budget_watch_pkey"),
        (watch.end.sql, "entry_xid_idx"),
        (watch.touch.sql, "entry_xid_idx"),
        (watch.touch.sql, "money_transaction_pkey"),
        (watch.advance.sql, "budget_watch_pkey"),
        (watch.next.sql, "budget_touched_pkey"),
        (watch.take.sql, "budget_touched_user_idx"),
        (PlanningExportStatements.budgets.sql, "budget_allocation_pkey"),
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
    select date '2024-01-01' + n, 'USD', 1, 0, 'ECB' from generate_series(1, 400) n;
    insert into ledger.budget_allocation
    select md5('u' || n % 200)::uuid, md5('c' || n % 2000)::uuid,
        date '2024-01-01' + make_interval(months => n / 2000), '2024-01-01', 'EUR', n
    from generate_series(0, 9999) n;
    insert into ledger.budget_spending
    select md5('u' || n % 200)::uuid, date '2024-01-01' + make_interval(months => n / 2000),
        md5('c' || n % 2000)::uuid, '2024-01-01', 'EUR', n
    from generate_series(0, 9999) n;
    insert into ledger.budget_touched (user_id, category_id, day)
    select md5('u' || n % 200)::uuid, md5('c' || n)::uuid, '2024-01-01'
    from generate_series(0, 1999) n;
    analyze ledger.budget_allocation, ledger.budget_spending, ledger.budget_touched;
    analyze ledger.exchange_rate, ledger.recurrence, ledger.recurrence_occurrence;
    """
