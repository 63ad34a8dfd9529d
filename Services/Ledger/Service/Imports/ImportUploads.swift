import BankFiles
import HTTP
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads banks' files into previews.
struct ImportUploads {
    let effects: KeyedEffects
    let database: Database
    let blocking: BlockingPool
    let slots: Slots

    /// Reads one for an account; nothing is taken in yet.
    func take(
        _ request: HTTPRequest,
        _ query: ImportQuery,
        for user: ID<User>,
        under scope: IdempotencyScope?
    ) async throws -> Response<ImportView> {
        let account = try await database.importableAccount(query.accountID, of: user)
        // What has a key may have been answered before, and is looked at once it is read.
        if scope == nil {
            try await checkRoom(for: user, request.bodyLength ?? 1, in: database)
        }
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 2)
        }
        defer { slot.giveBack() }
        let bytes = try await request.body(max: Imports.fileMax)
        let question = ReadStatement.Question(
            format: query.format,
            mapping: nil,
            currency: account.currency,
            account: account.id,
            accountNumber: query.accountNumber,
            rules: try await database.importRules(of: user)
        )
        let reading = StatementReading(database: database, blocking: blocking)
        let (read, mappingFrom) = try await reading.read(bytes, question)
        let recognizer = Recognizer(database: database, blocking: blocking, account: account.id)
        let preview = ImportPreview(
            read: read,
            recognition: try await recognizer.recognize(read),
            mappingFrom: mappingFrom
        )
        return try await effects.answer(scope?.including(read.digest)) { transaction in
            try await store(preview, bytes, for: user, account, in: transaction)
        }
    }

    /// Previews stay for a week, each with its rows.
    private func checkRoom(
        for user: ID<User>,
        _ bytes: Int,
        in database: some Querying
    ) async throws {
        guard let room = try await database.queryOne(ImportStatements.previews, user) else {
            return
        }
        guard room.count < Imports.previewsMax,
            room.bytes + Int64(bytes) <= Int64(Imports.previewBytesMax)
        else { throw APIError(.tooManyImports) }
    }

    private func store(
        _ preview: ImportPreview,
        _ bytes: [UInt8],
        for user: ID<User>,
        _ account: AccountRow,
        in transaction: Transaction
    ) async throws -> Response<ImportView> {
        let id = ID<StatementImport>.new()
        try await checkRoom(for: user, bytes.count, in: transaction)
        let writer = ImportPreviewWriter(transaction: transaction)
        try await writer.insert(preview, file: bytes, as: id, for: user, account.id)
        if let record = try await transaction.queryOne(ImportStatements.find, user, id) {
            try await transaction.matchOwnTransfers(record)
            try await transaction.noteDifferences(record)
        }
        let (view, version) = try await ImportStore.find(id, of: user, in: transaction)
        return .created(view, at: "/v1/imports/\(id)").tagged(version)
    }
}
