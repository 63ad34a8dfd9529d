import Crypto
import Testing
import WalletProtocol

@testable import ServiceKit

/// One key by its name, and a count of how often an unknown one was asked for.
private final class Keys: KeySource {
    let key: ES256Key
    init(_ key: ES256Key) { self.key = key }
    func key(_ id: String) async -> VerificationKey? {
        guard id == key.id else { return nil }
        return VerificationKey(
            KeyView(
                keyType: "EC",
                curve: "P-256",
                x: Base64URL.encode(key.x),
                y: Base64URL.encode(key.y),
                keyID: key.id,
                use: "sig",
                algorithm: "ES256"
            )
        )
    }
}

/// The attacks on access tokens, each against what every service verifies with.
///
/// Source: RFC 8725; OWASP ASVS 5.0, V9.
@Suite struct TokenAttackTests {
    private let key: ES256Key
    private let now = Int(Instant.now().secondsSince1970)
    private let user = ID<User>.new()
    private let session = ID<Session>.new()
    init() throws { key = try ES256Key.generate() }

    private func verify(
        _ token: String,
        audience: String = AccessClaims.userAudience
    ) async -> AccessClaims? {
        let verifier = TokenVerifier(issuer: "https://us", keys: Keys(key))
        let bytes = Array(token.utf8)
        let first = try? await verifier.verify(bytes[...], audience: audience)
        // What was refused or accepted once is so again, from the memory too.
        let second = try? await verifier.verify(bytes[...], audience: audience)
        #expect((first == nil) == (second == nil))
        return first?.claims
    }

    private var header: String { #"{"alg":"ES256","kid":"\#(key.id)","typ":"at+jwt"}"# }

    /// The members of a good token; a value of nil leaves one out.
    private func payload(_ changes: [String: String?] = [:]) -> String {
        var members: [(String, String)] = [
            ("iss", #""https://us""#), ("aud", #""ezwallet""#), ("sub", #""\#(user.text)""#),
            ("sid", #""\#(session.text)""#), ("roles", #"["user"]"#), ("gen", "1"),
            ("iat", "\(now)"), ("exp", "\(now + 600)"),
        ]
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private func token(
        header: String? = nil,
        payload: String? = nil,
        signedBy signer: ES256Key? = nil
    ) -> String {
        var header = header ?? self.header
        // Only the rest is wrong: it says that it is an access token.
        if header.hasPrefix("{\""), !header.contains("typ") {
            header = #"{"typ":"at+jwt","# + header.dropFirst()
        }
        let text =
            Base64URL.encode(header.utf8) + "."
            + Base64URL.encode((payload ?? self.payload()).utf8)
        return text + "." + Base64URL.encode((signer ?? key).sign(Array(text.utf8)))
    }

    @Test func theTokenThatAllOthersDifferFromIsGood() async {
        let claims = await verify(token())
        #expect(claims?.subject == user.text)
    }

    @Test(arguments: [
        #"{"alg":"none","kid":"K"}"#, #"{"alg":"None","kid":"K"}"#, #"{"alg":"","kid":"K"}"#,
        #"{"alg":null,"kid":"K"}"#, #"{"alg":["ES256"],"kid":"K"}"#, #"{"kid":"K"}"#,
        #"{"alg":"HS256","kid":"K"}"#, #"{"alg":"RS256","kid":"K"}"#,
        #"{"alg":"ES384","kid":"K"}"#, #"{"alg":"es256","kid":"K"}"#,
        #"{"alg":"ES256 ","kid":"K"}"#, #"{"alg":"ES256","alg":"ES256","kid":"K"}"#,
        #"{"alg":"none","alg":"ES256","kid":"K"}"#, #"{"alg":"ES256"}"#,
        #"{"alg":"ES256","kid":null}"#, #"{"alg":"ES256","kid":7}"#,
        #"{"alg":"ES256","kid":""}"#, #"{"alg":"ES256","kid":"K","kid":"K"}"#,
        #"{"alg":"ES256","kid":"../../../../dev/null"}"#, #"{"alg":"ES256","kid":"/etc/passwd"}"#,
        #"{"alg":"ES256","kid":"' or '1'='1"}"#, #"{"alg":"ES256","kid":"x'; drop table a; --"}"#,
        #"{"alg":"ES256","kid":"|whoami"}"#, #"{"alg":"ES256","kid":"K\u0000"}"#,
        #"{"alg":"ES256","kid":"K\n"}"#, #"{"alg":"ES256","kid":" K"}"#,
        #"{"alg":"ES256","kid":"https://evil.example/key"}"#,
        #"{"alg":"ES256","kid":"K","crit":["exp"],"exp":1}"#,
        #"{"alg":"ES256","kid":"K","crit":["b64"],"b64":false}"#,
        #"{"alg":"ES256","kid":"K","crit":[]}"#, #"{"alg":"ES256","kid":"K","typ":"JWT"}"#,
        #"{"alg":"ES256","kid":"K","typ":""}"#, #"{"alg":"ES256","kid":"K","typ":["at+jwt"]}"#,
        #"["ES256"]"#, #""ES256""#, "null", "", "{",
    ])
    func aHeaderThatSaysAnythingElseIsRefused(_ text: String) async {
        let header = text.split(separator: "K", omittingEmptySubsequences: false)
            .joined(separator: key.id)
        let claims = await verify(token(header: header))
        #expect(claims == nil)
    }

    @Test func hugeKeyNamesAndTokensAreRefused() async {
        let name = String(repeating: "k", count: 5_000)
        #expect(await verify(token(header: #"{"alg":"ES256","kid":"\#(name)"}"#)) == nil)
        let filler = "\"" + String(repeating: "x", count: 9_000) + "\""
        #expect(await verify(token(payload: payload(["x": filler]))) == nil)
        let depth = String(repeating: "[", count: 2_000) + String(repeating: "]", count: 2_000)
        #expect(await verify(token(payload: payload(["x": depth]))) == nil)
        let dots = String(repeating: ".", count: 8_000)
        #expect(await verify(dots) == nil)
    }

    @Test func anotherKeyIsRefusedWhateverTheHeaderBrings() async throws {
        let other = try ES256Key.generate()
        let id = key.id
        for header in [
            header, #"{"alg":"ES256","kid":"\#(id)","jwk":\#(other.jwk)}"#,
            #"{"alg":"ES256","kid":"\#(id)","jku":"https://evil.example/jwks.json"}"#,
            #"{"alg":"ES256","kid":"\#(id)","x5u":"https://evil.example/cert.pem"}"#,
            #"{"alg":"ES256","kid":"\#(id)","x5c":["MIIB"]}"#,
            #"{"alg":"ES256","kid":"\#(other.id)"}"#,
        ] {
            let claims = await verify(token(header: header, signedBy: other))
            #expect(claims == nil, "\(header)")
        }
    }

    /// An HMAC under what everybody knows of the key: its point, its JWK, its name.
    @Test func thePublicKeyIsNoSecret() async {
        let text =
            Base64URL.encode(
                #"{"alg":"HS256","kid":"\#(key.id)","typ":"at+jwt"}"#.utf8
            ) + "."
            + Base64URL.encode(payload().utf8)
        for secret in [key.x + key.y, [4] + key.x + key.y, Array(key.jwk.utf8), [], [0]] {
            let code = HMACSHA256.code(text.utf8, key: secret)
            for signature in [code, code + code] {
                let claims = await verify(text + "." + Base64URL.encode(signature))
                #expect(claims == nil)
            }
        }
    }

    @Test func changedSignaturesAreRefused() async throws {
        let good = token()
        let parts = good.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2].utf8))
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let der: [UInt8] = [0x30, 70, 2, 33, 0] + r + [2, 33, 0] + s
        for bytes in [[], r, r + zero, zero + s, zero + zero, s + r, der, signature + [0]] {
            let text = parts[0] + "." + parts[1] + "." + Base64URL.encode(bytes)
            #expect(await verify(text) == nil)
        }
        for bit in 0..<512 where bit % 7 == 0 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let text = parts[0] + "." + parts[1] + "." + Base64URL.encode(changed)
            #expect(await verify(text) == nil, "\(bit)")
        }
        for count in 0..<good.utf8.count where count % 11 == 0 {
            #expect(await verify(String(good.prefix(count))) == nil, "\(count)")
        }
        for text in [good + "=", good + ".", good + " ", "Bearer " + good, good + "\0", "." + good]
        {
            #expect(await verify(text) == nil)
        }
    }

    @Test(
        arguments: [
            ("exp", nil), ("exp", "\"9999999999\""), ("exp", "-1"), ("exp", "0"), ("exp", "null"),
            ("exp", "9223372036854775808"), ("exp", "1e400"), ("exp", "1e30"), ("exp", "true"),
            ("exp", "9999999999.5"), ("exp", "[9999999999]"), ("exp", "-9223372036854775808"),
            ("iat", nil), ("iat", "9999999999"), ("iat", "\"1\""), ("nbf", "9999999999"),
            ("nbf", "\"1\""), ("nbf", "9223372036854775807"), ("sub", nil), ("sub", "7"),
            ("sub", "null"), ("iss", nil), ("iss", "\"https://them\""), ("iss", "\"https://us/\""),
            ("iss", "\"HTTPS://us\""), ("iss", "[\"https://us\"]"), ("aud", nil),
            ("aud", "\"ezwallet-internal\""), ("aud", "\"ezwallet \""), ("aud", "[\"ezwallet\"]"),
            ("aud", "\"\""), ("roles", "\"admin\""), ("roles", "[\"root\"]"), ("gen", "\"1\""),
            ("gen", "1.5"), ("sid", "\"../x\""), ("sid", "7"),
        ] as [(String, String?)]
    )
    func aClaimThatIsMissingOrWrongIsRefused(_ name: String, _ value: String?) async {
        let claims = await verify(token(payload: payload([name: value])))
        #expect(claims == nil)
    }

    @Test func aClaimTwiceIsRefused() async {
        for twice in [#","exp":9999999999}"#, #","sub":"a"}"#, #","\u0065xp":9999999999}"#] {
            let text = payload().dropLast() + twice
            #expect(await verify(token(payload: String(text))) == nil, "\(twice)")
        }
        for odd in ["", "[]", "null", "7", "\"x\"", payload() + payload(), payload() + "x"] {
            #expect(await verify(token(payload: odd)) == nil, "\(odd)")
        }
    }

    @Test func aTokenEndsWithItsSecond() async {
        #expect(await verify(token(payload: payload(["exp": "\(now)"]))) == nil)
        #expect(await verify(token(payload: payload(["exp": "\(now - 1)"]))) == nil)
    }

    @Test func aServicesTokenIsNoUsersAndTheReverse() async {
        let service = payload([
            "aud": #""ezwallet-internal""#, "sub": #""service:gateway""#, "sid": nil, "gen": nil,
        ])
        #expect(await verify(token(payload: service)) == nil)
        let claims = await verify(
            token(payload: service),
            audience: AccessClaims.serviceAudience
        )
        #expect(claims != nil)
        #expect(await verify(token(), audience: AccessClaims.serviceAudience) == nil)
        // Remembered for one audience, refused for the other.
        let verifier = TokenVerifier(issuer: "https://us", keys: Keys(key))
        let bytes = Array(token().utf8)[...]
        _ = try? await verifier.verify(bytes, audience: AccessClaims.userAudience)
        let other = try? await verifier.verify(bytes, audience: AccessClaims.serviceAudience)
        #expect(other == nil)
    }
}
