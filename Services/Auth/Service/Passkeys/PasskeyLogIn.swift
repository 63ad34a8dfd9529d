import Postgres
import ServiceKit
import WalletProtocol
import WebAuthn

/// Logging in by a passkey, which is two factors by itself: what one has, and who one is.
struct PasskeyLogIn {
    let passkeys: PasskeyStore
    let database: Database
    let firstFactor: FirstFactor
    let configuration: AuthConfiguration

    func logIn(
        _ assertion: PasskeyAssertion,
        _ request: Request<NoQuery, NewSession>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let address = request.clientAddress
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        try await attempts.check(.address(address))
        let passkey: StoredPasskey
        do {
            passkey = try await passkeys.prove(
                assertion,
                by: nil,
                from: AuditOrigin(request)
            )
        } catch let refusal as PasskeyRefusal {
            // Who is not signed in learns no more than from a wrong password.
            passkeys.logger.info("passkey refused", [("reason", refusal.reason.rawValue)])
            try await attempts.count(.address(address))
            throw APIError(.wrongCredentials)
        }
        guard
            let credential = try await database.queryOne(
                UserStatements.credentialByID,
                passkey.user
            )
        else { throw APIError(.wrongCredentials) }
        return try await firstFactor.accept(
            credential,
            methods: passkey.methods,
            isWhole: true,
            for: request
        )
    }
}
