import Postgres

/// The upkeep of idempotency keys.
enum KeyStatements {
    /// By idempotency_key_created_at_idx; a key is promised for a day.
    static let deleteOld = Statement<Void>(
        "delete from groups.idempotency_key where created_at < now() - interval '2 days'"
    )
}
