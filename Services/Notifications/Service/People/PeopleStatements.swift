import Postgres
import ServiceKit
import WalletProtocol

/// Somebody who may read everybody's figures.
struct InsightReader: Sendable {
    let id: ID<User>
    let email: String
    let language: String
}

/// The SQL of what notifications knows of people; each statement names the index that serves it.
enum PeopleStatements {
    static let upsert = Statement<Void>(
        by: "person_pkey",
        """
        insert into notifications.person (user_id, email, language, time_zone, reads_insights)
        values ($1, $2, $3, $4, $5)
        on conflict (user_id) do update
        set email = excluded.email, language = excluded.language,
            time_zone = excluded.time_zone, reads_insights = excluded.reads_insights
        """
    )

    static let delete = Statement<Void>(
        by: "person_pkey",
        "delete from notifications.person where user_id = $1"
    )

    /// Who is to be told of everybody's figures.
    static let insightReaders = Statement(
        by: "person_reads_insights_idx",
        """
        select user_id, email, language
        from notifications.person
        where reads_insights and email is not null
        order by user_id
        limit 10000
        """
    ) { row in
        try InsightReader(id: row.value(0), email: row.string(1), language: row.string(2))
    }

    static let language = Statement(
        by: "person_pkey",
        """
        select language
        from notifications.person
        where user_id = $1
        limit 1
        """
    ) { row in try row.string(0) }
}

/// Keeps the copy of people by auth's events.
enum PeopleEvents {
    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case UserRegistered.eventType:
            let user = try event.body(as: UserRegistered.self)
            try await transaction.execute(
                PeopleStatements.upsert,
                user.userID,
                user.email,
                user.language,
                user.timeZone,
                user.roles.contains(.coo)
            )
        case UserChanged.eventType:
            let user = try event.body(as: UserChanged.self)
            let reads = user.enabled && user.emailVerified && user.roles.contains(.coo)
            try await transaction.execute(
                MessageStatements.withdrawReports,
                user.userID,
                reads,
                user.email
            )
            try await transaction.execute(
                PeopleStatements.upsert,
                user.userID,
                user.email,
                user.language,
                user.timeZone,
                reads
            )
        case UserErased.eventType:
            let user = try event.body(as: UserErased.self)
            try await erase(user.userID, at: user.erasedAt, in: transaction)
            try await ErasedUsers.forgetDead(of: user.userID, in: transaction)
        default: break
        }
    }

    /// Forgets a person: the feed, and what is on its way to them.
    static func erase(
        _ user: ID<User>,
        at moment: Instant,
        in transaction: Transaction
    ) async throws {
        try await ErasedUsers.remember(user, at: moment, in: transaction)
        try await ErasedUsers.forgetKeys(of: user, in: transaction)
        try await transaction.execute(PeopleStatements.delete, user)
        try await transaction.execute(FeedStatements.deleteAll, user)
        try await transaction.execute(FeedStatements.forgetOther, user)
        try await transaction.execute(MessageStatements.deleteAll, user)
    }
}
