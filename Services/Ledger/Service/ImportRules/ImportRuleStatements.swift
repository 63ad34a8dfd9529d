import Postgres
import ServiceKit
import WalletProtocol

/// A rule as it is stored.
struct ImportRuleRow: Sendable {
    let id: ID<ImportRule>
    let priority: Int32
    let field: ImportRuleField
    let comparison: FoldedImportRule.Operator
    let pattern: String
    let account: ID<Account>?
    let direction: Direction?
    let category: CategoryID
    let version: Int32

    var view: ImportRuleView {
        ImportRuleView(
            id: id,
            match: ImportRuleMatch(
                field: field,
                contains: comparison == .contains ? pattern : nil,
                equals: comparison == .equals ? pattern : nil,
                startsWith: comparison == .startsWith ? pattern : nil,
                accountID: account,
                direction: direction
            ),
            categoryID: category,
            priority: Int(priority)
        )
    }

    init(_ row: borrowing PostgresRow) throws {
        let (field, comparison) = try (row.string(2), row.string(3))
        guard let field = ImportRuleField(rawValue: field) else {
            throw row.problem(2, "\(field) is no field of rules")
        }
        guard let comparison = FoldedImportRule.Operator(rawValue: comparison) else {
            throw row.problem(3, "\(comparison) is no operator of rules")
        }
        id = try row.value(0)
        priority = try row.int32(1)
        self.field = field
        self.comparison = comparison
        pattern = try row.string(4)
        account = try row.value(5)
        direction = try row.value(6, as: String?.self).flatMap(Direction.init(rawValue:))
        category = try row.value(7)
        version = try row.int32(8)
    }
}

/// The SQL of import rules.
///
/// A rule whose category is gone is gone with it.
enum ImportRuleStatements {
    /// Under the person's lock, so that nobody has too many.
    static let insert = Statement(
        by: "import_rule_user_id_idx",
        """
        with counted as (
            select count(*) as count, coalesce(max(priority), -1) as last from ledger.import_rule
            where user_id = $2 and deleted_at is null
        )
        insert into ledger.import_rule (id, user_id, priority, field, operator, pattern,
            pattern_folded, account_id, direction, category_id)
        select $1, $2, coalesce($3::int, last + 1), $4, $5, $6, $7, $8, $9, $10
        from counted where count < $11
        returning id
        """
    ) { row in try row.value(0, as: ID<ImportRule>.self) }

    static let lockPerson = Statement<Void>(
        by: "person_pkey",
        "select from ledger.person where user_id = $1 for no key update"
    )

    static let list = Statement(
        by: "import_rule_user_id_idx, category_pkey",
        """
        select r.id, priority, field, operator, pattern, account_id, direction, category_id,
            r.version
        from ledger.import_rule as r
        where r.user_id = $1 and r.deleted_at is null and (priority, r.id) > ($2, $3::uuid)
            and exists (
                select from ledger.category
                where category.id = category_id and category.deleted_at is null)
        order by priority, r.id
        limit $4
        """
    ) { row in try ImportRuleRow(row) }

    /// All of them, as rows are held against them.
    static let folded = Statement(
        by: "import_rule_user_id_idx, category_pkey",
        """
        select field, operator, pattern_folded, account_id, direction, category_id
        from ledger.import_rule as r
        where r.user_id = $1 and r.deleted_at is null
            and exists (
                select from ledger.category
                where category.id = category_id and category.deleted_at is null)
        order by priority, r.id
        limit 1000
        """
    ) { row in
        let (field, comparison) = try (row.string(0), row.string(1))
        return try FoldedImportRule(
            field: ImportRuleField(rawValue: field) ?? .both,
            comparison: FoldedImportRule.Operator(rawValue: comparison) ?? .equals,
            pattern: Array(row.string(2).utf8),
            account: row.value(3),
            direction: row.value(4, as: String?.self).flatMap(Direction.init(rawValue:)),
            category: row.value(5)
        )
    }

    static let find = Statement(
        by: "import_rule_, category_pkey",
        """
        select r.id, priority, field, operator, pattern, account_id, direction, category_id,
            r.version
        from ledger.import_rule as r
        where r.id = $2 and r.user_id = $1 and r.deleted_at is null
            and exists (
                select from ledger.category
                where category.id = category_id and category.deleted_at is null)
        """
    ) { row in try ImportRuleRow(row) }

    /// By whoever has seen it last.
    static let change = Statement<Void>(
        by: "import_rule_",
        """
        update ledger.import_rule
        set priority = $4, field = $5, operator = $6, pattern = $7, pattern_folded = $8,
            account_id = $9, direction = $10, category_id = $11, version = version + 1,
            xid = pg_current_xact_id()
        where id = $2 and user_id = $1 and version = $3 and deleted_at is null
        """
    )

    /// With a category go those that name it.
    static let deleteOfCategory = Statement<Void>(
        by: "import_rule_user_id_idx",
        """
        update ledger.import_rule
        set deleted_at = now(), pattern = null, pattern_folded = null, version = version + 1,
            xid = pg_current_xact_id()
        where user_id = $1 and category_id = $2 and deleted_at is null
        """
    )

    /// What it looked for is forgotten.
    static let delete = Statement<Void>(
        by: "import_rule_",
        """
        update ledger.import_rule
        set deleted_at = now(), pattern = null, pattern_folded = null, version = version + 1,
            xid = pg_current_xact_id()
        where id = $2 and user_id = $1 and version = $3 and deleted_at is null
        """
    )
}

extension Querying {
    /// A person's rules.
    func importRules(of user: ID<User>) async throws -> ImportRuleBook {
        ImportRuleBook(rules: try await query(ImportRuleStatements.folded, user))
    }
}
