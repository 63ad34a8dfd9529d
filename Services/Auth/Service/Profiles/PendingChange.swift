import WalletProtocol

/// What of a profile may have to wait.
enum PendingField: String, Sendable, Hashable {
    case email
    case phone
}

/// A change that waits for consent: its owner's own link, or the answer to an administrator.
struct PendingChange: Sendable, Hashable {
    /// How long an administrator's change waits for an answer.
    static let waitSeconds: Int64 = 7 * 86_400

    let user: ID<User>
    let field: PendingField
    /// Nil: the phone is to be taken away.
    let value: String?
    let author: ChangeAuthor
}
