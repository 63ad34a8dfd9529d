import Crypto
import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Logs in by password, or by password and a one-time code.
struct LogIn: Handler {
    static let endpoint = Sessions.logIn
    let database: Database
    let blocking: BlockingPool
    let sessions: SessionStore
    let challenges: ChallengeStore
    let messages: MessageJobs
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, NewSession>,
        as caller: Caller
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let device = Device(request)
        let identifier = request.body.identifier
        let folded = TextFolding.caseFolded(identifier)
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        try await attempts.check(.address(device.address))
        let count = try await attempts.count(.account(folded))
        let credential = try await database.queryOne(
            UserStatements.credentialByIdentifier,
            identifier.lowercased(),
            folded
        )
        let password = request.body.password
        let hash = credential?.passwordHash
        // An unknown user costs the same hash as a known one.
        let isRight = try await blocking.run {
            PasswordHash.verify(password, against: hash ?? PasswordHash.ofNobody)
        }
        guard let credential, credential.passwordHash != nil, isRight else {
            try await attempts.count(.address(device.address))
            if let credential, count == AttemptGuard.Subject.account(folded).freeCount + 1 {
                try await warn(credential, of: device.address)
            }
            throw APIError(.wrongCredentials)
        }
        guard credential.isEnabled else { throw APIError(.userDisabled) }
        switch request.body.method {
        case .password:
            try await attempts.forget(credential.attempts)
            let session = try await sessions.open(
                for: credential,
                on: device,
                methods: ["pwd"],
                in: database
            )
            let answer = SessionAnswer(session, for: request, configuration: configuration)
            return answer.on(.created(.first(answer.tokens)))
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
