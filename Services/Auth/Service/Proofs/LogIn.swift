import ServiceKit
import WalletProtocol

/// Logs in by exactly one of the ways there are; the work is in each way's own folder.
struct LogIn: Handler {
    static let endpoint = Sessions.logIn
    let password: PasswordLogIn
    let passkey: PasskeyLogIn
    let identity: IdentityLogIn

    func handle(
        _ request: Request<NoQuery, NewSession>,
        as caller: Caller
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        switch try Way(request.body) {
        case .password(let identifier, let secret):
            try await password.logIn(identifier, secret, request)
        case .passkey(let assertion):
            try await passkey.logIn(assertion, request)
        case .identity(let code, let verifier):
            try await identity.logIn(code, verifier, request)
        }
    }

    /// The ways to log in.
    enum Way {
        case password(identifier: String, secret: String)
        case passkey(PasskeyAssertion)
        case identity(code: String, verifier: String?)

        /// - Throws: 422 unless exactly one way is told.
        init(_ body: NewSession) throws {
            let ways = [
                body.password != nil || body.identifier != nil, body.passkey != nil,
                body.oidcCode != nil,
            ].filter(\.self)
            guard ways.count <= 1 else {
                throw APIError.field("/password", .invalidValue, "one way to log in at a time")
            }
            if let assertion = body.passkey {
                self = .passkey(assertion)
                return
            }
            if let code = body.oidcCode {
                self = .identity(code: code, verifier: body.codeVerifier)
                return
            }
            guard let identifier = body.identifier, let secret = body.password else {
                throw APIError(
                    .invalidBody,
                    errors: [
                        body.identifier == nil ? "/identifier" : nil,
                        body.password == nil ? "/password" : nil,
                    ].compactMap(\.self).map {
                        FieldError(pointer: $0, code: .required, detail: "is needed")
                    }
                )
            }
            self = .password(identifier: identifier, secret: secret)
        }
    }
}
