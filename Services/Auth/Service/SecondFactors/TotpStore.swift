import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Keeps second factors: an authenticator app's secret (RFC 6238), sealed, and recovery codes.
final class TotpStore {
    private let database: Database
    private let sessions: SessionStore
    private let notices: SecurityNotices
    private let audit: AuditLog
    private let configuration: AuthConfiguration

    static let recoveryCodes = 10
    /// Nothing is sent where the code is the app's.
    static let wrongCodeAdvice =
        "Enter the newest code of your authenticator."

    init(
        database: Database,
        sessions: SessionStore,
        messages: MessageJobs,
        audit: AuditLog,
        configuration: AuthConfiguration
    ) {
        self.database = database
        self.sessions = sessions
        notices = SecurityNotices(messages: messages, configuration: configuration)
        self.audit = audit
        self.configuration = configuration
    }

    func isOn(for user: ID<User>) async throws -> Bool {
        try await database.queryOne(TotpStatements.isOn, user) ?? false
    }

    func state(of user: ID<User>) async throws -> TotpState? {
        try await database.queryOne(TotpStatements.state, user)
    }

    /// A new secret, in force once a code of it has come.
    /// - Throws: 409 `totp-enabled`, 401 where the session has ended.
    func begin(by holder: SessionHolder) async throws -> [UInt8] {
        let user = holder.user
        // As long as SHA-1's output (RFC 4226, 4, R6).
        let secret = randomBytes(20)
        let sealed = configuration.totpSeal.seal(secret, context: user.bytes)
        try await database.transaction { transaction in
            try await holder.requireOpen(in: transaction)
            guard try await transaction.queryOne(TotpStatements.begin, user, sealed) != nil else {
                throw APIError(.totpEnabled)
            }
        }
        return secret
    }

    /// Puts the waiting secret in force by a code of it: other sessions, and codes under way, end,
    /// for no second factor opened them.
    /// - Returns: the first recovery codes, and the session; its refresh tokens of before are worth
    ///   nothing.
    /// - Throws: 409 `totp-not-enabled` where none waits, 422 `wrong-code`.
    func confirm(
        _ code: String,
        for credential: Credential,
        by holder: SessionHolder
    ) async throws -> (codes: [String], session: OpenedSession) {
        let user = credential.user
        guard let sealed = try await database.queryOne(TotpStatements.pendingSecret, user) else {
            throw APIError(.totpNotEnabled)
        }
        let secret = try configuration.totpSeal.open(sealed, context: user.bytes)
        guard let step = OneTimePassword.step(of: code, secret: secret, at: Self.now) else {
            throw APIError(.wrongCode, Self.wrongCodeAdvice)
        }
        let key = try await sessions.signingKey()
        return try await database.transaction { [self] transaction in
            // Whoever opens a session beside this comes before, and ends here, or sees the factor.
            try await holder.requireOpen(in: transaction)
            guard
                try await transaction.queryOne(
                    TotpStatements.confirm,
                    user,
                    step,
                    sealed
                ) != nil
            else { throw APIError(.totpNotEnabled) }
            try await sessions.endAll(of: user, but: holder.session, in: transaction)
            try await transaction.execute(ChallengeStatements.void, user)
            try await notices.tell(.totpEnabled, to: credential, in: transaction)
            try await log(.factorEnabled, user, in: transaction)
            let session = try await sessions.renew(
                holder.session,
                of: user,
                signedWith: key,
                in: transaction
            )
            return (try await writeCodes(of: user, in: transaction), session)
        }
    }

    /// Switches the factor off; its recovery codes go with it.
    /// - Throws: 409 `totp-not-enabled`.
    func remove(from credential: Credential, by holder: SessionHolder) async throws {
        let user = credential.user
        try await database.transaction { [self] transaction in
            try await holder.requireOpen(in: transaction)
            guard try await transaction.queryOne(TotpStatements.remove, user) != nil else {
                throw APIError(.totpNotEnabled)
            }
            try await transaction.execute(TotpStatements.removeCodes, user)
            try await notices.tell(.totpDisabled, to: credential, in: transaction)
            try await log(.factorDisabled, user, in: transaction)
        }
    }

    /// New recovery codes; the old ones are void.
    /// - Throws: 409 `totp-not-enabled`.
    func makeCodes(
        for credential: Credential,
        by holder: SessionHolder
    ) async throws -> [String] {
        let user = credential.user
        return try await database.transaction { [self] transaction in
            try await holder.requireOpen(in: transaction)
            guard try await transaction.queryOne(TotpStatements.lock, user) != nil else {
                throw APIError(.totpNotEnabled)
            }
            try await notices.tell(.recoveryCodes, to: credential, in: transaction)
            try await log(.recoveryCodesMade, user, in: transaction)
            return try await writeCodes(of: user, in: transaction)
        }
    }

    private func writeCodes(
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> [String] {
        let codes = (0..<Self.recoveryCodes).map { _ in RecoveryCode.make() }
        try await transaction.execute(TotpStatements.removeCodes, user)
        try await transaction.execute(
            TotpStatements.insertCodes,
            user,
            codes.map { hash($0, of: user, under: configuration.recoveryCodeKeys[0]) }
        )
        return codes
    }

    /// Takes a code of the app or a recovery code, each once, within the transaction of its effect.
    func take(
        _ code: String,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> Bool {
        guard let sealed = try await transaction.queryOne(TotpStatements.secret, user) else {
            return false
        }
        let secret = try configuration.totpSeal.open(sealed, context: user.bytes)
        if let step = OneTimePassword.step(of: code, secret: secret, at: Self.now) {
            return try await transaction.queryOne(TotpStatements.takeStep, user, step) != nil
        }
        guard let recovery = RecoveryCode.normalized(code),
            try await transaction.queryOne(
                TotpStatements.useCode,
                user,
                configuration.recoveryCodeKeys.map { hash(recovery, of: user, under: $0) }
            ) != nil
        else { return false }
        if let credential = try await transaction.queryOne(UserStatements.credentialByID, user) {
            try await notices.tell(.recoveryCodeUsed, to: credential, in: transaction)
            try await log(.recoveryCodeUsed, user, in: transaction)
        }
        return true
    }

    private func log(
        _ action: AuditAction,
        _ user: ID<User>,
        in transaction: Transaction
    ) async throws {
        try await audit.append(AuditEntry(action, by: .user(user), of: user), in: transaction)
    }

    private func hash(_ code: String, of user: ID<User>, under key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(user.bytes + Array(code.utf8), key: key)
    }

    private static var now: Int64 { Instant.now().secondsSince1970 }
}

/// A code for when the authenticator app is lost: ten characters that are not mistaken for each
/// other, 50 bits.
enum RecoveryCode {
    private static let alphabet: [Character] = Array("0123456789abcdefghjkmnpqrstvwxyz")

    static func make() -> String {
        var random = SystemRandomNumberGenerator()
        let characters = (0..<10).map { _ in alphabet[Int.random(in: 0..<32, using: &random)] }
        return String(characters[..<5]) + "-" + String(characters[5...])
    }

    /// As it was given out, however it was typed; nil: none of ours.
    static func normalized(_ text: String) -> String? {
        var characters: [Character] = []
        for character in text.lowercased() where character != "-" && character != " " {
            switch character {
            case "o": characters.append("0")
            case "i", "l": characters.append("1")
            default: characters.append(character)
            }
        }
        guard characters.count == 10, characters.allSatisfy({ alphabet.contains($0) }) else {
            return nil
        }
        return String(characters[..<5]) + "-" + String(characters[5...])
    }
}
