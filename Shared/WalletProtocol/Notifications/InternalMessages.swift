/// How a message leaves.
public enum MessageChannel: String, StringEnum {
    /// By SMTP.
    case email
    /// By the SMS provider.
    case sms
}

/// What a message says.
public enum MessageTemplate: String, StringEnum {
    /// The link that proves an address. Parameters: `link`; nothing that a stranger wrote.
    case emailConfirmation = "email-confirmation"
    /// A one-time code. Parameters: `code`, `minutes`.
    case logInCode = "log-in-code"
    /// Somebody has tried to sign in too often. Parameters: `address`.
    case lockout
    /// The code of a password's recovery. Parameters: `code`, `minutes`, `link`.
    case recoveryCode = "recovery-code"
    /// Something about an account's security has changed. Parameters: `change`, one of
    /// `SecurityChange`.
    case securityNotice = "security-notice"
    /// An administrator wants another e-mail or phone for a person. Parameters: `field` (`email`,
    /// `phone`), and `link` for who is asked, empty for who is to be reached there.
    case profileChange = "profile-change"
    /// An invitation. Parameters: `group`, `inviter`.
    case groupInvitation = "group-invitation"
    /// An invitation to a wallet. Parameters: `wallet`, `inviter`.
    case walletInvitation = "wallet-invitation"
    /// Somebody is asked to join a family.
    case familyInvitation = "family-invitation"
    /// An invitation to a folder. Parameters: `folder`, `inviter`.
    case folderInvitation = "folder-invitation"
    /// The file of one's own data can be fetched. No parameters.
    case exportReady = "export-ready"
    /// An account has been deleted; the last mail to its address. No parameters.
    case accountDeleted = "account-deleted"
    /// Everybody's figures of a month are there. Parameters: `from`, `to`, days of ISO 8601, and
    /// `link`; none of the figures.
    case monthlyReport = "monthly-report"
}

/// What a `security-notice` tells of: a closed list, so that no stranger's words are mailed.
public enum SecurityChange: String, StringEnum {
    /// Another e-mail address was asked for or is in force.
    case email
    /// The username.
    case username
    /// The first or last name.
    case names
    /// The phone.
    case phone
    /// The password, by its owner.
    case password
    /// The password, by a recovery.
    case passwordRecovered = "password-recovered"
    /// The same, and what had been added of late to sign in with is gone.
    case passwordRecoveredAnew = "password-recovered-anew"
    /// A passkey was added.
    case passkeyAdded = "passkey-added"
    /// A passkey was removed.
    case passkeyRemoved = "passkey-removed"
    /// A passkey was refused, for there may be a copy of it.
    case passkeyCopied = "passkey-copied"
    /// The second factor (TOTP) was switched on.
    case totpEnabled = "totp-enabled"
    /// The second factor was switched off.
    case totpDisabled = "totp-disabled"
    /// Somebody who has the first factor has answered the second wrong again and again.
    case secondFactorGuessed = "second-factor-guessed"
    /// New recovery codes were made.
    case recoveryCodes = "recovery-codes"
    /// A recovery code was used to sign in.
    case recoveryCodeUsed = "recovery-code-used"
    /// An identity of another provider was linked.
    case identityLinked = "identity-linked"
    /// An identity of another provider was unlinked.
    case identityUnlinked = "identity-unlinked"
}

/// A message handed over, at least once; the identifier makes it once.
public struct NewMessage: JSONObject, Hashable {
    public let id: ID<OutgoingMessage>
    public let template: MessageTemplate
    public let channel: MessageChannel
    public let recipient: String
    public let language: String
    public let userID: ID<User>?
    public let sealedParameters: String
    public let expiresAt: Instant

    public init(
        id: ID<OutgoingMessage>,
        template: MessageTemplate,
        channel: MessageChannel,
        recipient: String,
        language: String,
        userID: ID<User>? = nil,
        sealedParameters: String,
        expiresAt: Instant
    ) {
        self.id = id
        self.template = template
        self.channel = channel
        self.recipient = recipient
        self.language = language
        self.userID = userID
        self.sealedParameters = sealedParameters
        self.expiresAt = expiresAt
    }

    public static let json = Object(
        NewMessage.init,
        Field(
            "id",
            \.id,
            about: "A function of what it is about, so that it can be handed over twice."
        ),
        Field("template", \.template, about: "What it says."),
        Field("channel", \.channel, about: "How it leaves."),
        Field(
            "recipient",
            \.recipient,
            .line(3...254),
            about: "The address, or the phone in E.164."
        ),
        Field("language", \.language, .line(2...35), about: "The language of it."),
        Field("userId", \.userID, about: "Whose it is, for erasure."),
        Field(
            "sealedParameters",
            \.sealedParameters,
            .line(1...8_192),
            about: """
                The parameters as a JSON object of strings, sealed by AES-GCM, in base64url. \
                Nonce, text and tag; the 16 bytes of `id` are the additional data.
                """
        ),
        Field(
            "expiresAt",
            \.expiresAt,
            about: "When it is of no use any more and is deleted unsent."
        )
    )
}

/// What became of a message handed over.
public struct MessageReceipt: JSONObject, Hashable {
    public let id: ID<OutgoingMessage>
    public let isNew: Bool

    public init(id: ID<OutgoingMessage>, isNew: Bool) {
        self.id = id
        self.isNew = isNew
    }

    public static let json = Object(
        MessageReceipt.init,
        Field("id", \.id, about: "The message."),
        Field("new", \.isNew, about: "Whether it had not been handed over before.")
    )
}

/// What notifications answers to services alone.
public enum InternalMessages {
    /// Hands a message over.
    public static let send = Endpoint<NoQuery, NewMessage, MessageReceipt>(
        "sendMessage",
        .post,
        "/internal/messages",
        of: .notifications,
        for: .internalService,
        idempotency: .ignored,
        statuses: [202],
        summary: "Hand over a mail or SMS"
    )
}
