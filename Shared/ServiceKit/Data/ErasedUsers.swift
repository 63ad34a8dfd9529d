internal import Messaging
public import Postgres
public import WalletProtocol

/// Who was erased: each service keeps their ids, and makes nothing for them any more.
///
/// Whatever writes something of a person holds a shared lock of theirs until it commits, an erasure
/// the exclusive one: so what was written before is found and deleted, and what comes after sees
/// the erasure. Tables whose rows are a person's do so by the trigger `keep_erased_out`. Table and
/// trigger: `erased_user` in the service's schema, as README.md has them.
///
/// Of all locks the person's is taken first, but for the place of their events, which a consumer
/// holds before: whoever locks a row that an erasure takes, and writes something of the person
/// afterwards, begins with `hold`. Otherwise the two wait for each other.
public enum ErasedUsers {
    /// The constraint by which a write for an erased person is refused.
    public static let constraint = "erased_user"

    /// Begins an erasure: waits for what is being written of the person, and keeps their id.
    /// - Returns: whether it was not kept before.
    @discardableResult
    public static func remember(
        _ user: ID<User>,
        at moment: Instant,
        in transaction: Transaction
    ) async throws(DatabaseError) -> Bool {
        try await transaction.execute(ErasedUserStatements.lock, user.text)
        return try await transaction.execute(ErasedUserStatements.insert, user, moment) == 1
    }

    /// Keeps erasures of these people away until the transaction's end.
    public static func hold(
        _ users: [ID<User>],
        in transaction: Transaction
    ) async throws(DatabaseError) {
        try await transaction.execute(ErasedUserStatements.hold, users.map(\.text))
    }

    /// Whether somebody is erased; until the transaction's end they are not, if not by then.
    public static func contain(
        _ user: ID<User>,
        in transaction: Transaction
    ) async throws(DatabaseError) -> Bool {
        try await !those(of: [user], in: transaction).isEmpty
    }

    /// Who of some is erased; until the transaction's end the others are not.
    public static func those(
        of users: [ID<User>],
        in transaction: Transaction
    ) async throws(DatabaseError) -> Set<ID<User>> {
        try await hold(users, in: transaction)
        return Set(try await transaction.query(ErasedUserStatements.find, users))
    }

    /// Who of many is erased; until the transaction's end the others are not.
    ///
    /// By the locks of their buckets, 256 at most, as triggers of what comes in sets take them: who
    /// writes such and locks rows begins with this, behind `hold` where both are needed.
    public static func those(
        ofMany users: [ID<User>],
        in transaction: Transaction
    ) async throws(DatabaseError) -> Set<ID<User>> {
        try await transaction.execute(ErasedUserStatements.holdBuckets, users.map(\.text))
        return Set(try await transaction.query(ErasedUserStatements.find, users))
    }

    /// Forgets what waits or lies dead of the person's events, and waits for none of them.
    ///
    /// Called first of all, before the person's lock: a consumer has the place of the events when
    /// it takes that lock.
    /// They are deleted at their origin, too: what is left of them is `user.erased`, which comes
    /// next.
    public static func forgetEvents(
        by order: ErasureOrder,
        in transaction: Transaction
    ) async throws(DatabaseError) {
        let aggregate = "user:" + order.userID.text
        // The sequence first: it locks the row that a consumer holds while it parks or buries one.
        if order.lastSequence > 0 {
            try await InboxRows.rebuilt(
                aggregate,
                of: .auth,
                at: Int64(order.lastSequence),
                in: transaction
            )
        }
        try await InboxRows.erase(aggregate, of: .auth, in: transaction)
    }

    /// Forgets what lies dead of the person's events, once `user.erased` has come.
    ///
    /// What was told of them between the order and that event may lie there, whole.
    public static func forgetDead(
        of user: ID<User>,
        in transaction: Transaction
    ) async throws(DatabaseError) {
        try await InboxRows.erase("user:" + user.text, of: .auth, in: transaction)
    }

    /// Deletes the keys under which the person called, and empties others' stored responses that
    /// mention the person.
    ///
    /// A response to somebody else is replayed with its status, `Location` and `ETag`, without a
    /// body.
    ///
    /// Cost: what the person has, found by two indexes.
    /// - Parameter addresses: the addresses by which others may have named the person.
    public static func forgetKeys(
        of user: ID<User>,
        reachedAt addresses: [String] = [],
        in transaction: Transaction
    ) async throws(DatabaseError) {
        try await transaction.execute(ErasedUserStatements.deleteKeys, user.text)
        try await transaction.execute(
            ErasedUserStatements.emptyAnswers,
            [user.text] + addresses.map { EmailAddress.folded($0) }
        )
    }
}
