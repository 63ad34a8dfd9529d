import Postgres
import ServiceKit
import WalletProtocol

extension MessageJobs {
    /// Mails somebody that their account's security has changed, within the change's transaction.
    func notice(
        _ change: SecurityChange,
        to credential: Credential,
        in database: some Querying
    ) async throws {
        try await add(
            .securityNotice,
            by: .email,
            to: credential.email,
            language: credential.language,
            user: credential.user,
            parameters: ["change": change.rawValue],
            lifeSeconds: 7 * 86_400,
            in: database
        )
    }
}
