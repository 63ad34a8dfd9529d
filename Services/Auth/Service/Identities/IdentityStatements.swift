import Postgres
import ServiceKit
import WalletProtocol

/// A sign-in that has come back.
struct SignInAttempt: Sendable {
    let provider: String
    let browserHash: [UInt8]?
    let codeChallenge: String?
    let nonce: String
    let sealedVerifier: [UInt8]
    let redirectURI: String
    let user: ID<User>?
}

/// The SQL of identities and sign-ins; each statement names the index that serves it.
enum IdentityStatements {
    static let insertAttempt = Statement<Void>(
        """
        insert into auth.sign_in_attempt (
            state_hash, browser_hash, code_challenge, provider, nonce, verifier_sealed,
            redirect_uri, user_id, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """
    )

    /// A state is taken once, by the browser that began alone.
    static let takeAttempt = Statement(
        by: "sign_in_attempt_pkey",
        """
        delete from auth.sign_in_attempt
        where state_hash = $1 and provider = $2 and expires_at > now()
            and (browser_hash is null or browser_hash = $3)
        returning provider, browser_hash, code_challenge, nonce, verifier_sealed, redirect_uri,
            user_id
        """
    ) { row in
        try SignInAttempt(
            provider: row.string(0),
            browserHash: row.value(1),
            codeChallenge: row.value(2),
            nonce: row.string(3),
            sealedVerifier: row.bytes(4),
            redirectURI: row.string(5),
            user: row.value(6)
        )
    }

    static let insertCode = Statement<Void>(
        """
        insert into auth.sign_in_code (
            code_hash, kind, browser_hash, code_challenge, provider, issuer, subject, email,
            email_verified, user_id, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        """
    )

    /// A code is good once, for who began.
    static let takeCode = Statement(
        by: "sign_in_code_pkey",
        """
        delete from auth.sign_in_code
        where code_hash = $1 and kind = $2 and expires_at > now()
            and (browser_hash = $3 or code_challenge = $4)
            and (user_id is null or user_id = $5)
        returning provider, issuer, subject, email, email_verified
        """
    ) { row in try identity(row) }

    static let keep = Statement<Void>(
        """
        insert into auth.proved_identity (
            challenge_id, provider, issuer, subject, email, email_verified)
        values ($1, $2, $3, $4, $5, $6)
        """
    )

    /// Of an answered challenge alone, once.
    static let takeKept = Statement(
        by: "proved_identity_pkey",
        """
        delete from auth.proved_identity p
        using auth.challenge c
        where p.challenge_id = $1 and c.id = p.challenge_id and c.used_at is not null
        returning p.provider, p.issuer, p.subject, p.email, p.email_verified
        """
    ) { row in try identity(row) }

    private static func identity(_ row: borrowing PostgresRow) throws -> ExternalIdentity {
        let email: String? = try row.value(3)
        return try ExternalIdentity(
            provider: row.string(0),
            issuer: row.string(1),
            subject: row.string(2),
            email: email.flatMap { EmailAddress($0) },
            emailIsVerified: row.bool(4)
        )
    }

    static let owner = Statement(
        by: "identity_subject_key",
        """
        select user_id
        from auth.identity
        where issuer = $1 and subject = $2
        limit 1
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    static let use = Statement(
        by: "identity_subject_key",
        """
        update auth.identity
        set last_used_at = now(), email = coalesce($3, email)
        where issuer = $1 and subject = $2
        returning user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// An address links only where both sides have verified it.
    ///
    /// Locked, so that the address is still theirs when the identity is written.
    static let ownerOfVerifiedEmail = Statement(
        by: "user_account_email_",
        """
        select id
        from auth.user_account
        where email_folded = $1 and email_verified_at is not null
        limit 1
        for share
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// Who links the same identity at once waits, and finds it taken.
    static let insert = Statement<Void>(
        by: "identity_subject_key",
        """
        insert into auth.identity (id, user_id, provider, issuer, subject, email)
        values ($1, $2, $3, $4, $5, $6)
        on conflict on constraint identity_subject_key do nothing
        """
    )

    static let list = Statement(
        by: "identity_user_id_idx",
        """
        select id, provider, email, created_at, last_used_at
        from auth.identity
        where user_id = $1
        order by created_at, id
        limit 100
        """
    ) { row in try view(row) }

    static let find = Statement(
        by: "identity_subject_key",
        """
        select id, provider, email, created_at, last_used_at
        from auth.identity
        where issuer = $1 and subject = $2 and user_id = $3
        limit 1
        """
    ) { row in try view(row) }

    static let read = Statement(
        by: "identity_pkey",
        """
        select id, provider, email, created_at, last_used_at
        from auth.identity
        where id = $1 and user_id = $2
        limit 1
        """
    ) { row in try view(row) }

    private static func view(_ row: borrowing PostgresRow) throws -> IdentityView {
        try IdentityView(
            id: row.value(0),
            provider: row.string(1),
            email: row.value(2),
            createdAt: row.value(3),
            lastUsedAt: row.value(4)
        )
    }

    static let delete = Statement(
        by: "identity_pkey",
        """
        delete from auth.identity
        where id = $1 and user_id = $2
        returning provider
        """
    ) { row in try row.string(0) }

    static let deleteOldAttempts = Statement<Void>(
        by: "sign_in_attempt_expires_at_idx",
        """
        delete from auth.sign_in_attempt
        where ctid = any(array(
            select ctid
            from auth.sign_in_attempt
            where expires_at < now()
            limit 5000))
        """
    )

    static let deleteOldCodes = Statement<Void>(
        by: "sign_in_code_expires_at_idx",
        """
        delete from auth.sign_in_code
        where ctid = any(array(
            select ctid
            from auth.sign_in_code
            where expires_at < now()
            limit 5000))
        """
    )
}
