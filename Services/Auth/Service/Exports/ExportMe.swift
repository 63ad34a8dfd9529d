import HTTP
import Postgres
import ServiceKit
import WalletProtocol

/// Begins an export of one's own data.
struct RequestExport: Handler {
    static let endpoint = Exports.request
    let effects: KeyedEffects
    let exports: ExportStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExportView> {
        try caller.user.requireFreshProof()
        return try await effects.answer(request.idempotency) { transaction in
            let export = try await exports.request(
                by: SessionHolder(caller.user),
                from: AuditOrigin(request),
                in: transaction
            )
            return .accepted(export.view, at: "/v1/users/me/exports/\(export.id.text)")
        }
    }
}

/// How far an export is.
struct GetExport: Handler {
    static let endpoint = Exports.get
    let exports: ExportStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExportView> {
        let id = try request.path.id(of: Export.self)
        guard let export = try await exports.find(id, of: caller.user.id) else {
            throw APIError.notFound
        }
        return .ok(export.view)
    }
}

/// The file of an export, piece by piece.
struct GetExportFile: Handler {
    static let endpoint = Exports.file
    let exports: ExportStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try caller.user.requireFreshProof()
        let id = try request.path.id(of: Export.self)
        guard
            let export = try await exports.handOver(id, to: SessionHolder(caller.user)),
            export.state == .ready
        else { throw APIError.notFound }
        let exports = exports
        var response = Response<NoView>.stream(type: "application/zip") { writer in
            var place: Int32 = 0
            while let bytes = try await exports.piece(place, of: export) {
                try await writer.write(bytes)
                place += 1
            }
        }
        response.headers.append(
            "content-disposition",
            "attachment; filename=\"ezwallet-data.zip\""
        )
        return response
    }
}
