import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of passkeys; each statement names the index that serves it.
enum PasskeyStatements {
    // MARK: Ceremonies

    /// By passkey_ceremony_pkey.
    static let insertCeremony = Statement<Void>(
        """
        insert into auth.passkey_ceremony (id, kind, user_id, challenge_hash, expires_at)
        values ($1, $2, $3, $4, $5)
        """
    )

    /// passkey_ceremony_pkey: an answer is counted, in a statement of its own, before it is looked
    /// at, so that any number at once are that many.
    static let countAttempt = Statement(
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

    /// passkey_ceremony_pkey: of any number of right answers at once, one consumes it.
    static let consume = Statement(
        """
        update auth.passkey_ceremony
        set used_at = now()
        where id = $1 and used_at is null and expires_at > now()
        returning id
        """
    ) { row in try row.value(0, as: ID<PasskeyCeremony>.self) }

    /// By passkey_ceremony_expires_at_idx: kept a while, so that an ended one is told apart.
    static let deleteOld = Statement<Void>(
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

    /// passkey_pkey; passkey_credential_id_key tells that it is taken.
    static let insert = Statement<Void>(
        """
        insert into auth.passkey (
            id, user_id, credential_id, public_key, algorithm, sign_count, aaguid, transports,
            backup_eligible, backed_up, name)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        """
    )

    /// By passkey_credential_id_key.
    static let byCredential = Statement(
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

    /// passkey_pkey: of two assertions with one count the second is a regression, however close.
    static let use = Statement(
        """
        update auth.passkey
        set sign_count = $2, backed_up = $3, last_used_at = now()
        where id = $1 and (sign_count < $2 or (sign_count = 0 and $2 = 0))
        returning id
        """
    ) { row in try row.value(0, as: ID<Passkey>.self) }

    /// By passkey_user_id_idx.
    static let list = Statement(
        """
        select id, name, created_at, last_used_at, backed_up, transports, credential_id
        from auth.passkey
        where user_id = $1
        order by id desc
        limit 50
        """
    ) { row in try listed(row) }

    /// user_account_email_key, user_account_username_key: who has a name.
    static let byIdentifier = Statement(
        """
        select id
        from auth.user_account
        where email_folded = $1 or username_folded = $2
        order by email_folded = $1 desc
        limit 1
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// user_account_pkey: whoever signed in on a device, unless its tokens have been voided since.
    static let deviceUser = Statement(
        """
        select username
        from auth.user_account
        where id = $1 and enabled and (devices_valid_from is null or devices_valid_from <= $2)
        limit 1
        """
    ) { row in try row.string(0) }

    /// By passkey_user_id_idx.
    static let count = Statement(
        "select count(*) from auth.passkey where user_id = $1"
    ) { row in try row.int64(0) }

    /// user_account_pkey, passkey_user_id_idx, identity_user_id_idx: whether anything is left to
    /// sign in with.
    static let canSignIn = Statement("select auth.can_sign_in($1)") { row in try row.bool(0) }

    /// By passkey_pkey.
    static let delete = Statement(
        """
        delete from auth.passkey
        where id = $1 and user_id = $2
        returning id
        """
    ) { row in try row.value(0, as: ID<Passkey>.self) }

    /// user_account_pkey: voids the tokens of all devices.
    static let forgetDevices = Statement<Void>(
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
