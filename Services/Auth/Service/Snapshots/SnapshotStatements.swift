import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of snapshots, each a walk along its key.
enum SnapshotStatements {
    /// Whatever changes a person tells of it in the same transaction, so that the row and the
    /// sequence that one statement reads are of one moment.
    static let users = Statement(
        by: "user_account_pkey, aggregate_sequence_pkey",
        """
        select u.id, u.username, u.email, u.first_name, u.last_name, u.date_of_birth, u.area,
            u.language, u.time_zone, u.currency, u.created_at, u.roles, coalesce(s.sequence, 0),
            u.date_format, u.version
        from auth.user_account u
        left join auth.aggregate_sequence s on s.aggregate = 'user:' || u.id::text
        where u.id > $1
        order by u.id
        limit $2
        """
    ) { row in
        let user: ID<User> = try row.value(0)
        return Snapshot(
            aggregate: "user:\(user)",
            sequence: try row.int64(12),
            data: UserRegistered(
                userID: user,
                username: try row.string(1),
                email: try row.string(2),
                firstName: try row.value(3),
                lastName: try row.value(4),
                dateOfBirth: try row.value(5),
                area: try row.value(6),
                language: try row.string(7),
                timeZone: try row.string(8),
                currency: try row.value(9),
                registeredAt: try row.value(10),
                roles: try row.value(11, as: [String].self).compactMap { Role(rawValue: $0) },
                dateFormat: try (row.value(13) as String?).flatMap { DateFormat(rawValue: $0) },
                version: Int(try row.int32(14))
            )
        )
    }
}
