import HTTP
import ServiceKit
import WalletProtocol

/// The public keys by which anybody verifies our tokens (RFC 7517).
struct GetKeys: Handler {
    static let endpoint = WellKnown.keys
    let keys: SigningKeys

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<KeySetView> {
        .ok(KeySetView(keys: try await keys.publicKeys()))
    }
}

/// Where keys and tokens are (OpenID Connect Discovery 1.0).
struct GetOpenIDConfiguration: Handler {
    static let endpoint = WellKnown.configuration
    let publicURL: String

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<OpenIDConfiguration> {
        .ok(
            OpenIDConfiguration(
                issuer: publicURL,
                keySetURI: publicURL + "/.well-known/jwks.json",
                tokenEndpoint: publicURL + "/v1/sessions",
                responseTypes: ["token"],
                subjectTypes: ["public"],
                signingAlgorithms: ["ES256"]
            )
        )
    }
}
