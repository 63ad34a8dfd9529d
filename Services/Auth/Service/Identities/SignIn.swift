import HTTP
import Postgres
import ServiceKit
import WalletProtocol

/// The cookie that binds a sign-in to the browser that began it.
///
/// `SameSite=Lax`: the provider's redirect is a navigation from elsewhere, and has to bring it.
enum SignInCookie {
    static let name = "__Host-oidc-state"

    static func set(_ value: String, seconds: Int64) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=Lax"
    }

    static func value<Query, Body>(of request: Request<Query, Body>) -> String? {
        cookie(name, in: request.http.head).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension SignInProof {
    init<Query, Body>(code: String, verifier: String?, of request: Request<Query, Body>) {
        self.init(
            code: code,
            browser: SignInCookie.value(of: request),
            codeVerifier: verifier
        )
    }
}

/// The providers there are.
struct ListIdentityProviders: Handler {
    static let endpoint = Identities.providers
    let providers: [IdentityProvider]

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<IdentityProviderView>> {
        let items = providers.map {
            IdentityProviderView(name: $0.settings.name, title: $0.settings.title)
        }
        return .ok(Page(items: items, nextCursor: nil))
    }
}

/// Sends a browser to a provider.
struct AuthorizeIdentity: Handler {
    static let endpoint = Identities.authorize
    let providers: [IdentityProvider]
    let identities: IdentityStore
    let configuration: AuthConfiguration
    let logger: Logger

    func handle(
        _ request: Request<AuthorizeQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let provider = try providers.named(request.path["name"])
        let query = request.query
        let target = try RedirectTarget(
            query.redirectURI,
            codeChallenge: query.codeChallenge,
            publicURL: configuration.publicURL,
            nativeRedirects: configuration.nativeRedirects
        )
        var user: UserIdentity?
        if query.link {
            // A page elsewhere cannot begin this: the cookie of the session is `SameSite=Strict`.
            guard let signedIn = caller.optionalUser else { throw APIError(.unauthenticated) }
            try signedIn.requireFreshProof()
            user = signedIn
        }
        let description: ProviderMetadata
        do throws(ProviderFailure) {
            description = try await provider.description()
        } catch { throw unavailable(provider, error, logger) }
        let attempt = IdentityStore.NewAttempt(
            browser: target.isNative ? nil : IdentityStore.secret(),
            codeChallenge: query.codeChallenge,
            provider: provider.settings.name,
            redirectURI: target.uri,
            user: user?.id
        )
        try await identities.begin(attempt, from: request.clientAddress)
        let address = RedirectTarget.adding(
            [
                ("response_type", "code"), ("client_id", provider.settings.clientID),
                ("redirect_uri", configuration.callback(of: provider)),
                ("scope", provider.settings.scopes), ("state", attempt.state),
                ("nonce", attempt.nonce), ("code_challenge", attempt.challenge),
                ("code_challenge_method", "S256"),
            ],
            to: description.authorizationEndpoint.text
        )
        var response = Response<NoView>.seeOther(address)
        if let browser = attempt.browser {
            let seconds = IdentityStore.attemptSeconds
            response.headers.append(.setCookie, SignInCookie.set(browser, seconds: seconds))
        }
        return response
    }
}

/// Takes a browser back from a provider.
struct IdentityCallback: Handler {
    static let endpoint = Identities.callback
    let providers: [IdentityProvider]
    let identities: IdentityStore
    let configuration: AuthConfiguration
    let logger: Logger

    func handle(
        _ request: Request<CallbackQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let provider = try providers.named(request.path["name"])
        let query = request.query
        let browser = SignInCookie.value(of: request)
        guard let state = query.state,
            let (attempt, verifier) = try await identities.take(
                state: state,
                provider: provider.settings.name,
                browser: browser
            )
        else { throw APIError(.signInExpired) }
        let identity: ExternalIdentity
        do throws(ProviderFailure) {
            try await checkIssuer(query.issuer, of: provider)
            guard let code = query.code, query.error == nil else {
                throw .refused("the provider's error")
            }
            identity = try await provider.identity(
                code: code,
                verifier: verifier,
                nonce: attempt.nonce,
                redirectURI: configuration.callback(of: provider)
            )
        } catch {
            guard case .refused(let cause) = error else {
                throw unavailable(provider, error, logger)
            }
            logger.warning(
                "sign-in refused",
                [("provider", provider.settings.name), ("cause", cause)]
            )
            return answer(attempt, browser, [("error", "access-denied")], seconds: 0)
        }
        switch try await identities.finish(attempt, identity) {
        case .code(let code):
            return answer(
                attempt,
                browser,
                [("oidcCode", code)],
                seconds: IdentityStore.codeSeconds
            )
        case .unknown(let token):
            return answer(
                attempt,
                browser,
                [("error", "account-not-found"), ("registrationToken", token)],
                seconds: IdentityStore.registrationSeconds
            )
        }
    }

    /// Against mix-up: who answers is who was asked (RFC 9207, 2.4).
    private func checkIssuer(
        _ told: String?,
        of provider: IdentityProvider
    ) async throws(ProviderFailure) {
        if let told {
            guard told == provider.settings.issuer else { throw .refused("another issuer") }
            return
        }
        let description = try await provider.description()
        guard !description.tellsIssuer else { throw .refused("no issuer") }
    }

    private func answer(
        _ attempt: SignInAttempt,
        _ browser: String?,
        _ parameters: [(String, String)],
        seconds: Int64
    ) -> Response<NoView> {
        var response = Response<NoView>.seeOther(
            RedirectTarget.adding(parameters, to: attempt.redirectURI)
        )
        if attempt.browserHash != nil, let browser {
            // As long as what it binds.
            response.headers.append(.setCookie, SignInCookie.set(browser, seconds: seconds))
        }
        return response
    }
}

extension AuthConfiguration {
    /// Where a provider sends browsers back to; one for each, so that none answers for another.
    func callback(of provider: IdentityProvider) -> String {
        publicURL + "/v1/identity-providers/" + provider.settings.name + "/callback"
    }
}

extension [IdentityProvider] {
    /// - Throws: 404.
    func named(_ name: String) throws(APIError) -> IdentityProvider {
        guard let provider = first(where: { $0.settings.name == name }) else {
            throw APIError.notFound
        }
        return provider
    }
}

/// 503, and a line in the log that says why.
private func unavailable(
    _ provider: IdentityProvider,
    _ failure: ProviderFailure,
    _ logger: Logger
) -> APIError {
    logger.warning(
        "identity provider unavailable",
        [("provider", provider.settings.name), ("cause", String(describing: failure))]
    )
    return APIError(.unavailable, "the identity provider does not answer", retryAfterSeconds: 5)
}
