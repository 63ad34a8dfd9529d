import Postgres
import ServiceKit
import WalletProtocol

/// A challenge as its answer needs it, after the attempt was counted.
struct OpenChallenge: Sendable {
    let id: ID<Challenge>
    let user: ID<User>?
    let purpose: String
    let channel: String
    let destination: String?
    let codeHMAC: [UInt8]?
    let codesSent: Int16
    let attempts: Int16
    let isExpired: Bool
    let isUsed: Bool
    let language: String
    let session: ID<Session>?
    let methods: [String]
    let mark: [UInt8]?
    /// Whether whoever was to look at the code has ended before it was burnt.
    let isStuck: Bool
}

/// The SQL of one-time codes; each statement names the index that serves it.
enum ChallengeStatements {
    static let insert = Statement<Void>(
        """
        insert into auth.challenge (
            id, user_id, purpose, channel, destination, code_hmac, expires_at, language,
            session_id, methods, credential_mark)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        """
    )

    /// No table: whoever asks for the same person or phone waits until the other has counted.
    static let lock = Statement(
        "select pg_advisory_xact_lock(hashtextextended($1, 0))::text"
    ) { row in try row.string(0) }

    /// How many were sent to the user lately (cool-down), to phones that are to be proved ($3) or
    /// to proved ones.
    static let recentCount = Statement(
        by: "challenge_user_id_idx",
        """
        select count(*)
        from auth.challenge
        where user_id = $1 and channel <> 'totp' and (purpose = 'phone-verification') = $3
            and created_at > now() - make_interval(secs => $2)
        """
    ) { row in try row.int64(0) }

    /// The same for a phone that nobody has proved yet.
    static let recentByDestination = Statement(
        by: "challenge_destination_idx",
        """
        select count(*)
        from auth.challenge
        where destination = $1 and user_id is null
            and created_at > now() - make_interval(secs => $2)
        """
    ) { row in try row.int64(0) }

    /// Until when the pair of phone (or address) and user waits after all of a challenge's codes
    /// were wrong.
    static let coolUntil = Statement(
        by: "challenge_destination_idx",
        """
        select max(expires_at) + make_interval(secs => $3)
        from auth.challenge
        where destination = $1 and user_id is not distinct from $2 and used_at is null
            and codes_sent >= 3 and attempts >= 3
            and expires_at > now() - make_interval(secs => $3)
        """
    ) { row in try row.value(0, as: Instant?.self) }

    /// Longer than any cool-down looks back.
    static let deleteOld = Statement<Void>(
        by: "challenge_expires_at_idx",
        """
        delete from auth.challenge
        where ctid = any(array(
            select ctid
            from auth.challenge
            where expires_at < now() - interval '1 hour'
            limit 5000))
        """
    )

    /// The attempt is counted, in a statement of its own, before it is compared.
    ///
    /// A step-up exists only for the session that asked for it ($2).
    static let countAttempt = Statement(
        by: "challenge_pkey",
        """
        update auth.challenge
        set attempts = least(attempts + 1, 1000),
            counted_at = case when attempts + 1 = codes_sent then now() else counted_at end
        where id = $1 and (session_id is null or session_id = $2)
        returning id, user_id, purpose, channel, destination, code_hmac, codes_sent, attempts,
            expires_at <= now(), used_at is not null, language, session_id, methods,
            credential_mark, coalesce(counted_at < now() - interval '10 seconds', false)
        """
    ) { row in
        try OpenChallenge(
            id: row.value(0),
            user: row.value(1),
            purpose: row.string(2),
            channel: row.string(3),
            destination: row.value(4),
            codeHMAC: row.value(5),
            codesSent: row.int16(6),
            attempts: row.int16(7),
            isExpired: row.bool(8),
            isUsed: row.bool(9),
            language: row.string(10),
            session: row.value(11),
            methods: row.value(12),
            mark: row.value(13),
            isStuck: row.bool(14)
        )
    }

    /// Of any number of right answers at once, one consumes it.
    static let consume = Statement(
        by: "challenge_pkey",
        """
        update auth.challenge
        set used_at = now()
        where id = $1 and used_at is null and expires_at > now()
            and code_hmac is not distinct from $2
        returning id
        """
    ) { row in try row.value(0, as: ID<Challenge>.self) }

    /// A wrong answer burns the code; the next one goes out under the same id.
    ///
    /// Only for the code that was compared ($2), so that of two wrong answers at once one burns.
    static let burn = Statement(
        by: "challenge_pkey",
        """
        update auth.challenge
        set attempts = codes_sent, codes_sent = codes_sent + 1, code_hmac = $3, expires_at = $4
        where id = $1 and used_at is null and code_hmac = $2 and codes_sent < 3
        returning id
        """
    ) { row in try row.value(0, as: ID<Challenge>.self) }

    /// No code is left for it, because none may be sent any more.
    static let exhaust = Statement<Void>(
        by: "challenge_pkey",
        """
        update auth.challenge
        set codes_sent = 3, attempts = greatest(attempts, 3::smallint)
        where id = $1
        """
    )

    /// Whatever somebody was asked for is void, for their account changed.
    static let void = Statement<Void>(
        by: "challenge_user_id_idx",
        """
        update auth.challenge
        set used_at = now()
        where user_id = $1 and used_at is null and expires_at > now()
        """
    )
}
