import HTTP
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
    let redirects: IdentityRedirects

    func handle(
        _ request: Request<AuthorizeQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let provider = try redirects.provider(request.path["name"])
        let target = try redirects.target(of: request.query)
        var user: UserIdentity?
        if request.query.link {
            // A page elsewhere cannot begin this: the cookie of the session is `SameSite=Strict`.
            guard let signedIn = caller.optionalUser else { throw APIError(.unauthenticated) }
            try signedIn.requireFreshProof()
            user = signedIn
        }
        let begun = try await redirects.begin(
            target,
            request.query,
            at: provider,
            linkingTo: user?.id,
            from: request.clientAddress
        )
        var response = Response<NoView>.seeOther(begun.address)
        if let browser = begun.browser {
            let seconds = IdentityStore.attemptSeconds
            response.headers.append(.setCookie, SignInCookie.set(browser, seconds: seconds))
        }
        return response
    }
}

/// Takes a browser back from a provider.
struct IdentityCallback: Handler {
    static let endpoint = Identities.callback
    let redirects: IdentityRedirects
    let security: SecurityLog

    func handle(
        _ request: Request<CallbackQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let provider = try redirects.provider(request.path["name"])
        let browser = SignInCookie.value(of: request)
        let (attempt, end) = try await redirects.finish(
            request.query,
            at: provider,
            in: browser
        )
        switch end {
        case .refused(let cause):
            let facts = SecurityLog.Facts(
                route: request.route,
                sender: .nobody,
                address: request.clientAddress,
                further: [("provider", provider.settings.name), ("cause", cause)]
            )
            security.note(.proofRefused, facts)
            return answer(attempt, browser, [("error", "access-denied")], seconds: 0)
        case .known(.code(let code)):
            return answer(
                attempt,
                browser,
                [("oidcCode", code)],
                seconds: IdentityStore.codeSeconds
            )
        case .known(.unknown(let token)):
            return answer(
                attempt,
                browser,
                [("error", "account-not-found"), ("registrationToken", token)],
                seconds: IdentityStore.registrationSeconds
            )
        }
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
