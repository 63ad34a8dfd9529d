import Crypto
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Exports that were asked for, and their files.
final class ExportStore {
    private let database: Database
    private let audit: AuditLog
    private let seal: Seal

    /// How many somebody can have made in a day.
    static let dayMax: Int64 = 5

    init(database: Database, audit: AuditLog, configuration: AuthConfiguration) {
        self.database = database
        self.audit = audit
        seal = configuration.exportSeal
    }

    /// Begins an export, or gives the one under way.
    func request(
        by holder: SessionHolder,
        from origin: AuditOrigin,
        in transaction: Transaction
    ) async throws -> ExportRecord {
        let user = holder.user
        try await holder.requireOpen(in: transaction)
        if try await transaction.queryOne(ExportStatements.gathering, user) == nil {
            let count = try await transaction.queryOne(ExportStatements.countOfDay, user)
            guard count ?? 0 < Self.dayMax else {
                throw APIError(.tooManyRequests, retryAfterSeconds: 3_600)
            }
            let id = ID<Export>.new()
            try await transaction.execute(ExportStatements.insert, id, user)
            try await audit.append(
                AuditEntry(.exportMade, by: .user(user), of: user, from: origin),
                in: transaction
            )
            try await Outbox.append(
                UserDataExported(exportID: id, userID: user),
                of: "user:" + user.text,
                in: transaction
            )
        }
        guard let export = try await transaction.queryOne(ExportStatements.gathering, user) else {
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
        return export
    }

    /// One of the caller's exports, to be handed over; nil where there is none.
    func handOver(_ id: ID<Export>, to holder: SessionHolder) async throws -> ExportRecord? {
        try await database.transaction { transaction in
            try await holder.requireOpen(in: transaction)
            return try await transaction.queryOne(ExportStatements.find, id, holder.user)
        }
    }

    /// One of somebody's exports; nil where there is none or it has expired.
    func find(_ id: ID<Export>, of user: ID<User>) async throws -> ExportRecord? {
        try await database.queryOne(ExportStatements.find, id, user)
    }

    /// A piece of the file; nil behind the last.
    func piece(_ place: Int32, of export: ExportRecord) async throws -> [UInt8]? {
        let sealed = try await database.queryOne(
            ExportStatements.piece,
            export.id,
            export.attempt,
            place
        )
        guard let sealed else { return nil }
        return try seal.open(sealed, context: Self.context(export, place))
    }

    /// Keeps a piece.
    func keep(_ bytes: [UInt8], at place: Int32, of export: ExportRecord) async throws {
        try await database.execute(
            ExportStatements.insertPiece,
            export.id,
            export.attempt,
            place,
            seal.seal(bytes, context: Self.context(export, place))
        )
    }

    /// A piece is good at its own place of its own file alone.
    private static func context(_ export: ExportRecord, _ place: Int32) -> [UInt8] {
        export.id.bytes + Array("\(export.attempt) \(place)".utf8)
    }
}
