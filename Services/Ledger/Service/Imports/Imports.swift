import ServiceKit
import WalletProtocol

/// Reads a bank statement into a preview; nothing is taken in yet.
struct UploadImport: Handler {
    static let endpoint = Imports.upload
    let uploads: ImportUploads

    func handle(
        _ request: Request<ImportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        try await uploads.take(
            request.http,
            request.query,
            for: caller.user.id,
            under: request.idempotency
        )
    }
}

/// Reads a CSV's own bytes in another way, or says what becomes of rows.
struct ChangeImport: Handler {
    static let endpoint = Imports.change
    let changes: ImportChanges

    func handle(
        _ request: Request<NoQuery, ImportChange>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let (view, version) = try await changes.change(
            request.path.id(of: StatementImport.self),
            request.body,
            of: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(view).tagged(version)
    }
}

/// One import.
struct GetImport: Handler {
    static let endpoint = Imports.get
    let imports: ImportStore

    func handle(
        _ request: Request<FullPageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let (view, version) = try await imports.find(
            request.path.id(of: StatementImport.self),
            of: caller.user.id,
            behind: request.query.cursor?.decode(ImportRowPlace.self),
            request.query.limit
        )
        return .ok(view).tagged(version)
    }
}

/// Takes an import in; the worker does it, and short ones are done before the answer.
struct CommitImport: Handler {
    static let endpoint = Imports.commit
    let effects: KeyedEffects
    let imports: ImportStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let id = try request.path.id(of: StatementImport.self)
        // No transaction is open while the worker is waited for: the answer alone is kept.
        return try await effects.run(request.idempotency) { keyed in
            let (view, version) = try await imports.commit(id, of: caller.user.id)
            return try await keyed.answer { _ in
                view.state == .committing
                    ? .accepted(view, at: "/v1/imports/\(id)") : .ok(view).tagged(version)
            }
        }
    }
}

/// Drops a preview, or takes back what was taken in.
struct RemoveImport: Handler {
    static let endpoint = Imports.remove
    let imports: ImportStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let id = try request.path.id(of: StatementImport.self)
        let view = try await imports.remove(id, of: caller.user.id, ifMatch: request.ifMatch)
        return view.map { .accepted($0, at: "/v1/imports/\(id)") } ?? .noContent
    }
}
