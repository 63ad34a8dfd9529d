import Crypto
import JOSE
import Loops
import Outbound
import ServiceKit
import WalletProtocol

/// Why a provider did not say who somebody is.
enum ProviderFailure: Error {
    /// It cannot be reached, answers too late, or what it tells of itself cannot be.
    case unavailable(String)
    /// It said no, or what it said proves nothing.
    case refused(String)
}

/// One OpenID Connect provider as one loop knows it: its description and its keys, kept a while.
///
/// Source: OpenID Connect Core 1.0 and Discovery 1.0, RFC 6749, RFC 7636, RFC 9207.
final class IdentityProvider {
    let settings: ProviderSettings
    private let issuer: ProviderURL
    private let client: OutboundClient
    private let discovery: SharedFetch
    private let keyFetch: SharedFetch
    private var metadata: ProviderMetadata?
    private var keys: JWKSet?

    /// How long a description counts as new, and the keys.
    static let freshNanoseconds: UInt64 = 600_000_000_000
    /// An unknown key is asked for at most so often: a forged token names any key it likes.
    static let pauseNanoseconds: UInt64 = 2_000_000_000
    static let answerBytesMax = 262_144
    static let callNanoseconds: UInt64 = 4_000_000_000
    /// Left of the request's time to answer with, when a provider takes too long.
    static let reserveNanoseconds: UInt64 = 300_000_000

    init?(_ settings: ProviderSettings, client: OutboundClient, loop: EventLoop) {
        guard let issuer = ProviderURL(issuer: settings.issuer) else { return nil }
        self.settings = settings
        self.issuer = issuer
        self.client = client
        discovery = SharedFetch(loop: loop)
        keyFetch = SharedFetch(loop: loop)
    }

    /// What the provider tells of itself; the old description while no new one is to be had.
    func description() async throws(ProviderFailure) -> ProviderMetadata {
        if let metadata, discovery.age < Self.freshNanoseconds { return metadata }
        do {
            try await discovery.run { [self] in
                let base = issuer.text.hasSuffix("/") ? issuer.text.dropLast() : issuer.text[...]
                let tree = try await get(base + "/.well-known/openid-configuration")
                guard let told = ProviderMetadata(tree, issuer: issuer) else {
                    throw ProviderFailure.unavailable("the description cannot be")
                }
                metadata = told
            }
        } catch {
            guard metadata != nil else { throw Self.failure(error) }
        }
        guard let metadata else { throw .unavailable("no description") }
        return metadata
    }

    /// Takes the provider's code for who signed in.
    func identity(
        code: String,
        verifier: String,
        nonce: String,
        redirectURI: String
    ) async throws(ProviderFailure) -> ExternalIdentity {
        let description = try await description()
        let tokens = try await exchange(code, verifier, redirectURI, at: description)
        let check = IDTokenCheck(
            provider: settings.name,
            issuer: settings.issuer,
            clientID: settings.clientID,
            nonce: nonce,
            accessToken: tokens.access
        )
        var identity = try await identity(tokens.identity, check, of: description)
        if identity.email == nil, let endpoint = description.userinfoEndpoint,
            let access = tokens.access, settings.scopes.split(separator: " ").contains("email")
        {
            let claims = try await call {
                try await self.get(endpoint.text, headers: [("Authorization", "Bearer " + access)])
            }
            // Somebody else's answer must not be taken for this person's (Core, 5.3.2).
            guard claims["sub"] == .string(identity.subject) else {
                throw .refused("userinfo is of somebody else")
            }
            identity.takeEmail(from: claims)
        }
        return identity
    }

    // MARK: Keys

    /// Who a token is of; where no key that we know has signed it, the keys are asked for anew.
    private func identity(
        _ token: String,
        _ check: IDTokenCheck,
        of description: ProviderMetadata
    ) async throws(ProviderFailure) -> ExternalIdentity {
        var known = keys
        if keys == nil || keyFetch.age > Self.freshNanoseconds {
            known = try await fetchKeys(of: description)
        }
        do {
            return try check.identity(token, signedBy: known ?? JWKSet(keys: []))
        } catch IDTokenError.signature(let cause) {
            // Names of keys may be missing, and may stay when keys change.
            guard cause == .unknownKey || cause == .wrongSignature || cause == .wrongAlgorithm,
                keyFetch.isUnderWay || keyFetch.age > Self.pauseNanoseconds
            else { throw .refused("ID token: \(cause)") }
        } catch { throw .refused("ID token: \(error)") }
        known = try await fetchKeys(of: description)
        do {
            return try check.identity(token, signedBy: known ?? JWKSet(keys: []))
        } catch { throw .refused("ID token: \(error)") }
    }

    /// The newest keys; those known while no new ones are to be had.
    private func fetchKeys(
        of description: ProviderMetadata
    ) async throws(ProviderFailure) -> JWKSet? {
        do {
            try await keyFetch.run { [self] in
                let tree = try await get(description.keySetURI.text)
                do { keys = try JWKSet(JSON.write(tree)) } catch {
                    throw ProviderFailure.unavailable("keys: \(error)")
                }
            }
        } catch {
            guard keys != nil else { throw Self.failure(error) }
        }
        return keys
    }

    // MARK: Calls

    private func exchange(
        _ code: String,
        _ verifier: String,
        _ redirectURI: String,
        at description: ProviderMetadata
    ) async throws(ProviderFailure) -> (identity: String, access: String?) {
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", verifier),
        ]
        var headers = [("Content-Type", "application/x-www-form-urlencoded")]
        if let secret = settings.clientSecret {
            if description.takesBasic {
                let pair = Percent.encode(settings.clientID) + ":" + Percent.encode(secret)
                headers.append(("Authorization", "Basic " + base64(Array(pair.utf8))))
            } else {
                form += [("client_id", settings.clientID), ("client_secret", secret)]
            }
        } else {
            form.append(("client_id", settings.clientID))
        }
        let body = form.map { $0 + "=" + Percent.encode($1) }.joined(separator: "&")
        let (fields, text) = (headers, Array(body.utf8))
        let tree = try await call {
            try await self.send("POST", description.tokenEndpoint.text, fields, text)
        }
        guard case .string(let token)? = tree["id_token"] else {
            throw .refused("no ID token")
        }
        var access: String?
        if case .string(let text)? = tree["access_token"] { access = text }
        return (token, access)
    }

    private func call(
        _ work: () async throws -> JSONTree
    ) async throws(ProviderFailure) -> JSONTree {
        do { return try await work() } catch { throw Self.failure(error) }
    }

    private func get(
        _ url: some StringProtocol,
        headers: [(String, String)] = []
    ) async throws -> JSONTree {
        try await send("GET", String(url), headers, nil)
    }

    private func send(
        _ method: String,
        _ url: String,
        _ headers: [(String, String)],
        _ body: [UInt8]?
    ) async throws -> JSONTree {
        let now = monotonicNanoseconds()
        let end = RequestContext.current?.deadline ?? .max
        // Cannot wrap: the clock has begun long before a request's deadline; if it did wrap, the
        // other bound would count.
        let request = OutboundRequest(
            method: method,
            url: url,
            headers: headers + [("Accept", "application/json")],
            body: body,
            deadline: min(now + Self.callNanoseconds, end &- Self.reserveNanoseconds),
            responseBytesMax: Self.answerBytesMax
        )
        let answer = try await client.request(request)
        guard answer.status == 200 else {
            // 4xx: the code was not good, or we are not; a redirect is not followed.
            throw (400..<500).contains(answer.status) && answer.status != 429
                ? ProviderFailure.refused("HTTP \(answer.status)")
                : ProviderFailure.unavailable("HTTP \(answer.status)")
        }
        guard let tree = try? JSON.read(JSONTree.self, from: answer.body), case .object = tree
        else { throw ProviderFailure.unavailable("no JSON object") }
        return tree
    }

    private static func failure(_ error: any Error) -> ProviderFailure {
        (error as? ProviderFailure) ?? .unavailable(String(describing: error))
    }

    /// Base64 with padding (RFC 4648, 4), as `Basic` has it.
    private func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { character in
            character == "-" ? "+" : character == "_" ? "/" : character
        }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}

/// What a provider tells of itself (OpenID Connect Discovery 1.0, 3; RFC 9207, 3).
struct ProviderMetadata {
    let authorizationEndpoint: ProviderURL
    let tokenEndpoint: ProviderURL
    let keySetURI: ProviderURL
    let userinfoEndpoint: ProviderURL?
    /// Whether our secret goes into `Authorization`, else into the form.
    let takesBasic: Bool
    /// Whether its callbacks say who answers.
    let tellsIssuer: Bool

    /// Nil where it is another's description, or leads where none may lead.
    init?(_ tree: JSONTree, issuer: ProviderURL) {
        func url(_ name: String) -> ProviderURL? {
            guard case .string(let text)? = tree[name] else { return nil }
            return ProviderURL(endpoint: text, of: issuer)
        }
        guard tree["issuer"] == .string(issuer.text),
            let authorization = url("authorization_endpoint"), let token = url("token_endpoint"),
            let keys = url("jwks_uri")
        else { return nil }
        authorizationEndpoint = authorization
        tokenEndpoint = token
        keySetURI = keys
        userinfoEndpoint = url("userinfo_endpoint")
        if case .array(let methods)? = tree["token_endpoint_auth_methods_supported"] {
            takesBasic = methods.contains(.string("client_secret_basic"))
        } else {
            takesBasic = true
        }
        tellsIssuer = tree["authorization_response_iss_parameter_supported"] == .bool(true)
    }
}

/// Something fetched once for all who want it at the same time.
final class SharedFetch {
    private let loop: EventLoop
    private var waiting: [Wait<Void>] = []
    private var doneAt: UInt64?
    private(set) var isUnderWay = false

    init(loop: EventLoop) { self.loop = loop }

    /// Nanoseconds since the last try ended.
    ///
    /// Cannot wrap: the clock never goes back.
    var age: UInt64 { doneAt.map { monotonicNanoseconds() &- $0 } ?? .max }

    /// Fetches, or waits for who does.
    func run(_ work: () async throws -> Void) async throws {
        if isUnderWay {
            let wait = Wait<Void>(on: loop)
            waiting.append(wait)
            return try await wait.value()
        }
        isUnderWay = true
        defer {
            isUnderWay = false
            doneAt = monotonicNanoseconds()
            let all = waiting
            waiting = []
            for wait in all { wait.resume(returning: ()) }
        }
        try await work()
    }
}
