import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of passkeys; each statement names the index that serves it.
enum PasskeyStatements {
    // MARK: Ceremonies

    static let insertCeremony = Statement<Void>(
        """
        insert into auth.passkey_ceremony (id, kind, user_id, challenge_hash, expires_at)
        values ($1, $2, $3, $4, $5)
        """
    )

    /// An answer is counted, in a statement of its own, before it is looked at, so that any number
    /// at once are that many.
    static let countAttempt = Statement(
        by: "passkey_ceremony_pkey",
        """
        update auth.passkey_ceremony
        set attempts = least(attempts + 1, 1000)
        where id = $1 and kind = $2
        returning id, user_id, challenge_hash, attempts, expires_at <= now(), used_at is not null
        """
    ) { row in
        try PasskeyCeremonyRow(
            id: row.value(0),
            user: row.value(1),
            challengeHash: row.bytes(2),
            attempts: Int(row.int16(3)),
            isExpired: row.bool(4),
            isUsed: row.bool(5)
        )
    }

    /// Of any number of right answers at once, one consumes it.
    static let consume = Statement(
        by: "passkey_ceremony_pkey",
        """
        update auth.passkey_ceremony
        set used_at = now()
        where id = $1 and used_at is null and expires_at > now()
        returning id
        """
    ) { row in try row.value(0, as: ID<PasskeyCeremony>.self) }

    /// Kept a while, so that an ended one is told apart.
    static let deleteOld = Statement<Void>(
        by: "passkey_ceremony_expires_at_idx",
        """
        delete from auth.passkey_ceremony
        where ctid = any(array(
            select ctid
            from auth.passkey_ceremony
            where expires_at < now() - interval '1 hour'
            limit 5000))
        """
    )

    // MARK: Passkeys

    /// Passkey_credential_id_key tells that it is taken.
    static let insert = Statement<Void>(
        """
        insert into auth.passkey (
            id, user_id, credential_id, public_key, algorithm, sign_count, aaguid, transports,
            backup_eligible, backed_up, name)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        """
    )

    static let byCredential = Statement(
        by: "passkey_credential_id_key",
        """
        select id, user_id, credential_id, public_key, sign_count, backup_eligible
        from auth.passkey
        where credential_id = $1
        limit 1
        """
    ) { row in
        try StoredPasskey(
            id: row.value(0),
            user: row.value(1),
            credentialID: row.bytes(2),
            publicKey: row.bytes(3),
            signCount: UInt32(truncatingIfNeeded: row.int64(4)),
            isBackupEligible: row.bool(5)
        )
    }

    /// Of two assertions with one count the second is a regression, however close.
    static let use = Statement(
        by: "passkey_pkey",
        """
        update auth.passkey
        set sign_count = $2, backed_up = $3, last_used_at = now()
        where id = $1 and (sign_count < $2 or (sign_count = 0 and $2 = 0))
        returning id
        """
    ) { row in try row.value(0, as: ID<Passkey>.self) }

    static let list = Statement(
        by: "passkey_user_id_idx",
        """
        select id, name, created_at, last_used_at, backed_up, transports, credential_id
        from auth.passkey
        where user_id = $1
        order by id desc
        limit 50
        """
    ) { row in try listed(row) }

    /// Who has a name.
    static let byIdentifier = Statement(
        by: "user_account_email_, user_account_username_",
        """
        select id
        from auth.user_account
        where email_folded = $1 or username_folded = $2
        order by email_folded = $1 desc
        limit 1
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// Whoever signed in on a device, unless its tokens have been voided since.
    static let deviceUser = Statement(
        by: "user_account_pkey",
        """
        select username
        from auth.user_account
        where id = $1 and enabled and (devices_valid_from is null or devices_valid_from <= $2)
        limit 1
        """
    ) { row in try row.string(0) }

    static let count = Statement(
        by: "passkey_user_id_idx",
        "select count(*) from auth.passkey where user_id = $1"
    ) { row in try row.int64(0) }

    /// Whether anything is left to sign in with.
    static let canSignIn = Statement(
        "select auth.can_sign_in($1)"
    ) { row in try row.bool(0) }

    static let delete = Statement(
        by: "passkey_",
        """
        delete from auth.passkey
        where id = $1 and user_id = $2
        returning id
        """
    ) { row in try row.value(0, as: ID<Passkey>.self) }

    /// Voids the tokens of all devices.
    static let forgetDevices = Statement<Void>(
        by: "user_account_pkey",
        "update auth.user_account set devices_valid_from = clock_timestamp() where id = $1"
    )

    private static func listed(_ row: borrowing PostgresRow) throws -> ListedPasskey {
        try ListedPasskey(
            id: row.value(0),
            name: row.string(1),
            createdAt: row.value(2),
            lastUsedAt: row.value(3),
            isBackedUp: row.bool(4),
            transports: row.value(5),
            credentialID: row.bytes(6)
        )
    }
}
