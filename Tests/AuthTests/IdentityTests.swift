import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Codes of callbacks, taken over a socket.
@Suite struct IdentityTests {
    static let browser = IdentityStore.secret()
    static let cookie: [(StaticString, String)] = [
        ("cookie", "\(SignInCookie.name)=\(browser)")
    ]

    static func identity(_ subject: String, email: String? = nil) -> ExternalIdentity {
        ExternalIdentity(
            provider: "p",
            issuer: "https://p.example",
            subject: subject,
            email: email.flatMap { EmailAddress($0) },
            emailIsVerified: email != nil
        )
    }

    static func attempt(linking user: ID<User>? = nil) -> SignInAttempt {
        SignInAttempt(
            provider: "p",
            browserHash: SHA256.digest(browser.utf8),
            codeChallenge: nil,
            nonce: "n",
            sealedVerifier: [],
            redirectURI: "https://wallet.example/",
            user: user
        )
    }

    private static func register(
        _ harness: Harness,
        _ subject: String
    ) async throws
        -> ServiceRig.Answer
    {
        let outcome = try await harness.parts.identities.finish(attempt(), identity(subject))
        guard case .unknown(let token) = outcome else { throw APIError(.internalError) }
        return try await harness.rig.call(
            .post,
            "/v1/users",
            headers: cookie,
            body: JSON.write(
                NewUser(email: "i\(subject)@example.org", registrationToken: token)
            )
        )
    }

    static func code(
        _ harness: Harness,
        _ subject: String,
        email: String? = nil
    ) async throws -> String {
        let outcome = try await harness.parts.identities.finish(
            attempt(),
            identity(subject, email: email)
        )
        guard case .code(let code) = outcome else { throw APIError(.internalError) }
        return code
    }

    static func logIn(
        _ harness: Harness,
        _ code: String,
        method: LogInMethod = .password
    ) async throws
        -> ServiceRig.Answer
    {
        try await harness.rig.call(
            .post,
            "/v1/sessions",
            headers: cookie,
            body: JSON.write(NewSession(method: method, oidcCode: code))
        )
    }

    @Test func oneCodeGivesOneSessionHoweverManyTakeIt() async throws {
        try await Harness.run { actor, harness in
            let made = try await Self.register(harness, "one")
            try #require(made.status == 201, "\(made.text)")
            let code = try await Self.code(harness, "one")
            let bound = LoopBound(harness, to: actor)
            let answers = try await atOnce(20, on: actor) { actor, _ in
                try await Self.logIn(bound.on(actor), code).status
            }
            #expect(answers.filter { $0 == 201 }.count == 1)
            #expect(answers.allSatisfy { [201, 401, 429].contains($0) }, "\(answers)")
            let sessions = Statement("select count(*) from auth.session") { row in
                try row.int64(0)
            }
            let count = try await harness.database.queryOne(sessions)
            #expect(count == 2)
        }
    }

    @Test func aProvidersLogInIsNoFreshProofAndNoFailingNeighbourKeepsItOut() async throws {
        try await Harness.run { _, harness in
            _ = try await Self.register(harness, "left-open")
            for number in 0..<22 {
                _ = try await harness.logIn("nobody\(number)", "wrong-horse-battery-7")
            }
            let wait = Statement<Void>(
                "update auth.failed_log_in set blocked_until = now() + interval '1 minute'"
            )
            try await harness.database.execute(wait)
            let answer = try await Self.logIn(harness, try await Self.code(harness, "left-open"))
            try #require(answer.status == 201, "\(answer.text)")
            let tokens = try JSON.read(SessionTokens.self, from: answer.body)
            let export = try await harness.call(
                .post,
                "/v1/users/me/exports",
                as: tokens.accessToken
            )
            #expect(export.code == "step-up-required", "\(export.text)")
        }
    }

    @Test func oneTokenMakesOneAccountHoweverManyTakeIt() async throws {
        try await Harness.run { actor, harness in
            let outcome = try await harness.parts.identities.finish(
                Self.attempt(),
                Self.identity("many")
            )
            guard case .unknown(let token) = outcome else { throw APIError(.internalError) }
            let bound = LoopBound(harness, to: actor)
            let answers = try await atOnce(8, on: actor) { actor, number in
                let body = NewUser(email: "m\(number)@example.org", registrationToken: token)
                return try await bound.on(actor).rig.call(
                    .post,
                    "/v1/users",
                    headers: Self.cookie,
                    body: JSON.write(body)
                ).status
            }
            #expect(answers.sorted() == [201] + [Int](repeating: 422, count: 7))
        }
    }

    @Test func aCodeEndsAfterAMinuteAndATokenAfterHalfAnHour() async throws {
        try await Harness.run { _, harness in
            _ = try await Self.register(harness, "late")
            let code = try await Self.code(harness, "late")
            let lives = Statement(
                """
                select extract(epoch from expires_at - now())::int8
                from auth.sign_in_code
                order by expires_at
                """
            ) { row in try row.int64(0) }
            let left = try await harness.database.query(lives)
            #expect(left.allSatisfy { (50...60).contains($0) } && left.count == 1)
            let age = Statement<Void>(
                "update auth.sign_in_code set expires_at = now() - interval '1 millisecond'"
            )
            try await harness.database.execute(age)
            let answer = try await Self.logIn(harness, code)
            #expect(answer.status == 401 && answer.code == "wrong-credentials")
            let service = harness.rig.service
            await CleanUp(database: service.database, logger: service.logger).run()
            let rest = try await harness.database.query(lives)
            #expect(rest.isEmpty)
        }
    }

    @Test func aDisabledPersonIsToldSoOnlyAfterTheProof() async throws {
        try await Harness.run { _, harness in
            _ = try await Self.register(harness, "off")
            let code = try await Self.code(harness, "off")
            try await harness.database.execute(
                Statement<Void>("update auth.user_account set enabled = false")
            )
            let answer = try await Self.logIn(harness, code)
            #expect(answer.status == 403 && answer.code == "user-disabled")
            let again = try await Self.logIn(harness, code)
            #expect(again.status == 401)
        }
    }

    @Test func ofTwoIdentitiesTakenAwayAtOnceOneStays() async throws {
        try await Harness.run { actor, harness in
            let made = try await Self.register(harness, "two")
            let view = try JSON.read(RegistrationView.self, from: made.body)
            // As though they had answered a mailed code: a provider's word is no fresh proof.
            let proved = Statement<Void>("update auth.session set methods = '{otp}'")
            try await harness.database.execute(proved)
            let again = try await harness.refresh(view.session.refreshToken)
            let token = try JSON.read(SessionTokens.self, from: again.body).accessToken
            let outcome = try await harness.parts.identities.finish(
                Self.attempt(linking: view.user.id),
                Self.identity("second")
            )
            guard case .code(let code) = outcome else { throw APIError(.internalError) }
            let linked = try await harness.rig.call(
                .post,
                "/v1/users/me/identities",
                headers: Self.cookie,
                body: JSON.write(NewIdentity(oidcCode: code)),
                token: token
            )
            #expect(linked.status == 201, "\(linked.text)")
            let list = try await harness.parts.identities.list(of: view.user.id)
            try #require(list.count == 2)
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(2, on: actor) { actor, number in
                try await bound.on(actor).rig.call(
                    .delete,
                    "/v1/users/me/identities/\(list[number].id.text)",
                    token: token
                ).status
            }
            #expect(statuses.sorted() == [204, 409])
        }
    }
}

/// Where a provider's description may lead, and where a client may be sent.
@Suite struct ProviderAddressTests {
    @Test func anIssuerIsSecureOrThisMachine() {
        for good in [
            "https://accounts.example.com", "https://login.example.com/tenant/v2.0",
            "https://keycloak:8443/realms/a", "http://127.0.0.1:9400", "http://localhost:1/x",
        ] {
            #expect(ProviderURL(issuer: good) != nil, "\(good)")
        }
        for bad in [
            "http://accounts.example.com", "https://", "https://a@b.example", "ftp://a.example",
            "https://a.example?x=1", "https://a.example#x", "https://a.example/ x", "",
            "//a.example", "HTTPS://a.example", "https:\\\\a.example", "http://127.0.0.1.x.example",
        ] {
            #expect(ProviderURL(issuer: bad) == nil, "\(bad)")
        }
    }

    @Test func aDescriptionLeadsToNoPlaceThatOnlyWeReach() throws {
        let issuer = try #require(ProviderURL(issuer: "https://id.example.com"))
        for good in [
            "https://id.example.com/token", "https://oauth2.googleapis.com/token",
            "https://id.example.com:8443/keys?tenant=1",
        ] {
            #expect(ProviderURL(endpoint: good, of: issuer) != nil, "\(good)")
        }
        for bad in [
            "http://id.example.com/token", "https://127.0.0.1/", "https://localhost/",
            "https://10.0.0.1/", "https://2130706433/", "https://0x7f.1/", "https://[::1]/",
            "https://intranet/", "https://a.localhost/", "https://db.internal/",
            "https://1.2.3/", "https://id.example.com@10.0.0.1/", "https://10.1/x",
            "https://printer.local/", "https://a..b/", "file:///etc/passwd", "gopher://a.b/",
            "http://169.254.169.254/latest", "https://example.com./", "https://ex_ample.com/",
        ] {
            #expect(ProviderURL(endpoint: bad, of: issuer) == nil, "\(bad)")
        }
        let local = try #require(ProviderURL(issuer: "http://127.0.0.1:9400"))
        #expect(ProviderURL(endpoint: "http://127.0.0.1:9400/token", of: local) != nil)
        #expect(ProviderURL(endpoint: "http://10.0.0.1/token", of: local) == nil)
    }

    @Test func aDescriptionOfAnotherIssuerIsNone() throws {
        let issuer = try #require(ProviderURL(issuer: "https://id.example.com"))
        func told(_ name: String, _ value: JSONTree) -> JSONTree {
            let good: JSONTree = [
                "issuer": "https://id.example.com",
                "authorization_endpoint": "https://id.example.com/a",
                "token_endpoint": "https://id.example.com/t",
                "jwks_uri": "https://id.example.com/k",
            ]
            return good.setting(name, value)
        }
        #expect(ProviderMetadata(told("x", 1), issuer: issuer) != nil)
        for (name, value): (String, JSONTree) in [
            ("issuer", "https://id.example.com/"), ("issuer", "https://evil.example"),
            ("issuer", nil), ("token_endpoint", "http://id.example.com/t"),
            ("jwks_uri", "https://10.0.0.1/k"), ("authorization_endpoint", "javascript:alert(1)"),
            ("token_endpoint", 7),
        ] {
            #expect(ProviderMetadata(told(name, value), issuer: issuer) == nil, "\(name)")
        }
        let post = told("token_endpoint_auth_methods_supported", ["client_secret_post"])
        #expect(ProviderMetadata(post, issuer: issuer)?.takesBasic == false)
    }

    /// Whatever is told, the browser stays on our origin or goes to a registered address.
    @Test func noTextSendsABrowserElsewhere() {
        let ours = "https://wallet.example"
        let native = "org.example:/in"
        let pieces = [
            "/", "//", "\\", "@", ":", "evil.example", "https:", "%2f", "%5c", "..", ".", "?",
            "#", ours, native, "a", " ", "\t", "\r\n", "\u{2215}", "\u{ff0f}", "\0", ";",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...5, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard
                let target = try? RedirectTarget(
                    text,
                    codeChallenge: nil,
                    publicURL: ours,
                    nativeRedirects: [native]
                )
            else { continue }
            let rest = target.uri.dropFirst(ours.count)
            #expect(target.uri.hasPrefix(ours + "/") && !rest.hasPrefix("//"), "\(text)")
            #expect(rest.utf8.allSatisfy { $0 != 0x5c && $0 != 0x40 && $0 != 0x25 }, "\(text)")
        }
    }

    @Test func providersAreConfiguredByName() throws {
        let environment = [
            "EZWALLET_OIDC_PROVIDERS": "google, my-key",
            "EZWALLET_OIDC_GOOGLE_ISSUER": "https://accounts.example.com",
            "EZWALLET_OIDC_GOOGLE_CLIENT_ID": "g", "EZWALLET_OIDC_GOOGLE_TITLE": "G",
            "EZWALLET_OIDC_MY_KEY_ISSUER": "https://key.example.com",
            "EZWALLET_OIDC_MY_KEY_CLIENT_ID": "k", "EZWALLET_OIDC_MY_KEY_CLIENT_SECRET": "s",
        ]
        func read(_ more: [String: String?]) throws -> [ProviderSettings] {
            var told = environment
            for (name, value) in more { told[name] = value }
            return try ProviderSettings.all(
                Settings(IdentityVariables.all, environment: told)
            )
        }
        let all = try read([:])
        #expect(all.map(\.name) == ["google", "my-key"] && all.map(\.title) == ["G", "my-key"])
        #expect(all[1].clientSecret == "s" && all[0].clientSecret == nil)
        for bad: [String: String?] in [
            ["EZWALLET_OIDC_GOOGLE_ISSUER": nil], ["EZWALLET_OIDC_MY_KEY_CLIENT_ID": nil],
            ["EZWALLET_OIDC_GOOGLE_ISSUER": "http://accounts.example.com"],
            ["EZWALLET_OIDC_GOOGLE_SCOPES": "email"],
            ["EZWALLET_OIDC_PROVIDERS": "google,google"],
        ] {
            #expect(throws: ConfigurationError.self) { try read(bad) }
        }
    }
}
