import ServiceKit
import WalletProtocol

/// Sends browsers to providers, and takes them back.
struct IdentityRedirects {
    let providers: [IdentityProvider]
    let identities: IdentityStore
    let configuration: AuthConfiguration
    let logger: Logger

    /// How an attempt ends that came back.
    enum End {
        /// The provider said no, or what it said does not hold.
        case refused(cause: String)
        case known(SignInOutcome)
    }

    /// - Throws: 404.
    func provider(_ name: String) throws(APIError) -> IdentityProvider {
        guard let provider = providers.first(where: { $0.settings.name == name }) else {
            throw APIError.notFound
        }
        return provider
    }

    /// Where a browser is to come out at last.
    /// - Throws: 422 for what is none of ours.
    func target(of query: AuthorizeQuery) throws -> RedirectTarget {
        try RedirectTarget(
            query.redirectURI,
            codeChallenge: query.codeChallenge,
            publicURL: configuration.publicURL,
            nativeRedirects: configuration.nativeRedirects
        )
    }

    /// Begins an attempt.
    /// - Returns: where the browser goes, and the secret that binds the attempt to it, if any.
    /// - Throws: 503 where the provider does not answer.
    func begin(
        _ target: RedirectTarget,
        _ query: AuthorizeQuery,
        at provider: IdentityProvider,
        linkingTo user: ID<User>?,
        from address: String
    ) async throws -> (address: String, browser: String?) {
        let description = try await description(of: provider)
        let attempt = IdentityStore.NewAttempt(
            browser: target.isNative ? nil : IdentityStore.secret(),
            codeChallenge: query.codeChallenge,
            provider: provider.settings.name,
            redirectURI: target.uri,
            user: user
        )
        try await identities.begin(attempt, from: address)
        let place = RedirectTarget.adding(
            [
                ("response_type", "code"), ("client_id", provider.settings.clientID),
                ("redirect_uri", configuration.callback(of: provider)),
                ("scope", provider.settings.scopes), ("state", attempt.state),
                ("nonce", attempt.nonce), ("code_challenge", attempt.challenge),
                ("code_challenge_method", "S256"),
            ],
            to: description.authorizationEndpoint.text
        )
        return (place, attempt.browser)
    }

    private func description(
        of provider: IdentityProvider
    ) async throws(APIError) -> ProviderMetadata {
        do throws(ProviderFailure) {
            return try await provider.description()
        } catch { throw unavailable(provider, error) }
    }

    /// Ends the attempt that came back.
    /// - Throws: `sign-in-expired`, 503 where the provider does not answer.
    func finish(
        _ query: CallbackQuery,
        at provider: IdentityProvider,
        in browser: String?
    ) async throws -> (attempt: SignInAttempt, end: End) {
        guard let state = query.state,
            let (attempt, verifier) = try await identities.take(
                state: state,
                provider: provider.settings.name,
                browser: browser
            )
        else { throw APIError(.signInExpired) }
        switch try await identity(query, attempt, verifier, of: provider) {
        case .success(let identity):
            return (attempt, .known(try await identities.finish(attempt, identity)))
        case .failure(let refusal): return (attempt, .refused(cause: refusal.cause))
        }
    }

    private struct Refusal: Error {
        let cause: String
    }

    /// Who it is by the provider's word, or why it is refused.
    private func identity(
        _ query: CallbackQuery,
        _ attempt: SignInAttempt,
        _ verifier: String,
        of provider: IdentityProvider
    ) async throws(APIError) -> Result<ExternalIdentity, Refusal> {
        do throws(ProviderFailure) {
            try await checkIssuer(query.issuer, of: provider)
            guard let code = query.code, query.error == nil else {
                throw .refused("the provider's error")
            }
            let identity = try await provider.identity(
                code: code,
                verifier: verifier,
                nonce: attempt.nonce,
                redirectURI: configuration.callback(of: provider)
            )
            return .success(identity)
        } catch {
            guard case .refused(let cause) = error else { throw unavailable(provider, error) }
            return .failure(Refusal(cause: cause))
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

    /// 503, and a line in the log that says why.
    private func unavailable(
        _ provider: IdentityProvider,
        _ failure: ProviderFailure
    ) -> APIError {
        logger.warning(
            "identity provider unavailable",
            [("provider", provider.settings.name), ("cause", String(describing: failure))]
        )
        return APIError(
            .unavailable,
            "the identity provider does not answer",
            retryAfterSeconds: 5
        )
    }
}

extension AuthConfiguration {
    /// Where a provider sends browsers back to; one for each, so that none answers for another.
    func callback(of provider: IdentityProvider) -> String {
        publicURL + "/v1/identity-providers/" + provider.settings.name + "/callback"
    }
}
