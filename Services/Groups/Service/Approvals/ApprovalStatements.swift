import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what children ask for; each statement names the index that serves it.
enum ApprovalStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.approval (
            id, family_id, child_id, amount, currency, name, category_id, category_name,
            description, day)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """
    )

    /// How many of a child's are pending, and how many were asked for within a day.
    static let counts = Statement(
        by: "approval_",
        """
        select (
            select count(*) from groups.approval
            where family_id = $1 and child_id = $2 and state = 'pending' and expires_at > now()
        ), (
            select count(*) from groups.approval
            where family_id = $1 and child_id = $2 and created_at > now() - interval '1 day'
        )
        """
    ) { row in (pending: try row.int64(0), today: try row.int64(1)) }

    /// Nobody sees one as pending that can be decided no more.
    private static let columns: StaticString = """
        select id, child_id, amount, currency, name, category_id, category_name, description, day,
            case when state = 'pending' and expires_at <= now() then 'expired' else state end,
            created_at, expires_at, decided_by, decided_at, reason, transaction_id, refusal,
            key_id, request_hash
        from groups.approval
        """

    /// By approval_pkey or approval_family_idx.
    static func find(_ id: ID<Approval>, in family: ID<Family>) -> BoundStatement<ApprovalRow> {
        var builder = StatementBuilder(columns)
        builder.append(" where id = $1 and family_id = $2 limit 1", id, family)
        return builder.statement { row in try approval(row) }
    }

    /// Newest first: by approval_family_idx or, of one child, approval_child_idx.
    static func list(
        of child: ID<User>?,
        in family: ID<Family>,
        before id: ID<Approval>,
        limit: Int
    ) -> BoundStatement<ApprovalRow> {
        var builder = StatementBuilder(columns)
        builder.append(" where family_id = $1 and id < $2", family, id)
        if let child { builder.append(" and child_id = $1", child) }
        builder.append(" order by id desc limit $1", limit)
        return builder.statement { row in try approval(row) }
    }

    private static func approval(_ row: borrowing PostgresRow) throws -> ApprovalRow {
        try ApprovalRow(view: view(row), keyID: row.value(17), requestHash: row.value(18))
    }

    private static func view(_ row: borrowing PostgresRow) throws -> ApprovalView {
        var view = try ApprovalView(
            id: row.value(0),
            childID: row.value(1),
            asked: NewApproval(
                amount: Money(minorUnits: row.int64(2), row.value(3)),
                name: row.string(4),
                categoryID: row.value(5),
                description: row.value(7),
                date: row.value(8)
            ),
            categoryName: row.value(6),
            state: row.word(9),
            createdAt: row.value(10),
            expiresAt: row.value(11)
        )
        view.decidedBy = try row.value(12)
        view.decidedAt = try row.value(13)
        view.reason = try row.value(14)
        view.transactionID = try row.value(15)
        view.refusal = try row.value(16)
        return view
    }
}

extension ApprovalStatements {
    /// The first one decides, in time.
    static let decide = Statement<Void>(
        by: "approval_",
        """
        update groups.approval
        set state = $2, decided_by = $3, decided_at = now(), reason = $4, key_id = $5,
            request_hash = $6,
            look_at = case $2 when 'approved' then now() + interval '30 seconds' end
        where id = $1 and state = 'pending' and expires_at > now()
        """
    )

    static let withdraw = Statement<Void>(
        by: "approval_",
        """
        update groups.approval
        set state = 'withdrawn'
        where id = $1 and state = 'pending' and expires_at > now()
        """
    )

    static let expire = Statement<Void>(
        by: "approval_",
        """
        update groups.approval
        set state = 'expired'
        where id = $1 and state = 'pending' and expires_at <= now()
        """
    )

    /// What the ledger has made of it.
    static let finish = Statement<Void>(
        by: "approval_",
        """
        update groups.approval
        set state = $2, transaction_id = $3, refusal = $4, look_at = null
        where id = $1 and state = 'approved'
        """
    )

    static let putOff = Statement<Void>(
        by: "approval_",
        """
        update groups.approval
        set look_at = now() + interval '1 minute'
        where id = $1 and state = 'approved'
        """
    )

    static let approved = Statement(
        by: "approval_",
        """
        select id, family_id, child_id, amount, currency, name, category_id, description, day
        from groups.approval
        where id = $1 and state = 'approved'
        limit 1
        """
    ) { row in
        try ApprovedRow(
            id: row.value(0),
            purchase: ApprovedPurchase(
                familyID: row.value(1),
                childID: row.value(2),
                amount: Money(minorUnits: row.int64(3), row.value(4)),
                name: row.string(5),
                categoryID: row.value(6),
                description: row.value(7),
                date: row.value(8)
            )
        )
    }

    /// Those that nobody waits for any more, oldest first.
    static let left = Statement(
        by: "approval_approved_idx",
        """
        select id from groups.approval
        where state = 'approved' and look_at < now()
        order by look_at
        limit 100
        """
    ) { row in try row.value(0, as: ID<Approval>.self) }

    static let late = Statement(
        by: "approval_pending_idx",
        """
        select id, family_id from groups.approval
        where state = 'pending' and expires_at <= now()
        order by expires_at
        limit 100
        """
    ) { row in
        (id: try row.value(0, as: ID<Approval>.self), family: try row.value(1, as: ID<Family>.self))
    }

    static let deleteOld = Statement<Void>(
        by: "approval_old_idx, approval_pkey",
        """
        delete from groups.approval
        where id = any (array(
            select id
            from groups.approval
            where state not in ('pending', 'approved') and created_at < now() - interval '90 days'
            order by created_at
            limit 500
            for update skip locked))
        """
    )
}
