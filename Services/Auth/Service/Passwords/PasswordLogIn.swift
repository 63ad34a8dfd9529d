import Crypto
import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Logging in by password, or by password and a one-time code.
struct PasswordLogIn {
    let database: Database
    let blocking: BlockingPool
    let challenges: ChallengeStore
    let messages: MessageJobs
    let firstFactor: FirstFactor
    let configuration: AuthConfiguration

    func logIn(
        _ identifier: String,
        _ password: String,
        _ request: Request<NoQuery, NewSession>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let address = request.clientAddress
        let folded = TextFolding.caseFolded(identifier)
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        try await attempts.check(.address(address))
        let count = try await attempts.count(.account(folded))
        let credential = try await database.queryOne(
            UserStatements.credentialByIdentifier,
            EmailAddress.lookup(identifier),
            folded
        )
        let hash = credential?.passwordHash
        // An unknown user costs the same hash as a known one.
        let isRight = try await blocking.run {
            PasswordHash.verify(password, against: hash ?? PasswordHash.ofNobody)
        }
        guard let credential, credential.passwordHash != nil, isRight else {
            try await attempts.count(.address(address))
            if let credential, count == AttemptGuard.Subject.account(folded).freeCount + 1 {
                try await warn(credential, of: address)
            }
            throw APIError(.wrongCredentials)
        }
        guard credential.isEnabled else { throw APIError(.userDisabled) }
        switch request.body.method {
        case .password:
            return try await firstFactor.accept(credential, methods: ["pwd"], for: request)
        case .otp:
            let challenge = try await challenges.makeLogIn(
                for: credential,
                channel: request.body.channel
            )
            // The code is to be guessed as slowly as the password: its answer forgets, not this.
            return .accepted(.second(PendingLogIn(challenge: challenge)))
        }
    }

    /// Tells the owner, once, that somebody has begun to be slowed down.
    private func warn(_ credential: Credential, of address: String) async throws {
        try await messages.add(
            .lockout,
            by: .email,
            to: credential.email,
            language: credential.language,
            user: credential.user,
            parameters: ["address": address],
            lifeSeconds: 86_400,
            in: database
        )
    }
}
