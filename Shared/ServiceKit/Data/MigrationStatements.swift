internal import Postgres

/// The SQL of the migrations' own bookkeeping, in the schema `public` of each database.
enum MigrationStatements {
    static let createTable = Statement<Void>(
        """
        create table if not exists public.schema_migration (
            name text primary key,
            checksum text not null,
            applied_at timestamptz not null default now())
        """
    )

    /// A row for each file.
    static let applied = Statement(
        by: "schema_migration_pkey",
        """
        select name, checksum
        from public.schema_migration
        order by name
        limit 10000
        """
    ) { row in try (row.string(0), row.string(1)) }

    static let record = Statement<Void>(
        """
        insert into public.schema_migration (name, checksum)
        values ($1, $2)
        """
    )

    static let grantRead = Statement<Void>(
        "grant select on public.schema_migration to public"
    )

    static let tryLock = Statement(
        "select pg_try_advisory_lock(hashtext('schema_migration'))"
    ) { row in try row.bool(0) }

    static let unlock = Statement(
        "select pg_advisory_unlock(hashtext('schema_migration'))"
    ) { row in try row.bool(0) }

    static let set = Statement(
        "select set_config($1, $2, false)"
    ) { row in try row.string(0) }
}
