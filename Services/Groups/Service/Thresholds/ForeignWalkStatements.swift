import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of walks over a group's expenses; each statement names the index that serves it.
enum ForeignWalkStatements {
    /// What was counted before counts no more: the day, once a group sets its first limit; none,
    /// once it takes the last away.
    static let begin = Statement<Void>(
        by: "foreign_walk_pkey",
        """
        insert into groups.foreign_walk as walk (group_id, written_on)
        values ($1, $2)
        on conflict (group_id) do update
        set number = excluded.number, written_on = excluded.written_on, walked_to = null,
            look_at = excluded.look_at
        """
    )

    static let due = Statement(
        by: "foreign_walk_look_idx",
        """
        select group_id, look_at
        from groups.foreign_walk
        where look_at <= $1
        order by look_at
        limit $2
        """
    ) { row in
        (group: try row.value(0, as: ID<Group>.self), lookAt: try row.value(1, as: Instant.self))
    }

    /// Nothing where another replica was faster, or has ended it.
    static let find = Statement(
        by: "foreign_walk_pkey",
        """
        select number, written_on, walked_to
        from groups.foreign_walk
        where group_id = $1 and look_at <= $2
        limit 1
        """
    ) { row in
        (
            number: try row.int64(0), writtenOn: try row.value(1, as: Day?.self),
            place: try row.value(2, as: ID<Expense>?.self)
        )
    }

    /// The next ones, whatever they are in.
    static let next = Statement(
        by: "expense_pkey",
        """
        select id
        from groups.expense
        where group_id = $1 and id > $2
        order by id
        limit $3
        """
    ) { row in try row.value(0, as: ID<Expense>.self) }

    /// Of limits that are gone.
    static let drop = Statement<Void>(
        by: "foreign_expense_pkey",
        """
        delete from groups.foreign_expense
        where group_id = $1 and expense_id > $2 and expense_id <= $3 and number < $4
        """
    )

    /// What was changed since the walk began is known already.
    static let copy = Statement<Void>(
        by: "expense_",
        """
        insert into groups.foreign_expense (
            group_id, expense_id, amount, currency, day, written_on, number)
        select e.group_id, e.id, e.amount, e.currency, e.day, $5::date, $4
        from groups.expense_group g
        join groups.expense e on e.group_id = g.id and e.currency <> g.currency
        where g.id = $1 and e.id > $2 and e.id <= $3 and e.removed_at is null
        on conflict do nothing
        """
    )

    static let advance = Statement<Void>(
        by: "foreign_walk_pkey",
        "update groups.foreign_walk set walked_to = $2, look_at = $3 where group_id = $1"
    )

    static let delete = Statement<Void>(
        by: "foreign_walk_pkey",
        "delete from groups.foreign_walk where group_id = $1"
    )

    /// Unless somebody has gone on meanwhile.
    static let putOff = Statement<Void>(
        by: "foreign_walk_",
        "update groups.foreign_walk set look_at = $3 where group_id = $1 and look_at = $2"
    )
}
