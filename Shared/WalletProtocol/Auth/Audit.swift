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
    /// Somebody asked for figures of everybody.
    case insightsRead = "insights-read"
    /// Somebody failed so often that whoever tries has to wait.
    case lockedOut = "locked-out"
    /// An administrator or officer signed in.
    case officerLoggedIn = "officer-logged-in"
}

/// Which kind of address something was done from.
public enum AddressFamily: String, StringEnum {
    /// Four bytes.
    case version4 = "IPv4"
    /// Sixteen bytes.
    case version6 = "IPv6"
    /// None that is known.
    case unknown

    /// That of an address as the gateway tells it; empty where it tells none.
    public init(of address: String) {
        self = address.isEmpty ? .unknown : address.contains(":") ? .version6 : .version4
    }
}

/// That somebody asks for figures of everybody, and which; nothing of the answer.
public struct InsightsReading: JSONObject, Hashable {
    public let userID: ID<User>
    public let path: String
    public let query: String
    public let addressFamily: AddressFamily

    public init(userID: ID<User>, path: String, query: String, addressFamily: AddressFamily) {
        self.userID = userID
        self.path = path
        self.query = query
        self.addressFamily = addressFamily
    }

    public static let json = Object(
        InsightsReading.init,
        Field("userId", \.userID, about: "Who asks."),
        Field("path", \.path, .line(1...200), about: "The call."),
        Field("query", \.query, .line(0...32_768), about: "The query, its defaults left out."),
        Field("addressFamily", \.addressFamily, about: "From where.")
    )
}

/// One entry of the audit log.
public struct AuditEntryView: JSONObject, Hashable {
    public let id: ID<AuditEntryView>
    public let at: Instant
    public let actor: String
    public let action: AuditAction
    public let subject: ID<User>?
    public let detail: JSONTree
    public let texts: JSONTree?
    public let addressFamily: String
    public let requestID: String?

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

    public static let json = Object(
        AuditEntryView.init,
        Field("id", \.id, about: "The identifier, in the order of time."),
        Field("at", \.at, about: "When."),
        Field("actor", \.actor, about: "A user's id, `service:<name>`, `operator` or `anyone`."),
        Field("action", \.action, about: "What."),
        Field("subject", \.subject, about: "Whom it is about."),
        Field("detail", \.detail, about: "Facts, by action."),
        Field("texts", \.texts, about: "Names and addresses, until the person is erased."),
        Field("addressFamily", \.addressFamily, about: "IPv4, IPv6 or unknown."),
        Field("requestId", \.requestID, about: "The request that did it.")
    )
}

/// Which entries.
public struct AuditQuery: QueryObject, Hashable {
    public let actors: [String]
    public let subjects: [ID<User>]
    public let actions: [AuditAction]
    public let from: Instant?
    public let to: Instant?
    public let cursor: Cursor?
    public let limit: Int

    public static let query = QueryFields(
        AuditQuery.init,
        QueryField("actor", \.actors, .count(0...20), about: "By any of these."),
        QueryField("subject", \.subjects, .count(0...20), about: "About any of these."),
        QueryField("action", \.actions, .count(0...50), about: "Any of these."),
        QueryField("from", \.from, about: "From this moment on."),
        QueryField("to", \.to, about: "Before this moment."),
        QueryField("cursor", \.cursor, about: "Where the page begins."),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many.")
    )
}

/// Where a verification begins, and what it is held against.
public struct AuditVerificationQuery: QueryObject, Hashable {
    public let after: Int
    public let height: Int?
    public let hash: String?

    public static let query = QueryFields(
        AuditVerificationQuery.init,
        QueryField(
            "after",
            \.after,
            .range(0...Int.max),
            default: 0,
            about: "The block behind which it begins, itself verified before; 0 is from nothing."
        ),
        QueryField("height", \.height, .range(1...Int.max), about: "The height of a saved head."),
        QueryField("hash", \.hash, .line(64...64), about: "The hash of that head.")
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
