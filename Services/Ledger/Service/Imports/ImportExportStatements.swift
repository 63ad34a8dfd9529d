import Postgres
import ServiceKit

/// What imports hold on somebody.
enum ImportExportStatements {
    static let parts = [
        ExportPart("import-rows", from: ExportPart.firstID + " -1", importRows),
        ExportPart("import-rules", from: ExportPart.firstID, importRules),
    ]

    /// As the files told them.
    static let importRows = Statement(
        by: "statement_import_user_idx, import_row_pkey",
        """
        select i.id || ' ' || r.place, json_build_object(
            'importId', i.id, 'row', r.place + 1, 'line', r.line, 'date', r.day,
            'amount', json_build_object('minorUnits', r.amount, 'currency', a.currency),
            'name', r.name, 'description', r.description, 'counterparty', r.counterparty,
            'endToEndId', r.end_to_end, 'duplicate', r.is_duplicate, 'included', r.is_included,
            'categoryId', r.category_id)::text
        from (
            select id, account_id from ledger.statement_import
            where user_id = $1 and id >= split_part($2::text, ' ', 1)::uuid
        ) as i
        join ledger.account a on a.id = i.account_id
        join ledger.import_row r on r.import_id = i.id
        where (i.id, r.place) > (
            split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::int)
        order by i.id, r.place
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// A person has few.
    static let importRules = Statement(
        by: "import_rule_user_id_idx",
        """
        select id::text, json_build_object(
            'id', id, 'priority', priority, 'field', field, 'operator', operator,
            'pattern', pattern, 'accountId', account_id, 'direction', direction,
            'categoryId', category_id)::text
        from ledger.import_rule
        where user_id = $1 and deleted_at is null and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }
}
