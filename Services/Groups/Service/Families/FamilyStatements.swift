import Postgres
import ServiceKit
import WalletProtocol

/// A family as its row has it, and what somebody is in it.
struct FamilyRow: Sendable, Hashable {
    let id: ID<Family>
    let name: String
    let currency: Currency
    let role: FamilyRole
    let createdAt: Instant
}

/// Somebody in a family.
struct FamilyMemberRow: Sendable, Hashable {
    let user: ID<User>
    let name: String
    let role: FamilyRole
    let joinedAt: Instant
    let agreedBy: [ID<User>]

    func view(for other: ID<User>) -> FamilyMemberView {
        FamilyMemberView(
            userID: user,
            displayName: name,
            role: role,
            isMe: user == other,
            joinedAt: joinedAt,
            agreedBy: agreedBy
        )
    }
}

/// What the ledger is still to be told of a child's account.
struct AllowanceTask: Sendable, Hashable {
    /// What is to become of it.
    enum Action: String, StringEnum {
        /// It is made.
        case open
        /// It is a wallet of the child's.
        case release
    }
    /// Of two of one child the later one has the higher.
    let number: Int64
    let family: ID<Family>
    let child: ID<User>
    let action: Action
    let currency: Currency
}

/// The SQL of families; each statement names the index that serves it.
enum FamilyStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.family (id, name, currency)
        values ($1, $2, $3)
        """
    )

    static let insertMember = Statement<Void>(
        "insert into groups.family_member (family_id, user_id, role) values ($1, $2, $3)"
    )

    static let ofUser = Statement(
        by: "family_member_user_key, family_pkey",
        """
        select f.id, f.name, f.currency, m.role, f.created_at
        from groups.family_member m
        join groups.family f on f.id = m.family_id
        where m.user_id = $1
        limit 1
        """
    ) { row in
        try FamilyRow(
            id: row.value(0),
            name: row.string(1),
            currency: row.value(2),
            role: row.word(3),
            createdAt: row.value(4)
        )
    }

    static let lock = Statement(
        by: "family_pkey",
        """
        select currency
        from groups.family
        where id = $1
        limit 1
        for no key update
        """
    ) { row in try row.value(0, as: Currency.self) }

    /// In the order of joining.
    static let members = Statement(
        by: "family_member_pkey, person_pkey, family_role_consent_",
        """
        select m.user_id, coalesce(p.display_name, '–'), m.role, m.joined_at, array(
            select agreed.parent_id from groups.family_role_consent agreed
            where agreed.family_id = m.family_id and agreed.user_id = m.user_id
            order by agreed.parent_id
            limit 100)
        from groups.family_member m
        left join groups.person p on p.user_id = m.user_id
        where m.family_id = $1
        order by m.joined_at, m.user_id
        limit 100
        """
    ) { row in
        try FamilyMemberRow(
            user: row.value(0),
            name: row.string(1),
            role: row.word(2),
            joinedAt: row.value(3),
            agreedBy: row.value(4)
        )
    }

    static let rename = Statement<Void>(
        by: "family_pkey",
        "update groups.family set name = $2 where id = $1"
    )

    /// A parent agrees to a member's other role.
    static let agree = Statement<Void>(
        by: "family_role_consent_pkey",
        """
        insert into groups.family_role_consent (family_id, user_id, parent_id)
        values ($1, $2, $3)
        on conflict (family_id, user_id, parent_id) do nothing
        """
    )

    /// Nobody agrees to another role of a member any more.
    static let forgetConsents = Statement<Void>(
        by: "family_role_consent_",
        "delete from groups.family_role_consent where family_id = $1 and user_id = $2"
    )

    /// Those who are in it, and those who are asked.
    static let places = Statement(
        by: "family_member_pkey, invitation_family_email_idx",
        """
        select (
            select count(*) from groups.family_member where family_id = $1
        ) + (
            select count(*) from groups.invitation where family_id = $1 and state = 'open'
        )
        """
    ) { row in try row.int64(0) }

    static let isAsked = Statement(
        by: "invitation_family_email_idx",
        """
        select exists (
            select from groups.invitation
            where family_id = $1 and email_folded = $2 and state = 'open')
        """
    ) { row in try row.bool(0) }

    static let deleteMember = Statement<Void>(
        by: "family_member_",
        "delete from groups.family_member where family_id = $1 and user_id = $2"
    )

    static let delete = Statement<Void>(
        by: "family_pkey",
        "delete from groups.family where id = $1"
    )

    static let insertTask = Statement<Void>(
        """
        insert into groups.allowance_task (family_id, user_id, action, currency)
        values ($1, $2, $3, $4)
        """
    )

    /// Oldest first.
    static let tasks = Statement(
        by: "allowance_task_pkey",
        """
        select number, family_id, user_id, action, currency
        from groups.allowance_task
        where number > $1
        order by number
        limit 100
        """
    ) { row in try task(row) }

    static let tasksOfChild = Statement(
        by: "allowance_task_child_idx",
        """
        select number, family_id, user_id, action, currency
        from groups.allowance_task
        where user_id = $1 and family_id = $2
        order by number
        limit 100
        """
    ) { row in try task(row) }

    static let deleteTask = Statement<Void>(
        by: "allowance_task_pkey",
        "delete from groups.allowance_task where number = $1"
    )

    static let deleteTasksOfChild = Statement<Void>(
        by: "allowance_task_child_idx",
        "delete from groups.allowance_task where user_id = $1"
    )

    /// The first call under a key says what it is for.
    static let notePayment = Statement<Void>(
        by: "allowance_payment_pkey",
        """
        insert into groups.allowance_payment (id, request_hash, order_id)
        values ($1, $2, $3)
        on conflict (id) do nothing
        """
    )

    static let notedPayment = Statement(
        by: "allowance_payment_pkey",
        "select request_hash, order_id from groups.allowance_payment where id = $1 limit 1"
    ) { row in
        (requestHash: try row.bytes(0), order: try row.value(1, as: ID<AllowanceOrder>.self))
    }

    static let deleteOldPayments = Statement<Void>(
        by: "allowance_payment_made_at_idx",
        "delete from groups.allowance_payment where made_at < now() - interval '2 days'"
    )

    private static func task(_ row: borrowing PostgresRow) throws -> AllowanceTask {
        try AllowanceTask(
            number: row.int64(0),
            family: row.value(1),
            child: row.value(2),
            action: row.word(3),
            currency: row.value(4)
        )
    }
}
