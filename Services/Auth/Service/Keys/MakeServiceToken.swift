import Crypto
import ServiceKit
import WalletProtocol

/// A short-lived token for a service that shows its credentials (RFC 6749, 4.4).
struct MakeServiceToken: Handler {
    static let endpoint = InternalAuth.serviceToken
    static let lifeSeconds = 600
    let configuration: AuthConfiguration
    let keys: SigningKeys

    func handle(
        _ request: Request<NoQuery, ServiceTokenRequest>,
        as caller: Caller
    ) async throws -> Response<ServiceToken> {
        let given = SHA256.digest(request.body.secret.utf8)
        let expected = configuration.clientSecrets[request.body.service] ?? []
        guard expected.contains(where: { equalInConstantTime(given, $0) }) else {
            throw APIError(.wrongCredentials)
        }
        let now = Int(Instant.now().secondsSince1970)
        let claims = AccessClaims(
            issuer: configuration.publicURL,
            audience: AccessClaims.serviceAudience,
            subject: AccessClaims.servicePrefix + request.body.service.rawValue,
            issuedAt: now,
            expiresAt: now + Self.lifeSeconds
        )
        let token = CompactJWS.sign(JSON.write(claims), with: try await keys.signingKey())
        return .ok(ServiceToken(accessToken: token, expiresIn: Self.lifeSeconds))
    }
}
