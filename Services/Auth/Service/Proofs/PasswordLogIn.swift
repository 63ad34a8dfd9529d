import Postgres
import ServiceKit
import WalletProtocol

/// Logging in by password.
struct PasswordLogIn {
    let database: Database
    let passwords: PasswordCheck
    let firstFactor: FirstFactor

    func logIn(
        _ identifier: String,
        _ password: String,
        _ request: Request<NoQuery, NewSession>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let name = SignInName(identifier)
        let credential = try await database.queryOne(
            UserStatements.credentialByIdentifier,
            name.email,
            name.username
        )
        guard
            let credential = try await passwords.check(
                password,
                of: credential,
                named: name,
                from: request.clientAddress
            )
        else { throw APIError(.wrongCredentials) }
        return try await firstFactor.accept(credential, methods: ["pwd"], for: request)
    }
}
