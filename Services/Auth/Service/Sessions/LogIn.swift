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
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, NewSession>,
        as caller: Caller
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let device = Device(request)
        let identifier = request.body.identifier
        let folded = TextFolding.caseFolded(identifier)
        let slowing = LogInGuard(database: database)
        try await slowing.check(account: folded, address: device.address)
        let credential = try await database.queryOne(
            UserStatements.credentialByIdentifier,
            identifier.lowercased(),
            folded
        )
        let password = request.body.password
        let hash = credential?.passwordHash ?? PasswordHash.ofNobody
        // An unknown user costs the same hash as a known one.
        let isRight = try await blocking.run { PasswordHash.verify(password, against: hash) }
        guard let credential, credential.passwordHash != nil, isRight else {
            try await slowing.failed(account: folded, address: device.address)
            throw APIError(.wrongCredentials)
        }
        guard credential.isEnabled else { throw APIError(.userDisabled) }
        try await slowing.succeeded(account: folded)
        switch request.body.method {
        case .password:
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
            return .accepted(.second(PendingLogIn(challenge: challenge)))
        }
    }
}
