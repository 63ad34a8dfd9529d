import Postgres
import ServiceKit

/// What the ledger holds on somebody; each statement names the index that serves it.
enum ExportStatements {
    static let parts =
        [
            ExportPart("accounts", from: ExportPart.firstID, accounts),
            ExportPart("categories", from: ExportPart.firstID, categories),
            ExportPart("transactions", from: "-infinity " + ExportPart.firstID, transactions),
            ExportPart("transaction-history", from: ExportPart.firstID + " 0", history),
            ExportPart("transfers", from: "-infinity " + ExportPart.firstID, transfers),
            ExportPart("imports", from: ExportPart.firstID, imports),
            ExportPart("shared-accounts", from: ExportPart.firstID, memberships),
            ExportPart("transactions-by-others", from: Self.firstByOthers, byOthers),
        ] + ImportExportStatements.parts + PlanningExportStatements.parts
        + AttachmentExportStatements.parts + ReceivableExportStatements.parts

    static let accounts = Statement(
        by: "account_user_id_idx, balance_pkey",
        """
        select a.id::text, json_build_object(
            'id', a.id, 'kind', a.kind, 'name', a.name, 'icon', a.icon, 'iban', a.iban,
            'state', a.state, 'openedAt', a.opened_at, 'closedAt', a.closed_at,
            'balance', json_build_object('minorUnits', b.amount, 'currency', a.currency),
            'held', json_build_object('minorUnits', b.held, 'currency', a.currency))::text
        from ledger.account a
        join ledger.balance b on b.account_id = a.id
        where a.user_id = $1 and a.id > $2::text::uuid
        order by a.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// A person has few.
    static let categories = Statement(
        by: "category_",
        """
        select id::text, json_build_object(
            'id', id, 'name', name, 'color', '#' || lpad(to_hex(color), 6, '0'),
            'symbol', symbol, 'parentId', parent_id, 'type', type, 'coicop', coicop,
            'default', is_default, 'important', is_important)::text
        from ledger.category
        where user_id = $1 and deleted_at is null and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let transactions = Statement(
        by: "money_transaction_user_idx",
        """
        select t.day || ' ' || t.id, json_build_object(
            'id', t.id, 'version', t.version, 'accountId', t.account_id, 'date', t.day,
            'amount', json_build_object('minorUnits', t.amount, 'currency', a.currency),
            'name', coalesce(t.name, c.name), 'description', t.description,
            'categoryId', t.category_id, 'category', c.name, 'transferId', t.transfer_id,
            'lines', (
                select json_agg(json_build_object(
                    'categoryId', line.category_id,
                    'amount', json_build_object('minorUnits', line.amount, 'currency', a.currency)
                ) order by line.place)
                from ledger.transaction_line line
                where line.transaction_id = t.id and line.version = t.version),
            'claim', case when t.is_split then (
                select json_build_object('minorUnits', rest.amount, 'currency', a.currency)
                from (
                    select t.amount - coalesce(sum(line.amount), 0) as amount
                    from ledger.transaction_line line
                    where line.transaction_id = t.id and line.version = t.version
                ) as rest
                where rest.amount <> 0) end,
            'tags', t.tags, 'latitude', t.latitude / 1e6, 'longitude', t.longitude / 1e6,
            'place', t.place, 'folderId', t.folder_id, 'recurrenceId', t.recurrence_id,
            'importId', t.import_id, 'createdAt', t.recorded_at)::text
        from ledger.money_transaction t
        join ledger.account a on a.id = t.account_id
        left join ledger.category c on c.id = t.category_id
        where t.user_id = $1 and t.reversed_by is null
            and (t.day, t.id) > (
                split_part($2::text, ' ', 1)::date, split_part($2::text, ' ', 2)::uuid)
        order by t.day, t.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What was edited or deleted.
    static let history = Statement(
        by: "money_transaction_ended_idx",
        """
        select t.id || ' ' || t.version, json_build_object(
            'id', t.id, 'version', t.version, 'accountId', t.account_id, 'date', t.day,
            'amount', json_build_object('minorUnits', t.amount, 'currency', a.currency),
            'name', t.name, 'description', t.description, 'categoryId', t.category_id,
            'lines', (
                select json_agg(json_build_object(
                    'categoryId', line.category_id,
                    'amount', json_build_object('minorUnits', line.amount, 'currency', a.currency)
                ) order by line.place)
                from ledger.transaction_line line
                where line.transaction_id = t.id and line.version = t.version),
            'claim', case when t.is_split then (
                select json_build_object('minorUnits', rest.amount, 'currency', a.currency)
                from (
                    select t.amount - coalesce(sum(line.amount), 0) as amount
                    from ledger.transaction_line line
                    where line.transaction_id = t.id and line.version = t.version
                ) as rest
                where rest.amount <> 0) end,
            'tags', t.tags, 'latitude', t.latitude / 1e6, 'longitude', t.longitude / 1e6,
            'place', t.place, 'createdAt', t.recorded_at)::text
        from ledger.money_transaction t
        join ledger.account a on a.id = t.account_id
        where t.user_id = $1 and t.reversed_by is not null
            and (t.id, t.version) > (
                split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::int)
        order by t.id, t.version
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// Those that count, as one's lines have them.
    static let transfers = Statement(
        by: "money_transaction_user_idx, entry_pkey, transfer_terms_pkey",
        """
        select t.day || ' ' || t.id, json_build_object(
            'id', x.id, 'transactionId', t.id, 'accountId', t.account_id, 'date', t.day,
            'direction', case when x.from_transaction = t.id then 'out' else 'in' end,
            'amount', json_build_object('minorUnits', t.amount, 'currency', a.currency),
            'counterparty', t.name, 'reference', x.reference, 'createdAt', x.recorded_at)::text
        from ledger.money_transaction t
        join ledger.transfer x on x.id = t.transfer_id
        join ledger.account a on a.id = t.account_id
        where t.user_id = $1 and t.reversed_by is null
            and (t.day, t.id) > (
                split_part($2::text, ' ', 1)::date, split_part($2::text, ' ', 2)::uuid)
        order by t.day, t.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let imports = Statement(
        by: "statement_import_user_idx",
        """
        select i.id::text, json_build_object(
            'id', i.id, 'accountId', i.account_id, 'state', i.state, 'format', i.format,
            'from', i.from_day, 'to', i.to_day, 'rows', i.row_count,
            'duplicates', i.duplicate_count, 'createdAt', i.created_at)::text
        from ledger.statement_import i
        where i.user_id = $1 and i.id > $2::text::uuid
        order by i.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    private static let firstByOthers = ExportPart.firstID + " -infinity " + ExportPart.firstID

    /// What editors have recorded on the person's wallets; in which of their categories is theirs
    /// to know.
    static let byOthers = Statement(
        by: "account_user_id_idx, account_member_pkey, money_transaction_account_idx",
        """
        select t.account_id || ' ' || t.day || ' ' || t.id, json_build_object(
            'id', t.id, 'version', t.version, 'accountId', t.account_id, 'date', t.day,
            'amount', json_build_object('minorUnits', t.amount, 'currency', a.currency),
            'name', t.name, 'description', t.description, 'tags', t.tags,
            'latitude', t.latitude / 1e6, 'longitude', t.longitude / 1e6, 'place', t.place,
            'createdAt', t.recorded_at)::text
        from (
            select id, currency from ledger.account
            where user_id = $1 and id >= split_part($2::text, ' ', 1)::uuid
                and exists (select from ledger.account_member where account_id = account.id)
        ) as a
        cross join lateral (
            select * from ledger.money_transaction
            where account_id = a.id and user_id <> $1 and reversed_by is null
                and (day, id) > (
                    case when a.id = split_part($2::text, ' ', 1)::uuid
                        then split_part($2::text, ' ', 2)::date else '-infinity' end,
                    case when a.id = split_part($2::text, ' ', 1)::uuid
                        then split_part($2::text, ' ', 3)::uuid
                        else '00000000-0000-0000-0000-000000000000' end)
            order by day, id
            limit $3
        ) as t
        order by t.account_id, t.day, t.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let memberships = Statement(
        by: "account_member_user_id_idx",
        """
        select account_id::text, json_build_object('accountId', account_id, 'role', role,
            'joinedAt', joined_at, 'leftAt', left_at)::text
        from ledger.account_member
        where user_id = $1 and account_id > $2::text::uuid
        order by account_id
        limit $3
        """
    ) { row in try ExportRow(row) }
}
