import Postgres
import ServiceKit
import WalletProtocol

/// What the ledger is still to be told of a family's budget.
struct HouseholdTask: Sendable, Hashable {
    let number: Int64
    let family: ID<Family>
    /// Who is a parent no more; nil where the family has ended.
    let user: ID<User>?
    /// When the membership that has ended had begun.
    let joinedAt: Instant?
}

/// The SQL of what the ledger is told of families' budgets; each statement names its index.
enum HouseholdStatements {
    /// Whether one is a parent in the family in which another is a child.
    static let isParent = Statement(
        by: "family_member_user_key",
        """
        select exists (
            select
            from groups.family_member parent
            join groups.family_member child on child.family_id = parent.family_id
            where parent.user_id = $1 and parent.role = 'parent'
                and child.user_id = $2 and child.role = 'child')
        """
    ) { row in try row.bool(0) }

    /// The family of somebody, for the ledger.
    static let place = Statement(
        by: "family_member_user_key, family_pkey",
        """
        select f.id, f.currency, m.role, m.joined_at
        from groups.family_member m
        join groups.family f on f.id = m.family_id
        where m.user_id = $1
        limit 1
        """
    ) { row in
        try FamilyPlace(
            familyID: row.value(0),
            currency: row.value(1),
            role: row.word(2),
            joinedAt: row.value(3)
        )
    }

    /// Before the membership is deleted; nothing where somebody is in it as a child.
    static let noteLeaving = Statement<Void>(
        by: "family_member_",
        """
        insert into groups.household_task (family_id, user_id, joined_at)
        select family_id, user_id, joined_at from groups.family_member
        where family_id = $1 and user_id = $2 and role = 'parent'
        """
    )

    static let noteEnd = Statement<Void>(
        "insert into groups.household_task (family_id) values ($1)"
    )

    /// Oldest first.
    static let tasks = Statement(
        by: "household_task_pkey",
        """
        select number, family_id, user_id, joined_at
        from groups.household_task
        where number > $1
        order by number
        limit 100
        """
    ) { row in
        try HouseholdTask(
            number: row.int64(0),
            family: row.value(1),
            user: row.value(2),
            joinedAt: row.value(3)
        )
    }

    static let deleteTask = Statement<Void>(
        by: "household_task_pkey",
        "delete from groups.household_task where number = $1"
    )

    static let deleteTasks = Statement<Void>(
        by: "household_task_user_idx",
        "delete from groups.household_task where user_id = $1"
    )
}
