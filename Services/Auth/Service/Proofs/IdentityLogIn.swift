import Postgres
import ServiceKit
import WalletProtocol

/// Logging in by what a provider's callback gave.
struct IdentityLogIn {
    let identities: IdentityStore
    let firstFactor: FirstFactor

    func logIn(
        _ code: String,
        _ verifier: String?,
        _ request: Request<NoQuery, NewSession>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let proof = SignInProof(code: code, verifier: verifier, of: request)
        guard let proved = try await identities.prove(proof) else {
            // Nobody guesses such a code, so that none is counted against a line that many share.
            throw APIError(.wrongCredentials)
        }
        return try await firstFactor.accept(
            proved.credential,
            methods: [AccessClaims.federated],
            identity: proved.identity,
            for: request
        )
    }
}
