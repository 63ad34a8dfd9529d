/// What somebody deletes their account with.
public struct DeletionRequest: JSONObject, Hashable {
    /// The password; left out, the log-in has to be a fresh one.
    public let password: String?

    /// All of it.
    public init(password: String? = nil) { self.password = password }

    /// The description.
    public static let json = Object(
        DeletionRequest.init,
        Field("password", \.password, .secret(1...Passwords.charactersMax))
    )
}

/// How far a deletion has come.
public enum DeletionState: String, StringEnum {
    /// The accounts are being looked at: it can still be refused.
    case requested
    /// Agreed: the person cannot sign in any more, and all that is theirs is being deleted.
    case erasing
    /// Nothing personal is left.
    case completed
}

/// What is deleted together.
public enum DeletionPartName: String, StringEnum {
    /// Whether the accounts are empty; they are closed with it.
    case accounts
    /// Texts of transactions, categories, imports.
    case transactions
    /// Memberships, invitations.
    case groups
    /// Reports.
    case reports
    /// The feed, mails and text messages.
    case messages
    /// The profile and whatever signs in.
    case profile
    /// What was told of the person between the parts of the system.
    case history
}

/// How far one part of a deletion has come.
public struct DeletionPart: JSONObject, Hashable {
    /// Which.
    public let name: DeletionPartName
    /// When it was done; absent until then.
    public let completedAt: Instant?

    /// All of it.
    public init(name: DeletionPartName, completedAt: Instant? = nil) {
        self.name = name
        self.completedAt = completedAt
    }

    /// The description.
    public static let json = Object(
        DeletionPart.init,
        Field("name", \.name),
        Field("completedAt", \.completedAt)
    )
}

/// What is left to show for a deleted account.
public struct DeletionReceipt: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Erasure>
    /// What opens the receipt later, without an account; told only to who deletes.
    public let token: String?
    /// How far it has come.
    public let state: DeletionState
    /// When it was asked for.
    public let requestedAt: Instant
    /// When the last part was done.
    public let completedAt: Instant?
    /// Each part.
    public let parts: [DeletionPart]

    /// All of it.
    public init(
        id: ID<Erasure>,
        token: String? = nil,
        state: DeletionState,
        requestedAt: Instant,
        completedAt: Instant? = nil,
        parts: [DeletionPart]
    ) {
        self.id = id
        self.token = token
        self.state = state
        self.requestedAt = requestedAt
        self.completedAt = completedAt
        self.parts = parts
    }

    /// The description.
    public static let json = Object(
        DeletionReceipt.init,
        Field("id", \.id),
        Field("token", \.token),
        Field("state", \.state),
        Field("requestedAt", \.requestedAt),
        Field("completedAt", \.completedAt),
        Field("parts", \.parts)
    )
}

/// Deleting one's account.
public enum Deletions {
    /// Deletes the account of who calls.
    public static let request = Endpoint<NoQuery, DeletionRequest, DeletionReceipt>(
        "deleteMe",
        .post,
        "/v1/users/me/deletion",
        of: .auth,
        for: .user,
        statuses: [202],
        errors: [.wrongPassword, .stepUpRequired, .accountsNotEmpty, .lastAdmin, .lockedOut],
        answersSecrets: true,
        summary: "Delete the account, and everything personal with it",
        description: """
            Takes the password, or a log-in not older than ten minutes. The accounts are closed \
            at once or the call is refused; the rest follows within seconds, and the receipt at \
            `Location` tells how far it is, to whoever has its token. Called again it answers the \
            same receipt. An answer of 503 leaves it open whether the accounts have agreed: it is \
            found out and, if so, gone on with.
            """
    )

    /// How far a deletion is, for who has its receipt.
    public static let receipt = Endpoint<NoQuery, NoBody, DeletionReceipt>(
        "getDeletionReceipt",
        .get,
        "/v1/deletion-receipts/{token}",
        of: .auth,
        for: .anyone,
        errors: [.notFound],
        summary: "How far the deletion of an account is"
    )

    /// All of them.
    public static let all: [EndpointDescription] = [request.erased, receipt.erased]
}
