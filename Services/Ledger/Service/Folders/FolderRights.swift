import Postgres
import ServiceKit
import WalletProtocol

/// Who may do what in a folder: its owner everything, who may write what is in it, others read.
extension Transaction {
    /// Locks a folder that somebody is in; what they may do with it.
    /// - Throws: 404 for a stranger, 403 for whoever may do less than is needed, 412 where it is of
    ///   another version.
    @discardableResult
    func holdFolder(
        _ folder: ID<Folder>,
        for user: ID<User>,
        needing access: FolderAccess,
        ifMatch wanted: EntityTags? = nil
    ) async throws -> FolderAccess {
        guard let version = try await queryOne(FolderStatements.lock, folder),
            let held = try await queryOne(FolderStatements.accessOf, user, folder)
        else { throw APIError.notFound }
        let suffices =
            switch access {
            case .owner: held == .owner
            case .write: held != .read
            case .read: true
            }
        guard suffices else { throw APIError(.forbidden) }
        try wanted.check(version)
        return held
    }
}
