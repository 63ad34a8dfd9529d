import Postgres
import ServiceKit

/// What notifications holds on somebody; each statement names the index that serves it.
enum ExportStatements {
    static let parts = [
        ExportPart("preferences", from: ExportPart.firstID, preferences),
        ExportPart("notifications", from: ExportPart.firstID, feed),
        ExportPart("messages", from: ExportPart.firstID, messages),
    ]

    static let preferences = Statement(
        by: "person_pkey",
        """
        select user_id::text, json_build_object(
            'email', email, 'language', language, 'timeZone', time_zone,
            'readsInsights', reads_insights)::text
        from notifications.person
        where user_id = $1 and user_id > $2::text::uuid
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// Without who did it, where that is another: a stranger to whoever reads the file.
    static let feed = Statement(
        by: "notification_pkey",
        """
        select id::text, json_build_object(
            'id', id, 'kind', kind, 'parameters', parameters - 'userId',
            'createdAt', created_at,
            'readAt', read_at)::text
        from notifications.notification
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// That something was sent, and when; what it said is not kept.
    static let messages = Statement(
        by: "message_user_id_idx",
        """
        select id::text, json_build_object(
            'id', id, 'channel', channel, 'kind', template, 'state', state,
            'createdAt', created_at)::text
        from notifications.message
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }
}
