import ServiceKit
import WalletProtocol

/// Makes a user and their first session at once.
struct RegisterUser: Handler {
    static let endpoint = Users.register
    let registrations: RegistrationStore
    let security: SecurityLog
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, Unjudged<NewUser>>,
        as caller: Caller
    ) async throws -> Response<RegistrationView> {
        let body = request.body.body
        let made = try await registrations.register(
            request.body,
            as: body.registrationToken.map {
                SignInProof(code: $0, verifier: body.codeVerifier, of: request)
            },
            on: Device(request),
            from: request.clientAddress
        )
        security.note(.registration, request.facts(of: made.profile.id))
        let answer = SessionAnswer(made.session, for: request, configuration: configuration)
        let user = made.profile.view(sessionExpiresAt: made.session.sessionExpiresAt)
        let view = RegistrationView(user: user, session: answer.tokens)
        return answer.on(.created(view, at: "/v1/users/me"))
    }
}
