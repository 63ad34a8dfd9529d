import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of pictures; picture_pkey serves every statement.
enum PictureStatements {
    static let put = Statement<Void>(
        by: "picture_pkey",
        """
        insert into auth.picture (user_id, large, small, tag)
        values ($1, $2, $3, $4)
        on conflict (user_id) do update
        set large = excluded.large, small = excluded.small, tag = excluded.tag, changed_at = now()
        """
    )

    static let delete = Statement<Void>(
        by: "picture_pkey",
        "delete from auth.picture where user_id = $1"
    )

    static let large = Statement(
        by: "picture_pkey",
        """
        select tag, large
        from auth.picture
        where user_id = $1
        limit 1
        """
    ) { row in try (tag: row.string(0), bytes: row.bytes(1)) }

    static let small = Statement(
        by: "picture_pkey",
        """
        select tag, small
        from auth.picture
        where user_id = $1
        limit 1
        """
    ) { row in try (tag: row.string(0), bytes: row.bytes(1)) }

    static let tag = Statement(
        by: "picture_pkey",
        """
        select tag
        from auth.picture
        where user_id = $1
        limit 1
        """
    ) { row in try row.string(0) }
}
