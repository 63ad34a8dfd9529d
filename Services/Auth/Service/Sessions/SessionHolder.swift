import Postgres
import ServiceKit
import WalletProtocol

/// Who does something by a session, which has to be open still when it is done.
///
/// An access token tells how things were when it was made, and a revocation takes two seconds to
/// be known everywhere. What gives access, or takes data away, therefore looks at the session's row
/// in its own transaction: a recovery or a new password beside it comes wholly before or after.
struct SessionHolder: Sendable, Hashable {
    let user: ID<User>
    let session: ID<Session>
    /// The person's generation that the token was made under: rights that were withdrawn since end
    /// with it.
    let generation: Int32

    init(user: ID<User>, session: ID<Session>, generation: Int) {
        self.user = user
        self.session = session
        self.generation = Int32(clamping: generation)
    }

    init(_ identity: UserIdentity) {
        self.init(
            user: identity.id,
            session: identity.session,
            generation: identity.generation
        )
    }

    /// Locks the person's row and then the session's, in the order of all who end sessions.
    /// - Throws: 401 where the session has ended, its person may not sign in any more, or has other
    ///   rights.
    func requireOpen(in transaction: Transaction) async throws {
        try await Self.lock(user, in: transaction)
        try await requireStillOpen(in: transaction)
    }

    /// The same for who changes somebody else, or has locked the person's row already: nobody
    /// locks another's row after this one.
    func requireStillOpen(in transaction: Transaction) async throws {
        guard
            try await transaction.queryOne(
                SessionHolderStatements.open,
                session,
                user,
                generation
            ) != nil
        else { throw APIError(.unauthenticated) }
    }

    /// Locks a person's row, before anything else of theirs.
    static func lock(_ user: ID<User>, in transaction: Transaction) async throws {
        try await transaction.execute(SessionHolderStatements.lockUser, user)
    }

    /// Keeps what signs a person in from being changed while a session is opened.
    static func share(_ user: ID<User>, in transaction: Transaction) async throws {
        try await transaction.execute(SessionHolderStatements.shareUser, user)
    }
}

/// The SQL of who holds a session; each statement names the index that serves it.
enum SessionHolderStatements {
    static let lockUser = Statement<Void>(
        by: "user_account_pkey",
        "select from auth.user_account where id = $1 for no key update"
    )

    static let shareUser = Statement<Void>(
        by: "user_account_pkey",
        "select from auth.user_account where id = $1 for share"
    )

    /// Whoever is ending it is waited for.
    static let open = Statement(
        by: "session_, user_account_pkey",
        """
        select s.id
        from auth.session s
        join auth.user_account u on u.id = s.user_id
        where s.id = $1 and s.user_id = $2 and s.revoked_at is null and s.expires_at > now()
            and u.enabled and u.generation = $3
        for share of s
        """
    ) { row in try row.value(0, as: ID<Session>.self) }
}
