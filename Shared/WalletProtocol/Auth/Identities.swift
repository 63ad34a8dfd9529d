/// Somebody else who can say who a person is, by OpenID Connect.
public struct IdentityProviderView: JSONObject, Hashable {
    public let name: String
    public let title: String

    public init(name: String, title: String) {
        self.name = name
        self.title = title
    }

    public static let json = Object(
        IdentityProviderView.init,
        Field("name", \.name, about: "The name in paths."),
        Field("title", \.title, about: "The name to show.")
    )
}

/// How a sign-in by another provider begins.
public struct AuthorizeQuery: QueryObject, Hashable {
    public let redirectURI: String?
    public let codeChallenge: String?
    public let link: Bool

    public static let query = QueryFields(
        AuthorizeQuery.init,
        QueryField(
            "redirectUri",
            \.redirectURI,
            about: "A path of this origin (`/…`, default `/`), or a registered URI of a native app."
        ),
        QueryField(
            "codeChallenge",
            \.codeChallenge,
            about: "S256 of RFC 7636; native clients alone, and always theirs."
        ),
        QueryField(
            "link",
            \.link,
            default: false,
            about: "Link to the account of who is signed in; wants a fresh proof."
        )
    )
}

/// What a provider sends back (RFC 6749, 4.1.2; RFC 9207); anything else it adds is passed over.
public struct CallbackQuery: QueryObject, Hashable {
    public let code: String?
    public let state: String?
    public let issuer: String?
    public let error: String?

    public static let query = OpenQueryFields(
        CallbackQuery.init,
        QueryField("code", \.code, about: "The provider's code."),
        QueryField("state", \.state, about: "The state of the request."),
        QueryField("iss", \.issuer, about: "Who answers."),
        QueryField("error", \.error, about: "Why there is no code.")
    )
}

/// A provider's person who is linked to an account.
public struct IdentityView: JSONObject, Hashable {
    public let id: ID<LinkedIdentity>
    public let provider: String
    public let email: String?
    public let createdAt: Instant
    public let lastUsedAt: Instant?

    public init(
        id: ID<LinkedIdentity>,
        provider: String,
        email: String? = nil,
        createdAt: Instant,
        lastUsedAt: Instant? = nil
    ) {
        self.id = id
        self.provider = provider
        self.email = email
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    public static let json = Object(
        IdentityView.init,
        Field("id", \.id, about: "The identifier."),
        Field("provider", \.provider, about: "The provider's name."),
        Field("email", \.email, about: "The address as the provider told it."),
        Field("createdAt", \.createdAt, about: "When it was linked."),
        Field("lastUsedAt", \.lastUsedAt, about: "When it last signed in.")
    )
}

/// What links an identity.
public struct NewIdentity: JSONObject, Hashable {
    public let oidcCode: String
    public let codeVerifier: String?

    public init(oidcCode: String, codeVerifier: String? = nil) {
        self.oidcCode = oidcCode
        self.codeVerifier = codeVerifier
    }

    public static let json = Object(
        NewIdentity.init,
        Field(
            "oidcCode",
            \.oidcCode,
            .line(1...128),
            about: "What the callback of `authorize?link=true` gave."
        ),
        Field("codeVerifier", \.codeVerifier, .line(43...128), about: "A native client's verifier.")
    )
}

/// Signing in by other providers.
public enum Identities {
    /// The providers there are.
    public static let providers = Endpoint<NoQuery, NoBody, Page<IdentityProviderView>>(
        "listIdentityProviders",
        .get,
        "/v1/identity-providers",
        of: .auth,
        for: .anyone,
        summary: "List the identity providers to sign in with"
    )

    /// Sends the browser to a provider.
    public static let authorize = Endpoint<AuthorizeQuery, NoBody, NoView>(
        "authorizeIdentity",
        .get,
        "/v1/identity-providers/{name}/authorize",
        of: .auth,
        for: .anyone,
        statuses: [303],
        errors: [.notFound, .stepUpRequired, .unauthenticated, .tooManyRequests],
        answersSecrets: true,
        summary: "Begin to sign in by an identity provider",
        description: """
            Opened by the browser. The sign-in is bound to that browser by a cookie, or to a \
            native client by `codeChallenge`; nobody else can end it.
            """
    )

    /// Takes the browser back from a provider.
    public static let callback = Endpoint<CallbackQuery, NoBody, NoView>(
        "identityCallback",
        .get,
        "/v1/identity-providers/{name}/callback",
        of: .auth,
        for: .anyone,
        statuses: [303],
        errors: [.notFound, .signInExpired],
        answersSecrets: true,
        summary: "Come back from an identity provider",
        description: """
            To the client's address with `oidcCode` (one use, one minute); or with `error` \
            `access-denied`, or `account-not-found` and a `registrationToken` (30 minutes).
            """
    )

    /// Who one is elsewhere.
    public static let list = Endpoint<NoQuery, NoBody, Page<IdentityView>>(
        "listIdentities",
        .get,
        "/v1/users/me/identities",
        of: .auth,
        for: .user,
        summary: "List one's linked identities"
    )

    /// Links one more.
    public static let link = Endpoint<NoQuery, NewIdentity, IdentityView>(
        "linkIdentity",
        .post,
        "/v1/users/me/identities",
        of: .auth,
        for: .user,
        statuses: [201],
        errors: [.identityTaken, .signInExpired, .userDisabled],
        summary: "Link an identity",
        description: """
            Takes the `oidcCode` of a sign-in that the same person began with `link=true`. Mailed.
            """
    )

    /// Unlinks one.
    public static let unlink = Endpoint<NoQuery, NoBody, NoView>(
        "unlinkIdentity",
        .delete,
        "/v1/users/me/identities/{id}",
        of: .auth,
        for: .user,
        errors: [.notFound, .stepUpRequired, .lastCredential],
        summary: "Unlink an identity"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        providers.erased, authorize.erased, callback.erased, list.erased, link.erased,
        unlink.erased,
    ]
}
