import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of people; each statement names the index that serves it.
enum UserStatements {
    /// The unique constraints tell by name what is taken.
    static let insert = Statement<Void>(
        """
        insert into auth.user_account (
            id, email, email_folded, username, username_folded, username_skeleton,
            password_hash, first_name, last_name, date_of_birth, phone, area, currency, language,
            time_zone, roles, username_folded_skeleton)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        """
    )

    /// An e-mail wins over a username.
    static let credentialByIdentifier = Statement(
        by: "user_account_email_, user_account_username_",
        """
        select id, username, email, email_verified_at is not null, password_hash, roles,
            generation, enabled, phone, language
        from auth.user_account
        where email_folded = $1 or username_folded = $2
        order by email_folded = $1 desc
        limit 1
        """
    ) { row in try credential(row) }

    static let credentialByID = Statement(
        by: "user_account_pkey",
        """
        select id, username, email, email_verified_at is not null, password_hash, roles,
            generation, enabled, phone, language
        from auth.user_account
        where id = $1
        limit 1
        """
    ) { row in try credential(row) }

    private static func credential(_ row: borrowing PostgresRow) throws -> Credential {
        try Credential(
            user: row.value(0),
            username: row.string(1),
            email: row.string(2),
            emailIsVerified: row.bool(3),
            passwordHash: row.value(4),
            roles: row.value(5),
            generation: row.int32(6),
            isEnabled: row.bool(7),
            phone: row.value(8),
            language: row.string(9)
        )
    }

    static let profile = Statement(
        by: "user_account_pkey",
        """
        select u.id, u.email, u.email_verified_at is not null, u.username, u.first_name,
            u.last_name, u.date_of_birth, u.phone, u.area, u.currency, u.language, u.time_zone,
            u.theme, u.date_format, u.month_start, u.roles, u.enabled, u.version, u.created_at,
            e.value, p.value
        from auth.user_account u
        left join auth.pending_change e on e.user_id = u.id and e.field = 'email'
        left join auth.pending_change p on p.user_id = u.id and p.field = 'phone'
        where u.id = $1
        limit 1
        """
    ) { row in try profile(row) }

    static let profileByUsername = Statement(
        by: "user_account_username_",
        """
        select u.id, u.email, u.email_verified_at is not null, u.username, u.first_name,
            u.last_name, u.date_of_birth, u.phone, u.area, u.currency, u.language, u.time_zone,
            u.theme, u.date_format, u.month_start, u.roles, u.enabled, u.version, u.created_at,
            e.value, p.value
        from auth.user_account u
        left join auth.pending_change e on e.user_id = u.id and e.field = 'email'
        left join auth.pending_change p on p.user_id = u.id and p.field = 'phone'
        where u.username_folded = $1 and u.enabled
        limit 1
        """
    ) { row in try profile(row) }

    static let profileByEmail = Statement(
        by: "user_account_email_",
        """
        select u.id, u.email, u.email_verified_at is not null, u.username, u.first_name,
            u.last_name, u.date_of_birth, u.phone, u.area, u.currency, u.language, u.time_zone,
            u.theme, u.date_format, u.month_start, u.roles, u.enabled, u.version, u.created_at,
            e.value, p.value
        from auth.user_account u
        left join auth.pending_change e on e.user_id = u.id and e.field = 'email'
        left join auth.pending_change p on p.user_id = u.id and p.field = 'phone'
        where u.email_folded = $1 and u.enabled
        limit 1
        """
    ) { row in try profile(row) }

    static func profile(_ row: borrowing PostgresRow) throws -> Profile {
        try Profile(
            id: row.value(0),
            email: row.string(1),
            emailIsVerified: row.bool(2),
            username: row.string(3),
            firstName: row.value(4),
            lastName: row.value(5),
            dateOfBirth: row.value(6),
            phone: row.value(7),
            area: row.value(8),
            currency: row.value(9),
            language: row.string(10),
            timeZone: row.string(11),
            theme: Theme(rawValue: row.string(12)) ?? .system,
            dateFormat: (row.value(13) as String?).flatMap { DateFormat(rawValue: $0) },
            monthStart: Int(row.int16(14)),
            roles: row.value(15),
            isEnabled: row.bool(16),
            version: row.int32(17),
            createdAt: row.value(18),
            pendingEmail: row.value(19),
            pendingPhone: row.value(20)
        )
    }
}
