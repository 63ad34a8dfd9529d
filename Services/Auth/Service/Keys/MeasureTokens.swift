import Crypto
import Loops
import ServiceKit
import WalletProtocol

/// `ezwallet-auth measure-tokens`: what the check of an access token costs on this machine.
///
/// By the layer that every service has, with tokens as log-in makes them: each is checked once as
/// a new one, then as one seen before. Prints one JSON object.
enum MeasureTokens {
    static let usage = "usage: ezwallet-auth measure-tokens: microseconds of a token's check"
    static let tokens = 2_000
    static let rounds = 20

    /// What was typed has something behind it.
    struct UsageError: Error, CustomStringConvertible { let description = usage }

    static func run(
        _ arguments: [String],
        keys: SigningKeys,
        configuration: AuthConfiguration
    ) async throws {
        guard arguments.isEmpty else { throw UsageError() }
        let key = try await keys.signingKey()
        let now = Int(Instant.now().secondsSince1970)
        let texts = (0..<tokens).map { _ in
            let claims = AccessClaims(
                issuer: configuration.publicURL,
                audience: AccessClaims.userAudience,
                subject: ID<User>.new().text,
                session: .new(),
                roles: [.user],
                generation: 1,
                issuedAt: now,
                expiresAt: now + 600,
                authenticatedAt: now,
                methods: ["pwd"]
            )
            return Array(CompactJWS.sign(JSON.write(claims), with: key).utf8)[...]
        }
        let revocations = Revocations()
        revocations.add([])
        let identity = Identity(
            verifier: TokenVerifier(issuer: configuration.publicURL, keys: keys),
            revocations: revocations,
            publicOrigin: configuration.publicURL
        )
        let new = try await microseconds(of: texts.count) {
            for text in texts { _ = try await identity.user(text) }
        }
        let cached = try await microseconds(of: texts.count * rounds) {
            for _ in 0..<rounds {
                for text in texts { _ = try await identity.user(text) }
            }
        }
        writeText("{\"cachedMicroseconds\":\(cached),\"newMicroseconds\":\(new)}\n", to: 1)
    }

    private static func microseconds(
        of count: Int,
        _ work: () async throws -> Void
    ) async throws -> Double {
        let begin = monotonicNanoseconds()
        try await work()
        return Double(monotonicNanoseconds() - begin) / Double(count) / 1_000
    }
}
