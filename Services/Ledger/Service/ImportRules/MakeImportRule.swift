import Postgres
import ServiceKit
import Text
import WalletProtocol

/// What a rule looks for, checked.
struct ImportRulePattern {
    let comparison: FoldedImportRule.Operator
    let text: String
    let folded: String

    /// - Throws: 422 unless exactly one of the three ways is given, with something to be seen.
    init(_ match: ImportRuleMatch) throws(APIError) {
        let given: [(FoldedImportRule.Operator, String?)] = [
            (.contains, match.contains), (.equals, match.equals), (.startsWith, match.startsWith),
        ]
        let ways = given.filter { $0.1 != nil }
        guard ways.count == 1, let way = ways.first, let text = way.1 else {
            throw .field(
                "/match",
                .invalidValue,
                "has exactly one of contains, equals and startsWith"
            )
        }
        comparison = way.0
        self.text = TextFolding.composed(text)
        folded = TextFolding.caseFolded(text)
        guard !folded.isEmpty else {
            throw .field("/match/\(way.0.rawValue)", .blank, "must not be blank")
        }
    }
}

/// Whether what a rule names is the person's own.
private func checkReferences(
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

/// Makes a rule.
struct MakeImportRule: Handler {
    static let endpoint = ImportRules.make
    let effects: KeyedEffects
    let people: People

    func handle(
        _ request: Request<NoQuery, NewImportRule>,
        as caller: Caller
    ) async throws -> Response<ImportRuleView> {
        let user = caller.user.id
        _ = try await people.person(user)
        let pattern = try ImportRulePattern(request.body.match)
        return try await effects.answer(request.idempotency) { transaction in
            let row = try await make(request.body, pattern, of: user, in: transaction)
            return .created(row.view, at: "/v1/import-rules/\(row.id)")
                .tagged(String(row.version))
        }
    }

    private func make(
        _ body: NewImportRule,
        _ pattern: ImportRulePattern,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> ImportRuleRow {
        try await checkReferences(
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
}

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

/// Rules in the order in which they are asked.
struct ListImportRules: Handler {
    static let endpoint = ImportRules.list
    let database: Database

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ImportRuleView>> {
        let query = request.query
        let after = try query.cursor?.decode(ImportRuleCursor.self)
        let rows = try await database.query(
            ImportRuleStatements.list,
            caller.user.id,
            Int32(clamping: after?.priority ?? -1),
            after?.id.text ?? "00000000-0000-0000-0000-000000000000",
            query.limit + 1
        )
        return .ok(
            Page(rows: rows.map(\.view), limit: query.limit) {
                Cursor(ImportRuleCursor(priority: $0.priority, id: $0.id))
            }
        )
    }
}

/// One rule.
struct GetImportRule: Handler {
    static let endpoint = ImportRules.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportRuleView> {
        let id = try request.path.id(of: ImportRule.self)
        guard
            let row = try await database.queryOne(ImportRuleStatements.find, caller.user.id, id)
        else { throw APIError.notFound }
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Changes a rule.
struct ChangeImportRule: Handler {
    static let endpoint = ImportRules.change
    let database: Database

    func handle(
        _ request: Request<NoQuery, ImportRuleChange>,
        as caller: Caller
    ) async throws -> Response<ImportRuleView> {
        let user = caller.user.id
        let id = try request.path.id(of: ImportRule.self)
        let body = request.body
        while true {
            guard let old = try await database.queryOne(ImportRuleStatements.find, user, id) else {
                throw APIError.notFound
            }
            if let wanted = request.ifMatch, !wanted.contains(String(old.version)) {
                throw APIError(.preconditionFailed)
            }
            let match = body.match.applied(to: old.view.match)
            let category = body.categoryID.applied(to: old.category)
            let priority = body.priority.applied(to: Int(old.priority))
            let pattern = try ImportRulePattern(match)
            let changed = try await database.transaction { transaction in
                try await checkReferences(category, match.accountID, of: user, in: transaction)
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
            return .ok(row.view).tagged(String(row.version))
        }
    }
}

/// Removes a rule.
struct RemoveImportRule: Handler {
    static let endpoint = ImportRules.remove
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let id = try request.path.id(of: ImportRule.self)
        while true {
            guard let old = try await database.queryOne(ImportRuleStatements.find, user, id) else {
                throw APIError.notFound
            }
            if let wanted = request.ifMatch, !wanted.contains(String(old.version)) {
                throw APIError(.preconditionFailed)
            }
            let removed = try await database.execute(
                ImportRuleStatements.delete,
                user,
                id,
                old.version
            )
            if removed == 1 { return .noContent }
        }
    }
}
