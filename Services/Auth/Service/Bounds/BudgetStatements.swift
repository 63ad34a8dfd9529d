import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what bounds the codes that go out.
enum BudgetStatements {
    /// Takes one of each budget ($1, sorted) that has one left ($2), in the hour that began with
    /// its first.
    ///
    /// In order of the subjects, so that no two wait for each other; the caller rolls back where
    /// fewer come back than were asked for.
    static let take = Statement(
        by: "code_budget_pkey",
        """
        insert into auth.code_budget as b (subject, sent, began_at)
        select wanted.subject, 1, now()
        from unnest($1::text[], $2::integer[]) as wanted (subject, most)
        where wanted.most > 0
        order by wanted.subject
        on conflict (subject) do update
        set sent = case when b.began_at <= now() - interval '1 hour' then 1 else b.sent + 1 end,
            began_at = case
                when b.began_at <= now() - interval '1 hour' then now() else b.began_at end
        where b.began_at <= now() - interval '1 hour' or b.sent < (
            select l.most
            from unnest($1::text[], $2::integer[]) as l (subject, most)
            where l.subject = b.subject)
        returning subject
        """
    ) { row in try row.string(0) }

    /// When the last of the full ones has a code again.
    ///
    /// Of the sum, for `max` of a column may walk that column's index: past everybody's budgets.
    static let refill = Statement(
        by: "code_budget_pkey",
        """
        select max(began_at + interval '1 hour')
        from auth.code_budget
        where subject = any($1)
        """
    ) { row in try row.value(0, as: Instant?.self) }

    static let deleteOld = Statement<Void>(
        by: "code_budget_began_at_idx",
        """
        delete from auth.code_budget
        where ctid = any(array(
            select ctid
            from auth.code_budget
            where began_at < now() - interval '1 day'
            limit 5000))
        """
    )
}
