import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of people; each statement names the index that serves it.
enum UserStatements {
    /// user_account_pkey; the unique constraints tell by name what is taken.
    static let insert = Statement<Void>(
        """
        insert into auth.user_account (
            id, email, email_folded, username, username_folded, password_hash, first_name,
            last_name, date_of_birth, phone, area, currency, language, time_zone, roles)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
        """
    )

    /// user_account_email_key, user_account_username_key: an e-mail wins over a username.
    static let credentialByIdentifier = Statement(
        """
        select id, username, email, email_verified_at is not null, password_hash, roles,
            generation, enabled, phone, language
        from auth.user_account
        where email_folded = $1 or username_folded = $2
        order by email_folded = $1 desc
        limit 1
        """
    ) { row in try credential(row) }

    /// By user_account_pkey.
    static let credentialByID = Statement(
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

    /// By user_account_pkey.
    static let profile = Statement(
        """
        select id, email, email_verified_at is not null, username, first_name, last_name,
            date_of_birth, phone, area, currency, language, time_zone, theme, date_format,
            month_start, roles, enabled, version, created_at
        from auth.user_account
        where id = $1
        limit 1
        """
    ) { row in try profile(row) }

    /// By user_account_username_key.
    static let profileByUsername = Statement(
        """
        select id, email, email_verified_at is not null, username, first_name, last_name,
            date_of_birth, phone, area, currency, language, time_zone, theme, date_format,
            month_start, roles, enabled, version, created_at
        from auth.user_account
        where username_folded = $1 and enabled
        limit 1
        """
    ) { row in try profile(row) }

    /// By user_account_email_key.
    static let profileByEmail = Statement(
        """
        select id, email, email_verified_at is not null, username, first_name, last_name,
            date_of_birth, phone, area, currency, language, time_zone, theme, date_format,
            month_start, roles, enabled, version, created_at
        from auth.user_account
        where email_folded = $1 and enabled
        limit 1
        """
    ) { row in try profile(row) }

    private static func profile(_ row: borrowing PostgresRow) throws -> Profile {
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
            theme: row.string(12),
            dateFormat: row.value(13),
            monthStart: row.int16(14),
            roles: row.value(15),
            isEnabled: row.bool(16),
            version: row.int32(17),
            createdAt: row.value(18)
        )
    }

    /// By email_verification_pkey.
    static let insertVerification = Statement<Void>(
        """
        insert into auth.email_verification (token_hash, user_id, email, expires_at)
        values ($1, $2, $3, $4)
        """
    )

    /// email_verification_pkey; a link works once, and only for the address that it was mailed to.
    static let useVerification = Statement(
        """
        update auth.email_verification v
        set used_at = now()
        from auth.user_account u
        where v.token_hash = $1 and v.used_at is null and v.expires_at > now()
            and u.id = v.user_id and u.email = v.email
        returning v.user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// email_verification_pkey: the same link again, told apart from one that never was.
    static let verificationExists = Statement(
        """
        select used_at is not null
        from auth.email_verification
        where token_hash = $1
        limit 1
        """
    ) { row in try row.bool(0) }

    /// By email_verification_expires_at_idx: kept a while, so that an ended link is told apart.
    static let deleteOldVerifications = Statement<Void>(
        "delete from auth.email_verification where expires_at < now() - interval '30 days'"
    )

    /// By user_account_pkey.
    static let markVerified = Statement<Void>(
        """
        update auth.user_account
        set email_verified_at = coalesce(email_verified_at, now()), version = version + 1
        where id = $1
        """
    )
}
