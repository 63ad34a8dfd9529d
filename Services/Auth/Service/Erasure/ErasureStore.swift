import Crypto
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Begins erasures, and tells how far they are.
///
///     asked ─▶ row ─▶ the ledger closes all accounts, or refuses ─▶ signed out everywhere
///         ─▶ ledger, groups, analytics, notifications forget ─▶ auth forgets ─▶ the stream forgets
///
/// Each arrow is a commit of ours. What stands behind it is done at least once and may be done
/// again; `ErasureWork` goes on with whatever was left.
final class ErasureStore {
    private let database: Database
    private let client: InternalClient
    private let messages: MessageJobs
    private let configuration: AuthConfiguration

    init(
        database: Database,
        client: InternalClient,
        messages: MessageJobs,
        configuration: AuthConfiguration
    ) {
        self.database = database
        self.client = client
        self.messages = messages
        self.configuration = configuration
    }

    /// Begins to erase somebody, or goes on with it, until the ledger has agreed.
    /// - Throws: `accounts-not-empty`, `last-admin`; 401 where the session has ended, 404 where
    ///   there is nobody;
    ///   `unavailable` where nobody knows yet: it is found out without the caller.
    func begin(_ user: ID<User>, by holder: SessionHolder) async throws -> DeletionReceipt {
        let erasure = try await row(of: user, by: holder)
        guard erasure.stage == 0 else { return try await receipt(of: erasure, withToken: true) }
        let taken = try await database.queryOne(
            ErasureStatements.take,
            erasure.id,
            DeletionPartName.accounts.rawValue,
            ErasureStatements.turnSeconds
        )
        if let taken {
            let turn = ErasureTurn(erasure: erasure.id, part: .accounts, number: taken)
            try await askLedger(turn, about: user)
        }
        guard
            let agreed = try await database.queryOne(ErasureStatements.find, erasure.id)
        else { throw APIError(.accountsNotEmpty) }
        guard agreed.stage > 0 else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        return try await receipt(of: agreed, withToken: true)
    }

    /// The row of somebody's erasure, made where there is none.
    private func row(of user: ID<User>, by holder: SessionHolder) async throws -> ErasureRow {
        try await database.transaction { [self] transaction in
            if let known = try await transaction.queryOne(ErasureStatements.findByUser, user) {
                return known
            }
            try await transaction.execute(ErasureStatements.lockAdmins)
            try await SessionHolder.lock(user, in: transaction)
            try await holder.requireStillOpen(in: transaction)
            if try await transaction.queryOne(ErasureStatements.isLastAdmin, user) == true {
                throw APIError(.lastAdmin)
            }
            guard try await transaction.queryOne(UserStatements.credentialByID, user) != nil else {
                throw APIError.notFound
            }
            let id = ID<Erasure>.new()
            try await transaction.execute(
                ErasureStatements.insert,
                id,
                user,
                holder.user,
                SHA256.digest(token(of: id, key: configuration.receiptKeys[0]))
            )
            guard
                let made = try await transaction.queryOne(ErasureStatements.findByUser, user)
            else { throw APIError(.unavailable, retryAfterSeconds: 1) }
            if made.id == id {
                try await transaction.execute(
                    ErasureStatements.insertParts,
                    id,
                    [DeletionPartName.accounts.rawValue]
                )
            }
            return made
        }
    }

    // MARK: Agreement

    /// Has the ledger close all accounts, and signs the person out; or forgets the erasure.
    func askLedger(_ turn: ErasureTurn, about user: ID<User>) async throws {
        do throws(APIError) {
            _ = try await client.call(
                InternalErasures.agree,
                path: ["id": turn.erasure.text],
                query: NoQuery(),
                body: ErasureQuestion(userID: user)
            )
        } catch {
            guard error.code == .accountsNotEmpty else { throw error }
            try await database.transaction { transaction in
                // The ledger's answer stands, so another turn can have heard nothing else.
                let row = try await transaction.queryOne(ErasureStatements.lock, turn.erasure)
                guard row?.stage == 0 else { return }
                try await transaction.execute(ErasureStatements.delete, turn.erasure)
            }
            throw error
        }
        try await agree(turn.erasure)
    }

    private func agree(_ erasure: ID<Erasure>) async throws {
        let revokedUntil = Instant.now()
            .adding(seconds: Int64(configuration.accessTokenSeconds + 60))
        try await database.transaction { [self] transaction in
            guard
                let row = try await transaction.queryOne(ErasureStatements.lock, erasure),
                row.stage == 0
            else { return }
            let person = try await transaction.queryOne(UserStatements.credentialByID, row.user)
            if let person,
                let generation = try await transaction.queryOne(
                    ErasedRowStatements.disable,
                    row.user
                )
            {
                try await transaction.execute(
                    RevocationStatements.insert,
                    "user",
                    [row.user.text],
                    generation,
                    revokedUntil
                )
                // Nobody's: it outlives what is known of them, and is deleted once delivered.
                try await messages.add(
                    .accountDeleted,
                    by: .email,
                    to: person.email,
                    language: person.language,
                    user: nil,
                    parameters: [:],
                    lifeSeconds: 7 * 86_400,
                    in: transaction
                )
            }
            try await transaction.execute(
                ErasureStatements.finish,
                erasure,
                DeletionPartName.accounts.rawValue
            )
            try await transaction.execute(ErasureStatements.agree, erasure)
            try await transaction.execute(
                ErasureStatements.insertParts,
                erasure,
                ErasureWork.parts(ofStage: 1).map(\.rawValue)
            )
        }
    }

    // MARK: Receipts

    /// The receipt that a token opens.
    func receipt(token: String) async throws -> DeletionReceipt {
        guard let bytes = Base64URL.decode(token.utf8), bytes.count == 32,
            let row = try await database.queryOne(
                ErasureStatements.findByReceipt,
                SHA256.digest(bytes)
            )
        else { throw APIError.notFound }
        return try await receipt(of: row, withToken: false)
    }

    private func receipt(
        of row: ErasureRow,
        withToken: Bool
    ) async throws -> DeletionReceipt {
        var done: [String: Instant] = [:]
        for part in try await database.query(ErasureStatements.parts, row.id) {
            if let moment = part.doneAt { done[part.name] = moment }
        }
        return DeletionReceipt(
            id: row.id,
            token: withToken ? secret(of: row) : nil,
            state: row.completedAt != nil ? .completed : row.stage == 0 ? .requested : .erasing,
            requestedAt: row.requestedAt,
            completedAt: row.completedAt,
            parts: DeletionPartName.allCases.map { name in
                DeletionPart(name: name, completedAt: done[name.rawValue])
            }
        )
    }

    /// A receipt's secret: it can be told again and is stored nowhere.
    private func secret(of row: ErasureRow) -> String? {
        configuration.receiptKeys.lazy
            .map { self.token(of: row.id, key: $0) }
            .first { SHA256.digest($0) == row.receiptHash }
            .map { Base64URL.encode($0) }
    }

    private func token(of erasure: ID<Erasure>, key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(erasure.bytes, key: key)
    }
}
