import Postgres
import ServiceKit
import WalletProtocol

/// Where a page of rules ends.
private struct ImportRuleCursor: JSONObject {
    let priority: Int
    let id: ID<ImportRule>

    static let json = Object(
        ImportRuleCursor.init(priority:id:),
        Field("p", \.priority),
        Field("i", \.id)
    )
}

/// Makes rules, reads them in the order in which they are asked, changes and removes them.
struct ImportRuleStore {
    let database: Database
    let people: People

    func make(
        _ body: NewImportRule,
        _ pattern: ImportRulePattern,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> ImportRuleRow {
        try await ImportRuleStore.checkReferences(
            body.categoryID,
            body.match.accountID,
            of: user,
            in: transaction
        )
        try await transaction.execute(ImportRuleStatements.lockPerson, user)
        let id = try await transaction.queryOne(
            ImportRuleStatements.insert,
            ID<ImportRule>.new(),
            user,
            body.priority.map { Int32(clamping: $0) },
            body.match.field.rawValue,
            pattern.comparison.rawValue,
            pattern.text,
            pattern.folded,
            body.match.accountID,
            body.match.direction?.rawValue,
            body.categoryID,
            Int64(ImportRules.most)
        )
        guard let id else { throw APIError(.tooManyImportRules) }
        guard let row = try await transaction.queryOne(ImportRuleStatements.find, user, id) else {
            throw APIError(.internalError)
        }
        return row
    }

    func list(_ query: PageQuery, of user: ID<User>) async throws -> Page<ImportRuleView> {
        let after = try query.cursor?.decode(ImportRuleCursor.self)
        let rows = try await database.query(
            ImportRuleStatements.list,
            user,
            Int32(clamping: after?.priority ?? -1),
            after?.id.text ?? "00000000-0000-0000-0000-000000000000",
            query.limit + 1
        )
        return Page(rows: rows.map(\.view), limit: query.limit) {
            Cursor(ImportRuleCursor(priority: $0.priority, id: $0.id))
        }
    }

    func find(
        _ id: ID<ImportRule>,
        of user: ID<User>,
        ifMatch wanted: EntityTags? = nil
    ) async throws -> ImportRuleRow {
        guard let row = try await database.queryOne(ImportRuleStatements.find, user, id) else {
            throw APIError.notFound
        }
        try wanted.check(row.version)
        return row
    }

    func change(
        _ id: ID<ImportRule>,
        _ change: ImportRuleChange,
        of user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> ImportRuleRow {
        while true {
            let old = try await find(id, of: user, ifMatch: wanted)
            let match = change.match.applied(to: old.view.match)
            let category = change.categoryID.applied(to: old.category)
            let priority = change.priority.applied(to: Int(old.priority))
            let pattern = try ImportRulePattern(match)
            let changed = try await database.transaction { transaction in
                try await ImportRuleStore.checkReferences(
                    category,
                    match.accountID,
                    of: user,
                    in: transaction
                )
                return try await transaction.execute(
                    ImportRuleStatements.change,
                    user,
                    id,
                    old.version,
                    Int32(clamping: priority),
                    match.field.rawValue,
                    pattern.comparison.rawValue,
                    pattern.text,
                    pattern.folded,
                    match.accountID,
                    match.direction?.rawValue,
                    category
                )
            }
            // Somebody was quicker: look again.
            guard changed == 1,
                let row = try await database.queryOne(ImportRuleStatements.find, user, id)
            else { continue }
            return row
        }
    }

    func remove(
        _ id: ID<ImportRule>,
        of user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws {
        while true {
            let old = try await find(id, of: user, ifMatch: wanted)
            let removed = try await database.execute(
                ImportRuleStatements.delete,
                user,
                id,
                old.version
            )
            if removed == 1 { return }
        }
    }

    /// Whether what a rule names is the person's own.
    private static func checkReferences(
        _ category: CategoryID,
        _ account: ID<Account>?,
        of user: ID<User>,
        in database: some Querying
    ) async throws {
        var errors: [FieldError] = []
        if try await database.queryOne(CategoryStatements.keep, user, category) == nil {
            errors.append(
                FieldError(
                    pointer: "/categoryId",
                    code: .unknownReference,
                    detail: "is absent or not yours"
                )
            )
        }
        if let account,
            try await database.queryOne(AccountStatements.find, user, account)?.role != .owner
        {
            errors.append(
                FieldError(
                    pointer: "/match/accountId",
                    code: .unknownReference,
                    detail: "is absent or not yours"
                )
            )
        }
        if !errors.isEmpty { throw APIError(.invalidBody, errors: errors) }
    }
}
