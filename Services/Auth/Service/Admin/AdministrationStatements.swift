import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of administration; each statement names the index that serves it.
enum AdministrationStatements {
    private enum PrefixColumn {
        case username
        case email
    }

    /// Newest first: by user_account_admins_idx, user_account_coos_idx, user_account_disabled_idx
    /// or user_account_pkey; where a beginning is asked for by user_account_username_prefix_idx and
    /// user_account_email_prefix_idx.
    static func list(
        before: ID<User>,
        beginning prefix: String?,
        roles: [Role],
        isEnabled: Bool?,
        limit: Int
    ) -> BoundStatement<ID<User>> {
        var builder = StatementBuilder("select u.id from (")
        // Each its own branch, and so its own index.
        let every: [Role?] = roles.isEmpty ? [nil] : roles
        let columns: [PrefixColumn?] = prefix == nil ? [nil] : [.username, .email]
        let branches = every.flatMap { role in columns.map { (role, $0) } }
        for (index, (role, column)) in branches.enumerated() {
            if index > 0 { builder.append(" union ") }
            builder.append("(select id from auth.user_account where id < $1", before)
            switch role {
            case .user: builder.append(" and 'user' = any (roles)")
            case .admin: builder.append(" and 'admin' = any (roles)")
            case .coo: builder.append(" and 'coo' = any (roles)")
            case nil: break
            }
            switch isEnabled {
            case true: builder.append(" and enabled")
            case false: builder.append(" and not enabled")
            case nil: break
            }
            if let prefix, let column {
                // Above every text that begins so, byte by byte.
                let end = prefix + "\u{10FFFF}"
                switch column {
                case .username:
                    builder.append(
                        " and username_folded ~>=~ $1::text and username_folded ~<~ $2::text",
                        prefix,
                        end
                    )
                case .email:
                    builder.append(
                        " and email_folded ~>=~ $1::text and email_folded ~<~ $2::text",
                        prefix,
                        end
                    )
                }
            }
            builder.append(" order by id desc limit $1)", limit)
        }
        builder.append(") as u order by u.id desc limit $1", limit)
        return builder.statement { row in try row.value(0) }
    }

    static let profiles = Statement(
        by: "user_account_pkey",
        """
        select u.id, u.email, u.email_verified_at is not null, u.username, u.first_name,
            u.last_name, u.date_of_birth, u.phone, u.area, u.currency, u.language, u.time_zone,
            u.theme, u.date_format, u.month_start, u.roles, u.enabled, u.version, u.created_at,
            e.value, p.value
        from auth.user_account u
        left join auth.pending_change e on e.user_id = u.id and e.field = 'email'
        left join auth.pending_change p on p.user_id = u.id and p.field = 'phone'
        where u.id = any ($1::uuid[])
        order by u.id desc
        limit 200
        """
    ) { row in try UserStatements.profile(row) }

    /// What is withdrawn ends every token made before.
    static let setAccess = Statement(
        by: "user_account_pkey",
        """
        update auth.user_account
        set roles = $2::text[], enabled = $3, version = version + 1,
            generation = generation + case when $4 then 1 else 0 end
        where id = $1
        returning generation
        """
    ) { row in try row.int32(0) }

    static let endSessions = Statement<Void>(
        by: "session_user_id_idx",
        """
        update auth.session
        set revoked_at = now()
        where user_id = $1 and revoked_at is null and expires_at > now()
        """
    )
}
