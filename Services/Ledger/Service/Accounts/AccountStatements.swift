import Postgres
import ServiceKit
import WalletProtocol

/// An account as one who uses it sees it.
struct AccountRow: Sendable {
    let id: ID<Account>
    let kind: AccountKind
    let currency: Currency
    let name: String
    let icon: String?
    let iban: String?
    let amount: Int64
    let held: Int64
    let version: Int32
    let openedAt: Instant
    let closedAt: Instant?
    let role: AccountRole
    /// Whose it is, where it is another's.
    let ownedBy: String?

    var view: AccountView {
        AccountView(
            id: id,
            kind: kind,
            currency: currency,
            name: name,
            icon: icon,
            iban: iban,
            balance: Money(minorUnits: amount, currency),
            available: Money(minorUnits: amount - held, currency),
            createdAt: openedAt,
            closedAt: closedAt,
            role: role,
            ownedBy: ownedBy
        )
    }
}

/// An account as whoever sends money to it sees it.
struct AccountReference: Sendable {
    let id: ID<Account>
    let owner: ID<User>
    let ownerName: String
    let name: String
    let kind: AccountKind
    let currency: Currency
    let isClosed: Bool
    let available: Int64
    let iban: String?
}

/// The SQL of accounts.
enum AccountStatements {
    /// account_name_key, account_iban_key and account_default_key tell by name what is taken.
    static let insert = Statement<Void>(
        """
        insert into ledger.account
            (id, user_id, kind, currency, exponent, name, name_folded, icon, iban, is_default)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """
    )

    /// One's own or a wallet that is shared.
    static let find = Statement(
        by: "account_pkey, balance_pkey, account_member_pkey",
        """
        select account.id, account.kind, account.currency, coalesce(account.name, ''), icon, iban,
            coalesce(amount, 0), coalesce(held, 0), version, opened_at, closed_at,
            case when account.user_id = $1 then 'owner' else member.role end,
            case when account.user_id <> $1 then display_name end
        from ledger.account
        left join ledger.balance on balance.account_id = account.id
        left join ledger.account_member as member
            on member.account_id = account.id and member.user_id = $1 and left_at is null
        left join ledger.person on person.user_id = account.user_id
        where account.id = $2 and account.kind <> 'receivable'
            and (account.user_id = $1 or member.user_id is not null)
        """
    ) { row in try account(row) }

    /// One's own, for other services.
    static let own = Statement(
        by: "account_",
        """
        select kind, currency, iban, state <> 'open'
        from ledger.account
        where user_id = $1 and id = $2 and kind <> 'receivable'
        limit 1
        """
    ) { row in
        try OwnAccount(
            kind: kind(row, 0),
            currency: row.value(1),
            iban: row.value(2),
            isClosed: row.bool(3)
        )
    }

    /// Those of them that one may see.
    static let findAll = Statement(
        by: "account_pkey, account_member_, balance_pkey",
        """
        select account.id, account.kind, account.currency, coalesce(account.name, ''), icon, iban,
            coalesce(amount, 0), coalesce(held, 0), version, opened_at, closed_at,
            case when account.user_id = $1 then 'owner' else member.role end,
            case when account.user_id <> $1 then display_name end
        from ledger.account
        left join ledger.balance on balance.account_id = account.id
        left join ledger.account_member as member
            on member.account_id = account.id and member.user_id = $1 and left_at is null
        left join ledger.person on person.user_id = account.user_id
        where account.id = any ($2) and (account.user_id = $1 or member.user_id is not null)
        """
    ) { row in try account(row) }

    static let listOpen = Statement(
        by: "account_user_id_idx, account_member_user_id_idx",
        """
        select account.id, account.kind, account.currency, coalesce(account.name, ''), icon, iban,
            coalesce(amount, 0), coalesce(held, 0), version, opened_at, closed_at, found.role,
            case when account.user_id <> $1 then display_name end
        from (
            (select id, 'owner' as role from ledger.account
            where user_id = $1 and id > $2 and state <> 'closed' and kind <> 'receivable'
            order by id
            limit $3)
            union all
            (select account_id, role from ledger.account_member as member
            join ledger.account on account.id = member.account_id
            where member.user_id = $1 and account_id > $2 and left_at is null
                and state <> 'closed'
            order by account_id
            limit $3)
        ) as found
        join ledger.account on account.id = found.id
        left join ledger.balance on balance.account_id = account.id
        left join ledger.person on person.user_id = account.user_id
        order by account.id
        limit $3
        """
    ) { row in try account(row) }

    static let listAll = Statement(
        by: "account_user_id_idx, account_member_user_id_idx",
        """
        select account.id, account.kind, account.currency, coalesce(account.name, ''), icon, iban,
            coalesce(amount, 0), coalesce(held, 0), version, opened_at, closed_at, found.role,
            case when account.user_id <> $1 then display_name end
        from (
            (select id, 'owner' as role from ledger.account
            where user_id = $1 and id > $2 and kind <> 'receivable'
            order by id
            limit $3)
            union all
            (select account_id, role from ledger.account_member
            where user_id = $1 and account_id > $2 and left_at is null
            order by account_id
            limit $3)
        ) as found
        join ledger.account on account.id = found.id
        left join ledger.balance on balance.account_id = account.id
        left join ledger.person on person.user_id = account.user_id
        order by account.id
        limit $3
        """
    ) { row in try account(row) }

    private static func account(_ row: borrowing PostgresRow) throws -> AccountRow {
        try AccountRow(
            id: row.value(0),
            kind: kind(row, 1),
            currency: row.value(2),
            name: row.string(3),
            icon: row.value(4),
            iban: row.value(5),
            amount: row.int64(6),
            held: row.int64(7),
            version: row.int32(8),
            openedAt: row.value(9),
            closedAt: row.value(10),
            role: role(row, 11),
            ownedBy: row.value(12)
        )
    }

    private static func role(
        _ row: borrowing PostgresRow,
        _ column: Int
    ) throws -> AccountRole {
        let text = try row.string(column)
        guard let role = AccountRole(rawValue: text) else {
            throw row.problem(column, "\(text) is no role")
        }
        return role
    }

    private static func kind(
        _ row: borrowing PostgresRow,
        _ column: Int
    ) throws -> AccountKind {
        let text = try row.string(column)
        guard let kind = AccountKind(rawValue: text) else {
            throw row.problem(column, "\(text) is no kind of account")
        }
        return kind
    }

    /// The oldest open one.
    static let oldest = Statement(
        by: "account_user_id_idx",
        """
        select id, currency from ledger.account
        where user_id = $1 and state <> 'closed' and kind <> 'receivable'
        order by id limit 1
        """
    ) { row in
        try (id: row.value(0, as: ID<Account>.self), currency: row.value(1, as: Currency.self))
    }

    /// Whom accounts belong to, and whether they may get or give: by id, where an erased person's
    /// has no name, and by IBAN.
    ///
    /// From the moment on that its owner goes, the number is nobody's, though it is taken from the
    /// account only a little later.
    static let named = Statement(
        by: "account_pkey, account_iban_key, erased_user_pkey",
        """
        select account.id, account.user_id, display_name, coalesce(account.name, ''), account.kind,
            account.currency, account.state <> 'open', coalesce(amount - held, 0), iban, false
        from ledger.account
        join ledger.person on person.user_id = account.user_id
        left join ledger.balance on account_id = account.id
        where account.id = any ($1) and account.kind <> 'receivable'
        union all
        select account.id, account.user_id, display_name, coalesce(account.name, ''), account.kind,
            account.currency, account.state <> 'open', coalesce(amount - held, 0), iban, true
        from ledger.account
        join ledger.person on person.user_id = account.user_id
        left join ledger.balance on account_id = account.id
        where iban = any ($2) and not exists (
            select from ledger.erased_user where erased_user.user_id = account.user_id
        )
        """
    ) { row in (reference: try reference(row), isByIBAN: try row.bool(9)) }

    private static func reference(_ row: borrowing PostgresRow) throws -> AccountReference {
        try AccountReference(
            id: row.value(0),
            owner: row.value(1),
            ownerName: row.string(2),
            name: row.string(3),
            kind: kind(row, 4),
            currency: row.value(5),
            isClosed: row.bool(6),
            available: row.int64(7),
            iban: row.value(8)
        )
    }

    /// No table: whoever has names chosen for one person's accounts comes one after another.
    static let lockNames = Statement<Void>(
        "select pg_advisory_xact_lock(hashtextextended($1::text, 4995))"
    )

    /// Every name that a new one may not have.
    static let openNames = Statement(
        by: "account_user_id_idx",
        """
        select name_folded from ledger.account
        where user_id = $1 and state <> 'closed' and name_folded like $2 escape '!'
        """
    ) { row in try row.string(0) }

    static let count = Statement(
        by: "account_user_id_idx",
        "select count(*) from ledger.account where user_id = $1 and kind <> 'receivable'"
    ) { row in try row.int64(0) }

    /// The next number of our bank in their order, and the key to where it really is.
    static let nextNumber = Statement(
        "select nextval('ledger.account_number'), key::text from ledger.account_number_key"
    ) { row in
        (number: UInt64(try row.int64(0)), key: Array(try row.string(1).utf8))
    }

    /// Nothing where the version is another by now.
    static let change = Statement<Void>(
        by: "account_",
        """
        update ledger.account
        set name = $3, name_folded = $4, icon = $5, version = version + 1,
            xid = pg_current_xact_id()
        where id = $2 and user_id = $1 and version = $6 and state <> 'closed'
            and kind <> 'receivable'
        """
    )

    /// The function that closes.
    static let close = Statement("select ledger.close_account_v1($1, $2, $3)") { row in
        try row.string(0)
    }
}
