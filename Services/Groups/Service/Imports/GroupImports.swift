import ServiceKit
import WalletProtocol

/// Reads another app's export of a group; nothing is taken in yet.
struct UploadGroupImport: Handler {
    static let endpoint = GroupImports.upload
    let imports: GroupImportStore

    func handle(
        _ request: Request<GroupImportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupImportView> {
        try await imports.upload(
            request.http,
            request.query,
            for: caller.user.id,
            under: request.idempotency
        )
    }
}

/// An import of one's own.
struct GetGroupImport: Handler {
    static let endpoint = GroupImports.get
    let imports: GroupImportStore

    func handle(
        _ request: Request<GroupImportBalanceQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupImportView> {
        let record = try await imports.find(request.path.id(), of: caller.user.id)
        return .ok(try record.view(from: request.query.cursor)).tagged(String(record.version))
    }
}

/// Says who is who in an import.
struct ChangeGroupImport: Handler {
    static let endpoint = GroupImports.change
    let imports: GroupImportStore

    func handle(
        _ request: Request<NoQuery, GroupImportChange>,
        as caller: Caller
    ) async throws -> Response<GroupImportView> {
        let record = try await imports.change(
            request.path.id(),
            request.body,
            of: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(record.view).tagged(String(record.version))
    }
}

/// Takes an import into its group.
struct CommitGroupImport: Handler {
    static let endpoint = GroupImports.commit
    let people: PeopleStore
    let imports: GroupImportStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupImportView> {
        let person = try await people.person(caller.user)
        return try await imports.commit(
            request.path.id(),
            by: person,
            today: person.day(at: .now()),
            under: request.idempotency
        )
    }
}

/// Drops a preview.
struct RemoveGroupImport: Handler {
    static let endpoint = GroupImports.remove
    let imports: GroupImportStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await imports.remove(
            request.path.id(),
            of: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
