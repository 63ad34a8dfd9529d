import Postgres
import ServiceKit
import Text
import WalletProtocol

/// What is done to profiles beside changing them.
extension ProfileStore {
    /// Mails the link of the address that waits, or of the current one, once more.
    /// - Throws: 409 `already-verified`, 429 `too-many-requests` where the mailbox has had many.
    func resend(
        to id: ID<User>,
        askedFrom line: String,
        in transaction: Transaction
    ) async throws {
        let profile = try await locked(id, in: transaction)
        let isOwn =
            try await transaction.queryOne(
                PendingChangeStatements.find,
                id,
                PendingField.email.rawValue
            )?.author == .owner
        guard isOwn || !profile.emailIsVerified else { throw APIError(.alreadyVerified) }
        let until = try await sendVerification(
            profile,
            to: isOwn ? profile.pendingEmail : nil,
            askedFrom: line,
            in: transaction
        )
        if let until {
            throw APIError(.tooManyRequests, retryAfterSeconds: until.secondsLeft)
        }
    }

    /// Gives names from before there were skeletons theirs.
    ///
    /// Of two that look alike already the second has its own id in its place: it keeps the name.
    func addSkeletons() async throws {
        for (id, username) in try await database.query(ProfileStatements.withoutSkeleton) {
            let skeleton = NameLooks.skeleton(username)
            try await keep(skeleton, of: id, by: ProfileStatements.setSkeleton)
        }
        for (id, username) in try await database.query(ProfileStatements.withoutFoldedSkeleton) {
            let skeleton = NameLooks.skeleton(TextFolding.caseFolded(username))
            try await keep(skeleton, of: id, by: ProfileStatements.setFoldedSkeleton)
        }
    }

    private func keep(
        _ skeleton: String,
        of id: ID<User>,
        by statement: Statement<Void>
    ) async throws {
        do {
            try await database.execute(statement, id, skeleton)
        } catch {
            guard TakenNames(error) != nil else { throw error }
            try await database.execute(statement, id, "=" + id.text)
        }
    }
}
