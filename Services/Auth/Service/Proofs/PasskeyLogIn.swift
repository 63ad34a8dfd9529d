import Postgres
import ServiceKit
import WalletProtocol
import WebAuthn

/// Logging in by a passkey, which is two factors by itself: what one has, and who one is.
struct PasskeyLogIn {
    let passkeys: PasskeyStore
    let database: Database
    let firstFactor: FirstFactor

    func logIn(
        _ assertion: PasskeyAssertion,
        _ request: Request<NoQuery, NewSession>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let passkey: StoredPasskey
        do {
            passkey = try await passkeys.prove(
                assertion,
                by: nil,
                from: AuditOrigin(request)
            )
        } catch let refusal as PasskeyRefusal {
            // Nobody guesses a signature, so that none is counted against a line that many share.
            // Who is not signed in learns no more than from a wrong password.
            throw APIError(.wrongCredentials).caused(by: refusal.reason.rawValue)
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
