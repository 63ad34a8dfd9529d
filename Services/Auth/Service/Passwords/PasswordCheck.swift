import Crypto
import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Compares passwords: counted first, in bounded numbers, alike for people who do not exist.
struct PasswordCheck {
    let database: Database
    let blocking: BlockingPool
    let messages: MessageJobs
    let audit: AuditLog
    let configuration: AuthConfiguration

    /// Compares a stranger's password; nil where it is wrong or there is none.
    ///
    /// Everything that a guess counts for is counted before the hash, and taken back where it was
    /// none. Whom we know on that line a failing neighbour does not shut out.
    /// - Parameter name: what was typed, which a guess is counted under.
    /// - Throws: 429 `locked-out`; `BlockingPoolFull` (503), and then nothing was counted.
    func check(
        _ password: String,
        of credential: Credential?,
        named name: SignInName,
        from address: String
    ) async throws -> Credential? {
        let account =
            credential.map { AttemptGuard.Account.user($0.user) } ?? .nobody(folded: name.key)
        let isKnown = try await attempts.knows(account, at: address)
        if !isKnown { try await attempts.count(.address(address)) }
        let line: [AttemptGuard.Subject] = isKnown ? [] : [.address(address)]
        let counted: (subjects: [AttemptGuard.Subject], isFirstAbove: Bool)
        do {
            counted = try await attempts.countGuess(
                at: account,
                named: name,
                from: address,
                isKnown: isKnown
            )
        } catch {
            // Refused for the name: the line has had nothing looked at.
            try await attempts.uncount(line)
            throw error
        }
        let proved = try await proved(
            PasswordText(password),
            for: credential,
            uncounting: counted.subjects + line
        )
        guard let proved else {
            if isKnown { try await attempts.count(.address(address)) }
            if let credential, counted.isFirstAbove { try await warn(credential, of: address) }
            return nil
        }
        try await attempts.uncount(line)
        return proved
    }

    /// Asks somebody who is signed in for their password: the proof within the same request.
    ///
    /// Counted apart from what strangers guess, who have no session: they keep nobody from it.
    /// - Returns: what they sign in with from now on.
    /// - Throws: 422 `wrong-password`, 429 `locked-out`.
    @discardableResult
    func require(
        _ password: String,
        of credential: Credential,
        in session: ID<Session>,
        from address: String
    ) async throws -> Credential {
        let here = AttemptGuard.Subject.session(session, of: credential.user)
        let everywhere = AttemptGuard.Subject.inside(credential.user)
        let first = try await attempts.count(here)
        let all = try await attempts.count(everywhere)
        let proved = try await proved(
            PasswordText(password),
            for: credential,
            uncounting: [here, everywhere]
        )
        guard let proved else {
            if first == here.freeCount + 1 || all == everywhere.freeCount + 1 {
                try await warn(credential, of: address)
            }
            throw APIError(.wrongPassword)
        }
        // Neither is a second factor shown by it, nor a network made known.
        try await attempts.forget([here])
        try await attempts.forgetGuesses(of: credential, from: address)
        return proved
    }

    private var attempts: AttemptGuard {
        AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
    }

    /// Whose password it is: an unknown user costs the same hashes as a known one.
    ///
    /// A hash from before passwords were normalised is of the text as it was sent then: where that
    /// is right, the normalised form is hashed in its place.
    private func proved(
        _ password: PasswordText,
        for credential: Credential?,
        uncounting counted: [AttemptGuard.Subject]
    ) async throws -> Credential? {
        let hash = credential?.passwordHash
        let compared = hash ?? PasswordHash.ofNobody
        do {
            if try await blocking.run({
                PasswordHash.verify(password.normalized, against: compared)
            }) {
                return hash == nil ? nil : credential
            }
            guard let sent = password.unnormalized else { return nil }
            let isRight = try await blocking.run { PasswordHash.verify(sent, against: compared) }
            guard isRight, hash != nil, let credential else { return nil }
            return try await hashedAnew(password.normalized, of: credential)
        } catch let error as BlockingPoolFull {
            try await attempts.uncount(counted)
            throw error
        }
    }

    /// The credential with the hash of the normalised form, stored unless it was changed meanwhile.
    private func hashedAnew(
        _ password: String,
        of credential: Credential
    ) async throws -> Credential {
        let hash = try await blocking.run { PasswordHash.make(password) }
        let stored = try await database.queryOne(
            PasswordStatements.replace,
            credential.user,
            hash,
            credential.passwordHash
        )
        guard stored != nil else { return credential }
        var renewed = credential
        renewed.passwordHash = hash
        return renewed
    }

    /// Tells the owner, once an hour at most, that somebody has begun to be slowed down.
    private func warn(_ credential: Credential, of address: String) async throws {
        let budget = CodeBudget(configuration: configuration)
        let wanted = [(subject: CodeBudget.Subject.warning(credential.user), most: Int32(1))]
        try await database.transaction { [self] transaction in
            guard try await budget.take(wanted, in: transaction) == nil else { return }
            try await audit.append(
                AuditEntry(
                    .lockedOut,
                    by: .anyone,
                    of: credential.user,
                    detail: ["factor": "password"],
                    from: AuditOrigin(address: address)
                ),
                in: transaction
            )
            try await messages.add(
                .lockout,
                by: .email,
                to: credential.email,
                language: credential.language,
                user: credential.user,
                parameters: ["address": address],
                lifeSeconds: 86_400,
                in: transaction
            )
        }
    }
}
