import ServiceKit
import WalletProtocol

/// Makes a rule.
struct MakeImportRule: Handler {
    static let endpoint = ImportRules.make
    let effects: KeyedEffects
    let rules: ImportRuleStore

    func handle(
        _ request: Request<NoQuery, NewImportRule>,
        as caller: Caller
    ) async throws -> Response<ImportRuleView> {
        let (user, body) = (caller.user.id, request.body)
        _ = try await rules.people.person(user)
        let pattern = try ImportRulePattern(body.match)
        return try await effects.answer(request.idempotency) { transaction in
            let row = try await rules.make(body, pattern, of: user, in: transaction)
            return .created(row.view, at: "/v1/import-rules/\(row.id)")
                .tagged(String(row.version))
        }
    }
}

/// Rules in the order in which they are asked.
struct ListImportRules: Handler {
    static let endpoint = ImportRules.list
    let rules: ImportRuleStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ImportRuleView>> {
        .ok(try await rules.list(request.query, of: caller.user.id))
    }
}

/// One rule.
struct GetImportRule: Handler {
    static let endpoint = ImportRules.get
    let rules: ImportRuleStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportRuleView> {
        let id = try request.path.id(of: ImportRule.self)
        let row = try await rules.find(id, of: caller.user.id)
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Changes a rule.
struct ChangeImportRule: Handler {
    static let endpoint = ImportRules.change
    let rules: ImportRuleStore

    func handle(
        _ request: Request<NoQuery, ImportRuleChange>,
        as caller: Caller
    ) async throws -> Response<ImportRuleView> {
        let (user, id) = (caller.user.id, try request.path.id(of: ImportRule.self))
        let row = try await rules.change(id, request.body, of: user, ifMatch: request.ifMatch)
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Removes a rule.
struct RemoveImportRule: Handler {
    static let endpoint = ImportRules.remove
    let rules: ImportRuleStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: ImportRule.self)
        try await rules.remove(id, of: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}
