/// What the audit log tells of; words are only ever added.
public enum AuditAction: String, StringEnum {
    /// An administrator saw a person.
    case userRead = "user-read"
    /// An administrator looked through the people.
    case usersListed = "users-listed"
    /// An administrator, or an operator at the command line, made a person.
    case userCreated = "user-created"
    /// An administrator changed a profile, or a person their username, names or address.
    case userChanged = "user-changed"
    /// Roles were given or withdrawn.
    case accessChanged = "access-changed"
    /// A person may not sign in any more.
    case userDisabled = "user-disabled"
    /// A person may sign in again.
    case userEnabled = "user-enabled"
    /// An administrator asked for a person to be erased.
    case erasureRequested = "erasure-requested"
    /// Everything personal is being erased.
    case userErased = "user-erased"
    /// A way back in without the password was asked for.
    case recoveryBegun = "recovery-begun"
    /// A password was set.
    case passwordChanged = "password-changed"
    /// A password was set by a recovery.
    case passwordRecovered = "password-recovered"
    /// A passkey was registered.
    case passkeyAdded = "passkey-added"
    /// A passkey was taken away.
    case passkeyRemoved = "passkey-removed"
    /// A passkey's sign count went back: there may be a copy of it.
    case passkeyCopied = "passkey-copied"
    /// A second factor was switched on.
    case factorEnabled = "factor-enabled"
    /// A second factor was switched off.
    case factorDisabled = "factor-disabled"
    /// Recovery codes were made.
    case recoveryCodesMade = "recovery-codes-made"
    /// A recovery code stood in for the authenticator app.
    case recoveryCodeUsed = "recovery-code-used"
    /// An identity of another provider was linked.
    case identityLinked = "identity-linked"
    /// An identity of another provider was unlinked.
    case identityUnlinked = "identity-unlinked"
    /// A new address is in force.
    case emailChanged = "email-changed"
    /// A new phone is in force.
    case phoneChanged = "phone-changed"
    /// Everything held on a person was asked for.
    case exportMade = "export-made"
    /// The signing key was changed for the next.
    case keyRotated = "key-rotated"
    /// A signing key was withdrawn.
    case keyRevoked = "key-revoked"
    /// A refresh token came twice: its session ended.
    case sessionReplayed = "session-replayed"
    /// Somebody read the audit log.
    case auditRead = "audit-read"
    /// Somebody had the audit log verified.
    case auditVerified = "audit-verified"
    /// What an administrator wanted to do to a person was refused: by us, or by that person.
    case requestRefused = "request-refused"
}

/// One entry of the audit log.
public struct AuditEntryView: JSONObject, Hashable {
    /// The identifier, in the order of time.
    public let id: ID<AuditEntryView>
    /// When.
    public let at: Instant
    /// Who: a user's id, `service:<name>`, `operator` or `anyone`.
    public let actor: String
    /// What.
    public let action: AuditAction
    /// Whom it is about.
    public let subject: ID<User>?
    /// Facts, by action.
    public let detail: JSONTree
    /// Names and addresses, until the person is erased.
    public let texts: JSONTree?
    /// IPv4, IPv6 or unknown.
    public let addressFamily: String
    /// The request that did it.
    public let requestID: String?

    /// All of it.
    public init(
        id: ID<AuditEntryView>,
        at: Instant,
        actor: String,
        action: AuditAction,
        subject: ID<User>? = nil,
        detail: JSONTree,
        texts: JSONTree? = nil,
        addressFamily: String,
        requestID: String? = nil
    ) {
        self.id = id
        self.at = at
        self.actor = actor
        self.action = action
        self.subject = subject
        self.detail = detail
        self.texts = texts
        self.addressFamily = addressFamily
        self.requestID = requestID
    }

    /// The description.
    public static let json = Object(
        AuditEntryView.init,
        Field("id", \.id),
        Field("at", \.at),
        Field("actor", \.actor, about: "A user's id, `service:<name>`, `operator` or `anyone`."),
        Field("action", \.action),
        Field("subject", \.subject),
        Field("detail", \.detail),
        Field("texts", \.texts, about: "Absent once the person has been erased."),
        Field("addressFamily", \.addressFamily),
        Field("requestId", \.requestID)
    )
}

/// Which entries.
public struct AuditQuery: QueryObject, Hashable {
    /// By any of these.
    public let actors: [String]
    /// About any of these.
    public let subjects: [ID<User>]
    /// Any of these.
    public let actions: [AuditAction]
    /// From this moment on.
    public let from: Instant?
    /// Before this moment.
    public let to: Instant?
    /// Where the page begins.
    public let cursor: Cursor?
    /// How many.
    public let limit: Int

    /// All of it.
    public init(
        actors: [String] = [],
        subjects: [ID<User>] = [],
        actions: [AuditAction] = [],
        from: Instant? = nil,
        to: Instant? = nil,
        cursor: Cursor? = nil,
        limit: Int = 50
    ) {
        self.actors = actors
        self.subjects = subjects
        self.actions = actions
        self.from = from
        self.to = to
        self.cursor = cursor
        self.limit = limit
    }

    /// The description.
    public static let query = QueryFields(
        AuditQuery.init,
        QueryField("actor", \.actors, .count(0...20)),
        QueryField("subject", \.subjects, .count(0...20)),
        QueryField("action", \.actions, .count(0...50)),
        QueryField("from", \.from),
        QueryField("to", \.to),
        QueryField("cursor", \.cursor),
        QueryField("limit", \.limit, .range(1...200), default: 50)
    )
}

/// Where a verification begins, and what it is held against.
public struct AuditVerificationQuery: QueryObject, Hashable {
    /// The block behind which it begins, itself verified before; 0 is from nothing.
    public let after: Int
    /// The height of a saved head.
    public let height: Int?
    /// The hash of that head.
    public let hash: String?

    /// All of it.
    public init(after: Int = 0, height: Int? = nil, hash: String? = nil) {
        self.after = after
        self.height = height
        self.hash = hash
    }

    /// The description.
    public static let query = QueryFields(
        AuditVerificationQuery.init,
        QueryField("after", \.after, .range(0...Int.max), default: 0),
        QueryField("height", \.height, .range(1...Int.max)),
        QueryField("hash", \.hash, .line(64...64))
    )
}

/// What administrators see of the audit log.
public enum Audit {
    /// Reads it.
    public static let list = Endpoint<AuditQuery, NoBody, Page<AuditEntryView>>(
        "listAudit",
        .get,
        "/v1/audit",
        of: .auth,
        for: .role(.admin),
        summary: "What administrators did and read, newest first",
        description: "Reading it is an entry, too: one for each `subject` that was asked for."
    )

    /// Verifies it.
    public static let verification = Endpoint<
        AuditVerificationQuery, NoBody, ChainVerification
    >(
        "verifyAudit",
        .get,
        "/v1/audit/verification",
        of: .auth,
        for: .role(.admin),
        summary: "Whether the audit log is as it was written",
        description: """
            Walks the chain of signed blocks from nothing, or behind the block `after`, and names \
            the first thing that is wrong. Where `complete` is false the walk took too long: call \
            again with `after` as `verifiedTo`; `intact` is false without a `fault` where the last \
            blocks walked are vouched for only by one to come. A head that was saved earlier \
            (`height`, `hash`) tells whether the last blocks were cut off.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [list.erased, verification.erased]
}
