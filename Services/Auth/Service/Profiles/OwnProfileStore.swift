import ServiceKit
import WalletProtocol

/// Changes people's own profiles, once they have proved who they are where that is needed.
struct OwnProfileStore {
    let profiles: ProfileStore
    let password: OwnPassword
    let mailChecks: MailDomainCheck
    let configuration: AuthConfiguration

    /// - Throws: what the proof, the mail's domain, a taken name or a stale tag is refused for.
    func change(
        by asked: ProfileChange,
        of user: UserIdentity,
        provedBy proof: String?,
        ifMatch: EntityTags?,
        on line: String
    ) async throws -> Profile {
        var change = asked
        change.line = line
        if change.needsProof {
            try await password.requireProof(of: user, or: proof, from: line)
        }
        // Which names are taken is told here, too, and not to who asks for many.
        let attempts = AttemptGuard(
            database: password.database,
            configuration: configuration,
            refusingBy: .tooManyRequests
        )
        if let email = change.email {
            try await attempts.count(.mails(user.id))
            try await mailChecks.check(email)
        }
        let owned = change
        func apply() async throws -> Profile {
            try await profiles.change(
                by: owned,
                of: SessionHolder(user),
                ifMatch: ifMatch,
                from: AuditOrigin(address: line)
            )
        }
        return change.namesSomething
            ? try await attempts.counting(.takenBy(user.id), apply) : try await apply()
    }
}
