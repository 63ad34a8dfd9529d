/// What somebody deletes their account with.
public struct DeletionRequest: JSONObject, Hashable {
    public let password: String?

    public init(password: String? = nil) { self.password = password }

    public static let json = Object(
        DeletionRequest.init,
        Field(
            "password",
            \.password,
            .secret(1...Passwords.charactersMax),
            about: "The password; left out, the log-in has to be a fresh one."
        )
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
    public let name: DeletionPartName
    public let completedAt: Instant?

    public init(name: DeletionPartName, completedAt: Instant? = nil) {
        self.name = name
        self.completedAt = completedAt
    }

    public static let json = Object(
        DeletionPart.init,
        Field("name", \.name, about: "Which."),
        Field("completedAt", \.completedAt, about: "When it was done; absent until then.")
    )
}

/// What is left to show for a deleted account.
public struct DeletionReceipt: JSONObject, Hashable {
    public let id: ID<Erasure>
    public let token: String?
    public let state: DeletionState
    public let requestedAt: Instant
    public let completedAt: Instant?
    public let parts: [DeletionPart]

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

    public static let json = Object(
        DeletionReceipt.init,
        Field("id", \.id, about: "The identifier."),
        Field(
            "token",
            \.token,
            about: "What opens the receipt later, without an account; told only to who deletes."
        ),
        Field("state", \.state, about: "How far it has come."),
        Field("requestedAt", \.requestedAt, about: "When it was asked for."),
        Field("completedAt", \.completedAt, about: "When the last part was done."),
        Field("parts", \.parts, about: "Each part.")
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
