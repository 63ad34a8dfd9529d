import Postgres
import ServiceKit
import WalletProtocol

/// Logging in by what a provider's callback gave.
struct IdentityLogIn {
    let database: Database
    let identities: IdentityStore
    let firstFactor: FirstFactor
    let configuration: AuthConfiguration

    func logIn(
        _ code: String,
        _ verifier: String?,
        _ request: Request<NoQuery, NewSession>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        try await attempts.check(.address(request.clientAddress))
        let proof = SignInProof(code: code, verifier: verifier, of: request)
        guard let proved = try await identities.prove(proof) else {
            try await attempts.count(.address(request.clientAddress))
            throw APIError(.wrongCredentials)
        }
        return try await firstFactor.accept(
            proved.credential,
            methods: [FirstFactor.federated],
            identity: proved.identity,
            for: request
        )
    }
}
