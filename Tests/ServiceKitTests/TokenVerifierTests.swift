import Crypto
import Loops
import Testing
import WalletProtocol

@testable import ServiceKit

/// One key, known by its name.
private final class OneKey: KeySource {
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

/// The attacks on tokens that RFC 8725 lists.
@Suite struct TokenVerifierTests {
    private let key: ES256Key
    private let now = Int(Instant.now().secondsSince1970)
    init() throws { key = try ES256Key.generate() }

    private func claims(
        issuer: String = "https://us",
        audience: String = AccessClaims.userAudience,
        expiresIn: Int = 60,
        notBefore: Int? = nil,
        issuedIn: Int = 0
    ) -> AccessClaims {
        AccessClaims(
            issuer: issuer,
            audience: audience,
            subject: ID<User>.new().text,
            session: .new(),
            roles: [.user],
            generation: 1,
            issuedAt: now + issuedIn,
            expiresAt: now + expiresIn,
            notBefore: notBefore
        )
    }

    private func isAccepted(_ token: String) async -> Bool {
        let verifier = TokenVerifier(issuer: "https://us", keys: OneKey(key))
        let bytes = Array(token.utf8)
        let first =
            (try? await verifier.verify(bytes[...], audience: AccessClaims.userAudience)) != nil
        // Remembered or not, the answer is the same.
        let second =
            (try? await verifier.verify(bytes[...], audience: AccessClaims.userAudience)) != nil
        #expect(first == second)
        return first
    }

    private func token(header: String, payload: [UInt8], signed: Bool = true) -> String {
        var text = Base64URL.encode(Array(header.utf8)) + "."
        text += Base64URL.encode(payload)
        let signature = signed ? key.sign(Array(text.utf8)) : []
        return text + "." + Base64URL.encode(signature)
    }

    @Test func aGoodTokenIsAccepted() async {
        let accepted = await isAccepted(CompactJWS.sign(JSON.write(claims()), with: key))
        #expect(accepted)
    }

    @Test func whatElseOurKeysSignIsNoAccessToken() async {
        for type in ["JWT", "", "at+jwtx", "block"] {
            let text = CompactJWS.sign(JSON.write(claims()), with: key, type: type)
            let accepted = await isAccepted(text)
            #expect(!accepted, "\(type)")
        }
        let upper = CompactJWS.sign(JSON.write(claims()), with: key, type: "AT+JWT")
        let accepted = await isAccepted(upper)
        #expect(accepted, "media types know no case (RFC 9110, 8.3.1)")
    }

    @Test func anotherIssuerAudienceOrTimeIsRefused() async {
        let wrong = [
            claims(issuer: "https://them"), claims(audience: AccessClaims.serviceAudience),
            claims(expiresIn: -1), claims(notBefore: now + 600), claims(issuedIn: 600),
        ]
        for (index, claims) in wrong.enumerated() {
            let accepted = await isAccepted(CompactJWS.sign(JSON.write(claims), with: key))
            #expect(!accepted, "\(index)")
        }
    }

    @Test func otherAlgorithmsKeysAndHeadersAreRefused() async throws {
        let payload = JSON.write(claims())
        let other = try ES256Key.generate()
        let id = key.id
        let type = #""typ":"at+jwt""#
        let headers = [
            #"{\#(type),"alg":"none","kid":"\#(id)"}"#,
            #"{\#(type),"alg":"HS256","kid":"\#(id)"}"#,
            #"{\#(type),"alg":"es256","kid":"\#(id)"}"#, #"{\#(type),"kid":"\#(id)"}"#,
            #"{\#(type),"alg":"ES256"}"#, #"{\#(type),"alg":"ES256","kid":"../../dev/null"}"#,
            #"{\#(type),"alg":"ES256","kid":"' or 1=1"}"#,
            #"{\#(type),"alg":"ES256","alg":"none","kid":"\#(id)"}"#,
            #"{\#(type),"alg":"ES256","kid":"\#(id)","crit":["exp"]}"#,
            #"{"alg":"ES256","kid":"\#(id)"}"#, "[]", "",
        ]
        // What is refused is refused for what differs: the same by itself is taken.
        let plain = #"{\#(type),"alg":"ES256","kid":"\#(id)"}"#
        let isPlainAccepted = await isAccepted(token(header: plain, payload: payload))
        #expect(isPlainAccepted)
        for header in headers {
            let accepted = await isAccepted(token(header: header, payload: payload))
            #expect(!accepted, "\(header)")
        }
        let unsigned = await isAccepted(
            token(header: headers[0], payload: payload, signed: false)
        )
        #expect(!unsigned)
        // A key inside the header is never looked at: the signature is the other key's.
        let jwk =
            #"{\#(type),"alg":"ES256","kid":"\#(id)","jwk":\#(other.jwk),"jku":"https://them"}"#
        var forged = Base64URL.encode(Array(jwk.utf8)) + "."
        forged += Base64URL.encode(payload)
        forged += "." + Base64URL.encode(other.sign(Array(forged.utf8)))
        let isForgedAccepted = await isAccepted(forged)
        #expect(!isForgedAccepted)
    }

    @Test func aChangedCutOrPaddedTokenIsRefused() async {
        let good = CompactJWS.sign(JSON.write(claims()), with: key)
        var variants = [good + "A", good + "=", good + ".", String(good.dropLast()), "." + good]
        var bytes = Array(good.utf8)
        for index in stride(from: 0, to: bytes.count, by: 37) {
            let old = bytes[index]
            bytes[index] = old == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            variants.append(String(decoding: bytes, as: UTF8.self))
            bytes[index] = old
        }
        for variant in variants {
            let accepted = await isAccepted(variant)
            #expect(!accepted, "\(variant)")
        }
    }
}

/// What is remembered of tokens.
@Suite struct RememberedTokenTests {
    private let key: ES256Key
    init() throws { key = try ES256Key.generate() }

    private func token(expiresIn: Int = 60) -> (user: ID<User>, bytes: [UInt8]) {
        let user = ID<User>.new()
        let now = Int(Instant.now().secondsSince1970)
        let claims = AccessClaims(
            issuer: "https://us",
            audience: AccessClaims.userAudience,
            subject: user.text,
            session: .new(),
            roles: [.user],
            generation: 1,
            issuedAt: now,
            expiresAt: now + expiresIn
        )
        return (user, Array(CompactJWS.sign(JSON.write(claims), with: key).utf8))
    }

    private func verifier(
        rememberedMax: Int = 8,
        hash: @escaping (ArraySlice<UInt8>) -> Int = keyedHash
    ) -> TokenVerifier {
        TokenVerifier(
            issuer: "https://us",
            keys: OneKey(key),
            rememberedMax: rememberedMax,
            hash: hash
        )
    }

    @Test func twoTokensOfOneHashAreNotTakenForEachOther() async throws {
        let verifier = verifier { _ in 1 }
        let (one, other) = (token(), token())
        for turn in 0..<3 {
            for (user, bytes) in [one, other, other] {
                let found = try await verifier.user(bytes[...])
                #expect(found.id == user, "\(turn)")
                #expect(found.token == String(decoding: bytes, as: UTF8.self), "\(turn)")
            }
        }
        #expect(verifier.rememberedCount == 1)
        // Nor is a forged one taken for a good one that is remembered.
        var forged = one.bytes
        _ = try await verifier.user(forged[...])
        forged[forged.count - 2] ^= 1
        let found = try? await verifier.user(forged[...])
        #expect(found == nil)
    }

    @Test func whereItStandsInItsMessageDoesNotMatter() async throws {
        let verifier = verifier()
        let (user, bytes) = token()
        for spaces in 0..<3 {
            let message = Array(repeating: UInt8(0x20), count: spaces) + bytes + [0x0D, 0x0A]
            let found = try await verifier.user(message[spaces..<spaces + bytes.count])
            #expect(found.id == user, "\(spaces)")
        }
        #expect(verifier.rememberedCount == 1)
    }

    @Test func noMoreThanItsBoundAreRemembered() async throws {
        let verifier = verifier(rememberedMax: 8)
        let all = (0..<20).map { _ in token() }
        for turn in 0..<2 {
            for (user, bytes) in all {
                let found = try await verifier.user(bytes[...])
                #expect(found.id == user, "\(turn)")
                #expect(verifier.rememberedCount <= 8, "\(turn)")
            }
        }
    }

    @Test func aTokenForServicesIsNobodys() async throws {
        let now = Int(Instant.now().secondsSince1970)
        let claims = AccessClaims(
            issuer: "https://us",
            audience: AccessClaims.userAudience,
            subject: AccessClaims.servicePrefix + ServiceName.gateway.rawValue,
            issuedAt: now,
            expiresAt: now + 60
        )
        let bytes = Array(CompactJWS.sign(JSON.write(claims), with: key).utf8)
        let verifier = verifier()
        for _ in 0..<2 {
            let found = try? await verifier.user(bytes[...])
            #expect(found == nil)
        }
    }
}

@Suite struct RevocationsTests {
    private func user(
        session: ID<Session>,
        id: ID<User> = .new(),
        generation: Int = 1,
        keyID: String = "good"
    )
        -> UserIdentity
    {
        UserIdentity(
            id: id,
            session: session,
            roles: [.user],
            generation: generation,
            authenticatedAt: .now(),
            methods: ["pwd"],
            expiresAt: Instant.now().adding(seconds: 60),
            keyID: keyID,
            token: ""
        )
    }

    @Test func aRevokedSessionGenerationOrKeyCountsNoMore() {
        let revocations = Revocations()
        let unloaded = revocations.isLoaded
        #expect(!unloaded)
        let (one, other) = (user(session: .new()), user(session: .new()))
        let until = Instant.now().adding(seconds: 60)
        revocations.add([
            Revocation(kind: .session, sessionID: one.session, expiresAt: until),
            Revocation(kind: .key, keyID: "k", expiresAt: until),
            Revocation(kind: .generation, userID: other.id, generation: 3, expiresAt: until),
            // A lower one that comes late takes nothing back.
            Revocation(kind: .generation, userID: other.id, generation: 2, expiresAt: until),
        ])
        let newer = user(session: .new(), id: other.id, generation: 3)
        #expect(revocations.isRevoked(one) && revocations.isRevoked(other))
        #expect(!revocations.isRevoked(newer))
        #expect(revocations.isRevoked(user(session: .new(), keyID: "k")))
        #expect(revocations.isRevoked(keyID: "k") && !revocations.isRevoked(keyID: "l"))
        #expect(revocations.isLoaded && revocations.isFresh)
    }

    @Test func aProcessThatStoodStillIsWakingUntilAnAskingOfAfterwardsHasEnded() {
        let revocations = Revocations()
        #expect(!revocations.isWaking, "nothing was asked yet: it starts")
        // The one that was under way when it was frozen.
        revocations.wasAsked(at: monotonicNanoseconds() - Revocations.runningNanoseconds - 1)
        #expect(revocations.isWaking)
        revocations.wasAsked(at: monotonicNanoseconds())
        #expect(!revocations.isWaking, "heard or not: nobody answers it")
    }
}
