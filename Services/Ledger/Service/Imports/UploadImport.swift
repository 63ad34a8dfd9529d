import HTTP
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads a bank statement into a preview; nothing is taken in yet.
struct UploadImport: Handler {
    static let endpoint = Imports.upload
    let database: Database
    let blocking: BlockingPool
    let slots: UploadSlots

    func handle(
        _ request: Request<ImportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let user = caller.user.id
        let query = request.query
        let account = try await importableAccount(query.accountID, of: user, in: database)
        guard slots.take() else { throw APIError(.unavailable, retryAfterSeconds: 2) }
        defer { slots.giveBack() }
        let bytes = try await request.http.body(max: Imports.fileMax)
        let question = ReadStatement.Question(
            format: query.format,
            mapping: nil,
            currency: account.currency,
            account: account.id,
            accountNumber: query.accountNumber,
            rules: try await database.importRules(of: user)
        )
        let read = try await blocking.run { ReadOutcome(bytes, question) }.get()
        if let named = read.statement.currency, named != account.currency {
            throw APIError(.currencyMismatch, "the file is in \(named.code)")
        }
        let outcome = try await store(
            read,
            bytes,
            for: user,
            account,
            under: request.idempotency?.including(read.digest)
        )
        guard let (view, version) = try await importView(outcome.id, of: user, in: database) else {
            throw APIError.notFound
        }
        let answer = Response.created(view, at: "/v1/imports/\(outcome.id)").tagged(version)
        return outcome.isReplay ? answer.replayed() : answer
    }

    private func store(
        _ read: ReadStatement,
        _ bytes: [UInt8],
        for user: ID<User>,
        _ account: AccountRow,
        under scope: IdempotencyScope?
    ) async throws -> (id: ID<StatementImport>, isReplay: Bool) {
        let id = ID<StatementImport>.new()
        return try await database.transaction { transaction in
            if case .done(let resource) = try await IdempotencyKeys.claim(scope, in: transaction) {
                guard let done = ID<StatementImport>(resource) else {
                    throw APIError(.internalError)
                }
                return (done, true)
            }
            let store = ImportStore(transaction: transaction)
            try await store.insert(read, file: bytes, as: id, for: user, account.id)
            if let record = try await transaction.queryOne(ImportStatements.find, user, id) {
                try await transaction.matchOwnTransfers(record)
            }
            try await IdempotencyKeys.record(id.text, for: scope, in: transaction)
            return (id, false)
        }
    }
}

/// How many files a loop reads at once: each is up to 20 MiB, and its rows several times that.
final class UploadSlots {
    private var free = 4

    func take() -> Bool {
        guard free > 0 else { return false }
        free -= 1
        return true
    }

    func giveBack() { free += 1 }
}
