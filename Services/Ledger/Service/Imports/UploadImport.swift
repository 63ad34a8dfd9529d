import Crypto
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
    private let slots = UploadSlots()

    init(database: Database, blocking: BlockingPool) {
        self.database = database
        self.blocking = blocking
    }

    /// Rows written at a time.
    static let chunk = 2_000

    func handle(
        _ request: Request<ImportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let user = caller.user.id
        let query = request.query
        guard
            let account = try await database.queryOne(
                AccountStatements.find,
                user,
                query.accountID
            )
        else { throw APIError.notFound }
        guard account.closedAt == nil else { throw APIError(.accountClosed) }
        guard slots.take() else { throw APIError(.unavailable, retryAfterSeconds: 2) }
        defer { slots.giveBack() }
        let bytes = try await request.http.body(max: Imports.fileMax)
        let (format, currency) = (query.format, account.currency)
        let read = try await blocking.run {
            do throws(UnreadableStatement) {
                let all = try readStatements(bytes, format: format, assuming: currency)
                let chosen = try Self.choose(all, accountNumber: query.accountNumber)
                let digest = SHA256.digest(bytes)
                return ReadStatement(chosen, ImportFingerprint.all(of: chosen.rows), digest)
            } catch { return ReadStatement(error) }
        }
        let (statement, fingerprints, digest) = try read.get()
        if let named = statement.currency, named != currency {
            throw APIError(.currencyMismatch, "the file is in \(named.code)")
        }
        let outcome = try await store(
            statement,
            fingerprints,
            for: user,
            account,
            under: request.idempotency?.including(digest)
        )
        guard let view = try await importView(outcome.id, of: user, in: database) else {
            throw APIError.notFound
        }
        let answer = Response.created(view, at: "/v1/imports/\(outcome.id)")
        return outcome.isReplay ? answer.replayed() : answer
    }

    /// The account's statement: the only one, or that of the number asked for.
    private static func choose(
        _ all: [BankStatement],
        accountNumber: String?
    ) throws(UnreadableStatement) -> BankStatement {
        let numbers = all.compactMap(\.accountNumber)
        if let accountNumber {
            guard let chosen = all.first(where: { $0.accountNumber == accountNumber }) else {
                throw .several(numbers)
            }
            return chosen
        }
        guard let first = all.first else {
            throw .unreadable(line: 1, detail: "no account is in the file")
        }
        guard all.count == 1 else { throw .several(numbers) }
        return first
    }

    private func store(
        _ statement: BankStatement,
        _ fingerprints: [ImportFingerprint],
        for user: ID<User>,
        _ account: AccountRow,
        under scope: IdempotencyScope?
    ) async throws -> (id: ID<StatementImport>, isReplay: Bool) {
        let id = ID<StatementImport>.new()
        let faults = statement.faults.prefix(Self.faultsMax).map {
            ImportFault(line: $0.line, detail: $0.detail)
        }
        return try await database.transaction { transaction in
            if case .done(let resource) = try await IdempotencyKeys.claim(scope, in: transaction) {
                guard let done = ID<StatementImport>(resource) else {
                    throw APIError(.internalError)
                }
                return (done, true)
            }
            try await transaction.execute(
                ImportStatements.insert,
                id,
                user,
                account.id,
                statement.format.rawValue,
                statement.opening,
                statement.closing,
                statement.from,
                statement.to,
                Int32(statement.rows.count),
                PostgresJSON(JSON.text(faults))
            )
            var start = 0
            while start < statement.rows.count {
                let end = min(start + Self.chunk, statement.rows.count)
                try await insert(
                    statement,
                    fingerprints,
                    start..<end,
                    of: id,
                    for: account.id,
                    in: transaction
                )
                start = end
            }
            try await transaction.execute(ImportStatements.countDuplicates, id)
            try await IdempotencyKeys.record(id.text, for: scope, in: transaction)
            return (id, false)
        }
    }

    static let faultsMax = 200

    private func insert(
        _ statement: BankStatement,
        _ fingerprints: [ImportFingerprint],
        _ range: Range<Int>,
        of id: ID<StatementImport>,
        for account: ID<Account>,
        in transaction: Transaction
    ) async throws {
        let rows = statement.rows[range]
        try await transaction.execute(
            ImportStatements.insertRows,
            id,
            range.map { Int32($0) },
            rows.map { Int32(clamping: $0.line) },
            rows.map(\.day),
            rows.map(\.amount),
            rows.map(\.name),
            rows.map { $0.description ?? "" },
            fingerprints[range].map(\.digest),
            fingerprints[range].map(\.occurrence),
            account
        )
    }
}

/// How many files a loop reads at once: each is up to 20 MiB, and its rows several times that.
private final class UploadSlots {
    private var free = 4

    func take() -> Bool {
        guard free > 0 else { return false }
        free -= 1
        return true
    }

    func giveBack() { free += 1 }
}

/// What the blocking pool brings back.
private enum ReadStatement: Sendable {
    case statement(BankStatement, [ImportFingerprint], digest: [UInt8])
    case refused(UnreadableStatement)

    init(
        _ statement: BankStatement,
        _ fingerprints: [ImportFingerprint],
        _ digest: [UInt8]
    ) {
        self = .statement(statement, fingerprints, digest: digest)
    }

    init(_ error: UnreadableStatement) { self = .refused(error) }

    /// - Throws: 422 with the reason.
    func get() throws(APIError) -> (BankStatement, [ImportFingerprint], digest: [UInt8]) {
        switch self {
        case .statement(let statement, let fingerprints, let digest):
            return (statement, fingerprints, digest)
        case .refused(.unknownFormat): throw APIError(.unknownFormat)
        case .refused(.several(let numbers)):
            throw APIError(
                .accountNumberRequired,
                members: [
                    JSONMember("accountNumbers", .array(numbers.map(JSONTree.string)))
                ]
            )
        case .refused(.unreadable(let line, let detail)):
            throw APIError(.unreadableFile, "line \(line): \(detail)")
        }
    }
}

/// An import with its first rows.
func importView(
    _ id: ID<StatementImport>,
    of user: ID<User>,
    in database: Database
) async throws -> ImportView? {
    guard let record = try await database.queryOne(ImportStatements.find, user, id) else {
        return nil
    }
    let rows = try await database.query(ImportStatements.firstRows, id, 200)
    return record.view(
        rows: rows.map { row in
            ImportRow(
                line: Int(row.line),
                date: row.day,
                amount: Money(minorUnits: row.amount, record.currency),
                name: row.name,
                description: row.description,
                isDuplicate: row.isDuplicate
            )
        }
    )
}
