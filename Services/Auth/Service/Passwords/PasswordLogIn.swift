import Postgres
import ServiceKit
import Text
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
        let folded = TextFolding.caseFolded(identifier)
        let credential = try await database.queryOne(
            UserStatements.credentialByIdentifier,
            EmailAddress.lookup(identifier),
            folded
        )
        guard
            let credential = try await passwords.check(
                password,
                of: credential,
                named: folded,
                from: request.clientAddress
            )
        else { throw APIError(.wrongCredentials) }
        return try await firstFactor.accept(credential, methods: ["pwd"], for: request)
    }
}
