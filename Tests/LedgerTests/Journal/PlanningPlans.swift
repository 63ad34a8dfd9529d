import Postgres
import WalletProtocol

@testable import LedgerService

/// What the service sends of plans for the time to come, and the index that serves it.
func planningStatements() -> [(sql: String, index: String)] {
    let budgets = BudgetStatements.self
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
    return [
        (spent.sql, "money_transaction_user_idx"),
        (some.sql, "money_transaction_"),
        (some.sql, "transaction_line_category_idx"),
        (ReceivableStatements.last(of: .new()).sql, "money_transaction_pkey"),
    ] + countedStatements()
}

/// What reports sum, with every filter and with none.
private func countedStatements() -> [(sql: String, index: String)] {
    var statements: [(sql: String, index: String)] = []
    for isFiltered in [false, true] {
        var filter = CountedFilter(
            scope: ReportScope(
                user: .new(),
                accounts: [],
                isChosen: false,
                categories: isFiltered ? [.new()] : []
            ),
            period: ReportPeriod(someDay, someDay),
            currency: .eur
        )
        if isFiltered { (filter.direction, filter.least, filter.most) = (.outgoing, 1, 9) }
        for (key, index) in [
            (CountedKey.payee, "money_transaction_account_idx"),
            (.place, "money_transaction_located_account_idx"),
            (.nothing, "money_transaction_account_idx"),
        ] {
            let sql = CountedStatements.sums(filter, by: key).sql
            statements += [(sql, index), (sql, "Index Scan using transaction_line_")]
        }
    }
    return statements
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
    insert into ledger.standing_order
        (id, user_id, from_account, to_account, is_own, currency, to_currency, amount, every, unit,
        anchor, next_number, next_day, is_proved, look_at)
    select md5('o' || n)::uuid, md5('u' || n % 200)::uuid, md5('a' || n % 600)::uuid,
        md5('a' || (n + 1) % 600)::uuid, n % 2 = 0, 'EUR', 'EUR', n, 1, 'day', '2024-01-01', 1,
        '2024-01-02', n % 3 = 0, now() + n * interval '1 hour'
    from generate_series(1, 4000) n;
    insert into ledger.standing_order_execution (order_id, day, number, state, transfer_id)
    select md5('o' || n % 4000 + 1)::uuid, date '2024-01-01' + n / 4000, n / 4000, 'paid',
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
    insert into ledger.receivable_posting
    select md5('u' || n % 200)::uuid, md5('x' || n)::uuid, n % 2 = 0, md5('t' || n)::uuid, 1
    from generate_series(1, 20000) n;
    analyze ledger.receivable_posting;
    insert into ledger.budget_touched (user_id, category_id, day)
    select md5('u' || n % 200)::uuid, md5('c' || n)::uuid, '2024-01-01'
    from generate_series(0, 1999) n;
    analyze ledger.budget_allocation, ledger.budget_spending, ledger.budget_touched;
    insert into ledger.household (family_id, currency)
    select md5('h' || n)::uuid, 'EUR' from generate_series(0, 999) n;
    insert into ledger.household_parent (user_id, family_id, joined_at)
    select md5('u' || n % 200)::uuid, md5('h' || n)::uuid, now() from generate_series(0, 999) n;
    insert into ledger.household_envelope (id, family_id, name, name_folded, color)
    select md5('he' || n)::uuid, md5('h' || n % 1000)::uuid, n::text, n::text, 0
    from generate_series(0, 4999) n;
    insert into ledger.household_category (user_id, category_id, month, family_id, envelope_id)
    select md5('u' || n % 200)::uuid, md5('c' || n % 2000)::uuid,
        date '2024-01-01' + make_interval(months => n / 2000), md5('h' || n % 1000)::uuid,
        md5('he' || n % 1000)::uuid
    from generate_series(0, 9999) n;
    insert into ledger.household_allocation (envelope_id, month, amount)
    select md5('he' || n % 5000)::uuid, date '2024-01-01' + make_interval(months => n / 5000), n
    from generate_series(0, 19999) n;
    insert into ledger.household_former_spending (envelope_id, month, day, currency, amount)
    select md5('he' || n % 5000)::uuid, '2024-01-01', '2024-01-01', 'EUR', n
    from generate_series(0, 9999) n;
    insert into ledger.household_alert (envelope_id, month)
    select md5('he' || n)::uuid, '2024-01-01' from generate_series(0, 1999) n;
    insert into ledger.household_touched (family_id, day)
    select md5('h' || n % 1000)::uuid, '2024-01-01' from generate_series(0, 1999) n;
    analyze ledger.household, ledger.household_parent, ledger.household_envelope,
        ledger.household_category, ledger.household_allocation,
        ledger.household_former_spending, ledger.household_alert, ledger.household_touched;
    insert into ledger.report_closing
    select md5('a' || n)::uuid, md5('u' || n % 200)::uuid, '2024-01-01', '3'
    from generate_series(0, 599) n;
    insert into ledger.report_day
    select md5('a' || n % 600)::uuid, date '2023-01-01' + n / 600, n
    from generate_series(0, 19999) n;
    insert into ledger.report_month
    select md5('a' || n % 600)::uuid, n % 2 = 0,
        date '2023-01-01' + make_interval(months => n / 6000), n % 3 = 0, 'a name', null, null,
        null, n, 1, 1
    from generate_series(0, 19999) n;
    analyze ledger.report_closing, ledger.report_day, ledger.report_month;
    analyze ledger.exchange_rate, ledger.recurrence, ledger.recurrence_occurrence,
        ledger.standing_order, ledger.standing_order_execution;
    """
