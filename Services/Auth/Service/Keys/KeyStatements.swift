import Postgres
import ServiceKit
import WalletProtocol

/// A signing key as the database keeps it: sealed.
struct SealedKey: Sendable {
    let id: String
    let sealedPrivateKey: [UInt8]
    let publicKey: String
    let useFrom: Instant
}

/// The SQL of signing keys.
enum KeyStatements {
    /// Held to the end of the transaction: of replicas that start at once, one makes the first key.
    static let lock = Statement(
        "select pg_advisory_xact_lock(hashtext('auth.signing_key'))::text"
    ) { row in try row.string(0) }

    /// A table of a few rows, read at start and once a minute.
    static let live = Statement(
        """
        select key_id, sealed_private_key, public_jwk::text, use_from
        from auth.signing_key
        where retired_at is null
        order by use_from desc
        limit 16
        """
    ) { row in
        try SealedKey(
            id: row.string(0),
            sealedPrivateKey: row.bytes(1),
            publicKey: row.string(2),
            useFrom: row.value(3)
        )
    }

    static let insert = Statement<Void>(
        """
        insert into auth.signing_key (key_id, sealed_private_key, public_jwk, use_from)
        values ($1, $2, $3, $4)
        """
    )
}
