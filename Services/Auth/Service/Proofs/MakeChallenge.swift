import HTTP
import Postgres
import ServiceKit
import WalletProtocol

/// Sends a one-time code: to a phone that is to be proved, or to somebody signed in.
struct MakeChallenge: Handler {
    static let endpoint = Sessions.challenge
    let challenges: ChallengeStore
    let database: Database

    func handle(
        _ request: Request<NoQuery, NewChallenge>,
        as caller: Caller
    ) async throws -> Response<ChallengeView> {
        switch request.body.purpose {
        case .phoneVerification: return .accepted(try await verification(request, caller))
        case .stepUp: return .accepted(try await stepUp(request, caller))
        }
    }

    private func verification(
        _ request: Request<NoQuery, NewChallenge>,
        _ caller: Caller
    ) async throws -> ChallengeView {
        guard let phone = request.body.phone else {
            throw APIError.field("/phone", .required, "the phone to verify is needed")
        }
        guard PhoneToken.isPhone(phone) else {
            throw APIError.field("/phone", .invalidValue, "a phone in E.164 is needed")
        }
        guard request.body.channel ?? .sms == .sms else {
            throw APIError.field("/channel", .invalidValue, "a phone is proved by SMS")
        }
        let tag = request.http.head.text(.acceptLanguage)?.prefix { $0 != "," && $0 != ";" }
        let language = tag.map { String($0) } ?? "en"
        return try await challenges.makePhoneVerification(
            phone,
            language: FieldChecks.isLanguage(language) ? language : "en",
            for: try await credential(of: caller.optionalUser),
            from: request.clientAddress
        )
    }

    private func stepUp(
        _ request: Request<NoQuery, NewChallenge>,
        _ caller: Caller
    ) async throws -> ChallengeView {
        guard let user = caller.optionalUser,
            let credential = try await credential(of: user)
        else { throw APIError(.unauthenticated) }
        guard request.body.phone == nil else {
            throw APIError.field("/phone", .invalidValue, "the code goes where the account says")
        }
        return try await challenges.makeStepUp(
            for: credential,
            session: user.session,
            channel: request.body.channel,
            from: request.clientAddress
        )
    }

    private func credential(of user: UserIdentity?) async throws -> Credential? {
        guard let user else { return nil }
        let credential = try await database.queryOne(UserStatements.credentialByID, user.id)
        return credential?.isEnabled == true ? credential : nil
    }
}

/// Answers a one-time code: a session, a fresh proof, or the proof of a phone.
struct AnswerChallenge: Handler {
    static let endpoint = Sessions.answer
    let challenges: ChallengeStore
    let sessions: SessionStore
    let firstFactor: FirstFactor
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, ChallengeAnswer>,
        as caller: Caller
    ) async throws -> Response<Either<SessionTokens, PhoneProof>> {
        let answered = try await challenges.answer(
            request.path.id(of: Challenge.self),
            request.body.code,
            session: caller.optionalUser?.session,
            from: request.clientAddress
        )
        switch answered {
        case .logIn(let credential, let methods):
            // Who began by an identity goes on by the one that was kept then, or not at all.
            let isFederated = methods.contains(AccessClaims.federated)
            let answer = try await firstFactor.open(
                credential,
                methods: methods,
                identity: isFederated ? .before(request.path.id(of: Challenge.self)) : nil,
                for: request
            )
            return answer.on(.created(.first(answer.tokens)))
        case .stepUp(let credential, let session, let methods):
            let proved = try await sessions.prove(session, of: credential.user, methods: methods)
            firstFactor.security.note(.stepUp, request.facts(of: credential.user, methods))
            let answer = SessionAnswer(proved, for: request, configuration: configuration)
            return answer.on(.created(.first(answer.tokens)))
        case .phone(let phone):
            return .ok(.second(PhoneToken.make(phone, keys: configuration.phoneKeys)))
        }
    }
}
