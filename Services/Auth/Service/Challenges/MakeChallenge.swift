import Postgres
import ServiceKit
import WalletProtocol

/// Sends a one-time code that proves a phone, before there is an account.
struct MakeChallenge: Handler {
    static let endpoint = Sessions.challenge
    let challenges: ChallengeStore
    let database: Database
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, NewChallenge>,
        as caller: Caller
    ) async throws -> Response<ChallengeView> {
        guard request.body.purpose == .phoneVerification else {
            throw APIError.field(
                "/purpose",
                .invalidValue,
                "phone-verification is the purpose served here"
            )
        }
        guard let phone = request.body.phone else {
            throw APIError.field("/phone", .required, "the phone to verify is needed")
        }
        guard PhoneToken.isPhone(phone) else {
            throw APIError.field("/phone", .invalidValue, "a phone in E.164 is needed")
        }
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .tooManyRequests
        )
        try await attempts.count(.phones(request.clientAddress))
        return .accepted(try await challenges.makePhoneVerification(phone))
    }
}

/// Answers a one-time code: a session, or the proof of a phone.
struct AnswerChallenge: Handler {
    static let endpoint = Sessions.answer
    let challenges: ChallengeStore
    let sessions: SessionStore
    let database: Database
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, ChallengeAnswer>,
        as caller: Caller
    ) async throws -> Response<Either<SessionTokens, PhoneProof>> {
        let id = try request.path.id(of: Challenge.self)
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        switch try await challenges.answer(id, request.body.code) {
        case .logIn(let credential):
            try await attempts.forget(credential.attempts)
            let session = try await sessions.open(
                for: credential,
                on: Device(request),
                methods: ["pwd", "otp"],
                in: database
            )
            let answer = SessionAnswer(session, for: request, configuration: configuration)
            return answer.on(.created(.first(answer.tokens)))
        case .phone(let phone):
            try await attempts.forget([.phones(request.clientAddress)])
            return .ok(.second(PhoneToken.make(phone, key: configuration.phoneKey)))
        }
    }
}
