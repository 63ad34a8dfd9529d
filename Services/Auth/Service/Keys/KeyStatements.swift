import Postgres
import ServiceKit
import WalletProtocol

/// A signing key as the database keeps it: sealed.
struct SealedKey: Sendable {
    let id: String
    let sealedPrivateKey: [UInt8]
    let useFrom: Instant
}

/// A signing key as an operator sees it.
struct ListedKey: Sendable {
    let id: String
    let createdAt: Instant
    let useFrom: Instant
    let retiredAt: Instant?
    let revokedAt: Instant?
}

/// The SQL of signing keys: a table of a few rows.
enum KeyStatements {
    /// Held to the end of the transaction: of replicas that start or rotate at once, one does it.
    static let lock = Statement(
        "select pg_advisory_xact_lock(hashtext('auth.signing_key'))::text"
    ) { row in try row.string(0) }

    /// Read at start, every ten seconds, and when the one in use has been revoked.
    static let live = Statement(
        """
        select key_id, sealed_private_key, use_from
        from auth.signing_key
        where retired_at is null
        order by use_from desc, key_id
        limit 16
        """
    ) { row in
        try SealedKey(
            id: row.string(0),
            sealedPrivateKey: row.bytes(1),
            useFrom: row.value(2)
        )
    }

    /// Newest first; what was retired years ago is of interest to nobody.
    static let list = Statement(
        """
        select key_id, created_at, use_from, retired_at, revoked_at
        from auth.signing_key
        order by use_from desc, key_id
        limit 100
        """
    ) { row in
        try ListedKey(
            id: row.string(0),
            createdAt: row.value(1),
            useFrom: row.value(2),
            retiredAt: row.value(3),
            revokedAt: row.value(4)
        )
    }

    static let insert = Statement<Void>(
        """
        insert into auth.signing_key (key_id, sealed_private_key, public_jwk, use_from)
        values ($1, $2, $3, $4)
        """
    )

    /// Retires each key whose successor has been in use for longer than any token lives ($1).
    static let retireSuperseded = Statement(
        """
        update auth.signing_key old
        set retired_at = now()
        where old.retired_at is null and exists (
            select
            from auth.signing_key younger
            where younger.retired_at is null and younger.use_from > old.use_from
                and younger.use_from < now() - make_interval(secs => $1))
        returning old.key_id
        """
    ) { row in try row.string(0) }

    static let revoke = Statement(
        by: "signing_key_pkey",
        """
        update auth.signing_key
        set revoked_at = now(), retired_at = coalesce(retired_at, now())
        where key_id = $1 and revoked_at is null
        returning key_id
        """
    ) { row in try row.string(0) }

    /// Unless it was sealed by somebody else meanwhile.
    static let sealAnew = Statement<Void>(
        by: "signing_key_pkey",
        """
        update auth.signing_key
        set sealed_private_key = $3
        where key_id = $1 and sealed_private_key = $2
        """
    )

    /// A key that was published for later is needed now.
    static let useNow = Statement<Void>(
        by: "signing_key_pkey",
        "update auth.signing_key set use_from = now() where key_id = $1"
    )
}
