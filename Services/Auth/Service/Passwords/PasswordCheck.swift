import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Compares passwords: counted first, in bounded numbers, alike for people who do not exist.
struct PasswordCheck {
    let database: Database
    let blocking: BlockingPool
    let messages: MessageJobs
    let configuration: AuthConfiguration

    /// Compares a password; nil where it is wrong or there is none.
    ///
    /// - Parameters:
    ///   - named: what was typed, which a guess is counted under.
    ///   - isSignedIn: whether it is asked for once more. The line, which many may share, counts
    ///     for strangers at the door alone.
    /// - Throws: 429 `locked-out`; `BlockingPoolFull` (503), and then nothing was counted.
    func check(
        _ password: String,
        of credential: Credential?,
        named name: SignInName,
        from address: String,
        isSignedIn: Bool = false
    ) async throws -> Credential? {
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        let account =
            credential.map { AttemptGuard.Account.user($0.user) } ?? .nobody(folded: name.key)
        // Whom we know there a failing neighbour does not shut out.
        let isKnown = try await attempts.knows(account, at: address)
        if !isSignedIn, !isKnown { try await attempts.check(.address(address)) }
        let counted = try await attempts.countGuess(
            at: account,
            named: name,
            from: address,
            isKnown: isKnown
        )
        let hash = credential?.passwordHash
        let isRight: Bool
        do {
            // An unknown user costs the same hash as a known one.
            isRight = try await blocking.run {
                PasswordHash.verify(password, against: hash ?? PasswordHash.ofNobody)
            }
        } catch let error as BlockingPoolFull {
            try await attempts.uncount(counted.subjects)
            throw error
        }
        guard let credential, hash != nil, isRight else {
            if !isSignedIn { try await attempts.count(.address(address)) }
            if let credential, counted.isFirstAbove { try await warn(credential, of: address) }
            return nil
        }
        return credential
    }

    /// Asks somebody who is signed in for their password: the proof within the same request.
    /// - Throws: 422 `wrong-password`, 429 `locked-out`.
    func require(
        _ password: String,
        of credential: Credential,
        from address: String
    ) async throws {
        let right = try await check(
            password,
            of: credential,
            named: SignInName(credential.username),
            from: address,
            isSignedIn: true
        )
        guard right != nil else { throw APIError(.wrongPassword) }
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        // Neither is a second factor shown by it, nor a network made known.
        try await attempts.forgetGuesses(of: credential, from: address)
    }

    /// Tells the owner, once an hour at most, that somebody has begun to be slowed down.
    private func warn(_ credential: Credential, of address: String) async throws {
        let budget = CodeBudget(configuration: configuration)
        let wanted = [(subject: CodeBudget.Subject.warning(credential.user), most: Int32(1))]
        try await database.transaction { [self] transaction in
            guard try await budget.take(wanted, in: transaction) == nil else { return }
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
