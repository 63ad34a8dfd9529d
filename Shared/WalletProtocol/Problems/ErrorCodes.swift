// Append only: clients decide by these codes. Where two documents speak of one failure, the code
// here is what they mean.

// Every endpoint: reading the request.
extension ErrorCode {
    public static let malformedJSON = ErrorCode(
        "malformed-json",
        400,
        "Not the JSON that is taken here"
    )
    public static let invalidQuery = ErrorCode(
        "invalid-query",
        400,
        "A query parameter is unknown or malformed"
    )
    public static let invalidHeader = ErrorCode("invalid-header", 400, "A header is malformed")
    public static let invalidRequest = ErrorCode(
        "invalid-request",
        400,
        "Not a well-formed request"
    )
    public static let idempotencyKeyRequired = ErrorCode(
        "idempotency-key-required",
        400,
        "This call needs an Idempotency-Key"
    )
    public static let unauthenticated = ErrorCode("unauthenticated", 401, "Not signed in")
    public static let forbidden = ErrorCode("forbidden", 403, "Signed in without the right")
    public static let stepUpRequired = ErrorCode(
        "step-up-required",
        403,
        "A newer proof of identity is needed"
    )
    public static let notFound = ErrorCode("not-found", 404, "Absent or not yours")
    public static let methodNotAllowed = ErrorCode(
        "method-not-allowed",
        405,
        "The resource has no such method"
    )
    public static let requestTimeout = ErrorCode(
        "request-timeout",
        408,
        "The request took too long to arrive"
    )
    public static let preconditionFailed = ErrorCode(
        "precondition-failed",
        412,
        "The resource has changed since"
    )
    public static let bodyTooLarge = ErrorCode("body-too-large", 413, "The body is over the limit")
    public static let uriTooLong = ErrorCode("uri-too-long", 414, "The path or query is too long")
    public static let unsupportedMediaType = ErrorCode(
        "unsupported-media-type",
        415,
        "Not a media type that is taken here"
    )
    public static let invalidBody = ErrorCode(
        "invalid-body",
        422,
        "The body has fields that cannot be taken"
    )
    public static let idempotencyKeyReused = ErrorCode(
        "idempotency-key-reused",
        422,
        "The Idempotency-Key was used for another request"
    )
    public static let idempotencyKeyInUse = ErrorCode(
        "idempotency-key-in-use",
        409,
        "The first call with this Idempotency-Key still runs"
    )
    public static let tooManyRequests = ErrorCode("too-many-requests", 429, "Too many requests")
    public static let headersTooLarge = ErrorCode(
        "headers-too-large",
        431,
        "The headers are over the limit"
    )
    public static let internalError = ErrorCode("internal-error", 500, "Something went wrong here")
    public static let badGateway = ErrorCode("bad-gateway", 502, "No valid answer from within")
    public static let unavailable = ErrorCode("unavailable", 503, "Not available right now")
    public static let gatewayTimeout = ErrorCode("gateway-timeout", 504, "No answer in time")
}

// Auth.
extension ErrorCode {
    public static let emailTaken = ErrorCode(
        "email-taken",
        409,
        "The e-mail address belongs to an account"
    )
    public static let usernameTaken = ErrorCode(
        "username-taken",
        409,
        "The username belongs to an account"
    )
    public static let phoneTaken = ErrorCode(
        "phone-taken",
        409,
        "The phone number belongs to an account"
    )
    public static let wrongCredentials = ErrorCode(
        "wrong-credentials",
        401,
        "Wrong identifier or password"
    )
    public static let lockedOut = ErrorCode("locked-out", 429, "Too many failed attempts")
    public static let wrongCode = ErrorCode("wrong-code", 422, "The code is wrong")
    public static let challengeExhausted = ErrorCode(
        "challenge-exhausted",
        409,
        "No more codes for this challenge"
    )
    public static let challengeExpired = ErrorCode(
        "challenge-expired",
        409,
        "The challenge has expired"
    )
    public static let refreshTokenReused = ErrorCode(
        "refresh-token-reused",
        401,
        "The refresh token was used before"
    )
    public static let invalidRefreshToken = ErrorCode(
        "invalid-refresh-token",
        401,
        "The refresh token is not valid"
    )
    public static let wrongPassword = ErrorCode("wrong-password", 422, "The password is wrong")
    public static let samePassword = ErrorCode(
        "same-password",
        422,
        "The new password is the old one"
    )
    public static let linkExpired = ErrorCode("link-expired", 409, "The link has expired")
    public static let alreadyVerified = ErrorCode(
        "already-verified",
        409,
        "The e-mail address is verified already"
    )
    public static let channelUnavailable = ErrorCode(
        "channel-unavailable",
        409,
        "There is no such channel for this account"
    )
    public static let userDisabled = ErrorCode("user-disabled", 403, "The account is disabled")
    public static let recoveryExpired = ErrorCode("recovery-expired", 409, "The recovery has ended")
    public static let accountsNotEmpty = ErrorCode(
        "accounts-not-empty",
        409,
        "An account still holds money"
    )
    public static let lastAdmin = ErrorCode(
        "last-admin",
        409,
        "The last administrator cannot be taken away"
    )
    public static let invalidPasskey = ErrorCode(
        "invalid-passkey",
        422,
        "The passkey cannot be verified"
    )
    public static let passkeyTaken = ErrorCode(
        "passkey-taken",
        409,
        "The passkey is registered already"
    )
    public static let tooManyPasskeys = ErrorCode(
        "too-many-passkeys",
        409,
        "There are as many passkeys as one user can have"
    )
    public static let totpEnabled = ErrorCode(
        "totp-enabled",
        409,
        "The second factor is on already"
    )
    public static let totpNotEnabled = ErrorCode(
        "totp-not-enabled",
        409,
        "The second factor is off"
    )
    public static let lastCredential = ErrorCode(
        "last-credential",
        409,
        "Nothing else would be left to sign in with"
    )
    public static let identityTaken = ErrorCode(
        "identity-taken",
        409,
        "The identity belongs to another account"
    )
    public static let signInExpired = ErrorCode(
        "sign-in-expired",
        409,
        "The sign-in has ended, or began in another browser"
    )
    public static let unreadablePicture = ErrorCode(
        "unreadable-picture",
        422,
        "The picture cannot be read"
    )
}

// Ledger.
extension ErrorCode {
    public static let accountNameTaken = ErrorCode(
        "account-name-taken",
        409,
        "An account has this name already"
    )
    public static let accountNotEmpty = ErrorCode(
        "account-not-empty",
        409,
        "The account still holds money"
    )
    public static let lastAccount = ErrorCode(
        "last-account",
        409,
        "The last account cannot be closed"
    )
    /// As many use the wallet as can.
    public static let tooManyMembers = ErrorCode("too-many-members", 409, "The wallet is full")
    /// It is a child's, and ends with the family.
    public static let allowanceAccount = ErrorCode("allowance-account", 409, "A child's account")
    public static let accountClosed = ErrorCode("account-closed", 409, "The account is closed")
    public static let accountKind = ErrorCode(
        "account-kind",
        409,
        "An account of this kind cannot do that"
    )
    public static let categoryNameTaken = ErrorCode(
        "category-name-taken",
        409,
        "A category has this name already"
    )
    public static let envelopeNameTaken = ErrorCode(
        "envelope-name-taken",
        409,
        "An envelope of the family has this name already"
    )
    public static let defaultCategory = ErrorCode(
        "default-category",
        409,
        "The category «Others» cannot be changed"
    )
    public static let categoryDepth = ErrorCode("category-depth", 409, "Categories have two levels")
    public static let alreadyImportant = ErrorCode(
        "already-important",
        409,
        "The category bears the label already"
    )
    public static let notImportant = ErrorCode(
        "not-important",
        409,
        "The category does not bear the label"
    )
    public static let tooManyAccounts = ErrorCode(
        "too-many-accounts",
        409,
        "There are as many accounts as one person may have"
    )
    public static let tooManyRecurrences = ErrorCode(
        "too-many-recurrences",
        409,
        "There are as many recurrences as one person may have"
    )
    public static let tooManyStandingOrders = ErrorCode(
        "too-many-standing-orders",
        409,
        "There are as many standing orders as one person may have"
    )
    public static let tooManyFolders = ErrorCode(
        "too-many-folders",
        409,
        "There are as many folders as one person may have"
    )
    public static let tooManyImportRules = ErrorCode(
        "too-many-import-rules",
        409,
        "There are as many import rules as one person may have"
    )
    /// There are as many previews of imports as one person may have, or as large ones.
    public static let tooManyImports = ErrorCode(
        "too-many-imports",
        409,
        "There are as many previews as one person may have"
    )
    public static let insufficientFunds = ErrorCode(
        "insufficient-funds",
        409,
        "The account does not hold enough"
    )
    /// What a child may spend in the month, in a category or in all.
    public static let limitExceeded = ErrorCode(
        "limit-exceeded",
        409,
        "More than may be spent in the month"
    )
    /// A purchase of a child's for so much is posted once a parent has approved of it.
    public static let approvalRequired = ErrorCode(
        "approval-required",
        409,
        "A parent has to approve of so much"
    )
    /// Or withdrawn, or expired.
    public static let alreadyDecided = ErrorCode(
        "already-decided",
        409,
        "The request is not open any more"
    )
    public static let tooManyApprovals = ErrorCode(
        "too-many-approvals",
        409,
        "There are as many open requests as a child may have"
    )
    public static let balanceOverflow = ErrorCode(
        "balance-overflow",
        409,
        "The balance would grow beyond what can be kept"
    )
    public static let partOfTransfer = ErrorCode(
        "part-of-transfer",
        409,
        "The transaction is one side of a transfer"
    )
    /// Less is open on the receivable than the expense has put there.
    public static let alreadySettled = ErrorCode(
        "already-settled",
        409,
        "What the others owe for it is paid back, in part at least"
    )
    /// It was taken back before, for good.
    public static let postingWithdrawn = ErrorCode(
        "posting-withdrawn",
        409,
        "It was taken out of the books"
    )
    public static let postingOutdated = ErrorCode(
        "posting-outdated",
        409,
        "A later version of it is posted"
    )
    /// What is paid and shared with others changes with the expense.
    public static let partOfExpense = ErrorCode(
        "part-of-expense",
        409,
        "The transaction belongs to a shared expense"
    )
    /// The hold was captured or given up, or its time is over.
    public static let holdEnded = ErrorCode("hold-ended", 409, "The transfer is not held any more")
    public static let undoExpired = ErrorCode(
        "undo-expired",
        409,
        "The deletion can no longer be undone"
    )
    /// The cursor is of books that were restored since: what it stands for is unknown.
    public static let resyncRequired = ErrorCode(
        "resync-required",
        409,
        "The copy is of other books; begin anew"
    )
    public static let quoteExpired = ErrorCode("quote-expired", 409, "The quote has expired")
    public static let quoteUsed = ErrorCode("quote-used", 409, "The quote was used before")
    public static let unknownIBAN = ErrorCode("unknown-iban", 422, "No account has this IBAN")
    public static let amountTooSmall = ErrorCode(
        "amount-too-small",
        422,
        "The converted amount is zero"
    )
    public static let rateUnavailable = ErrorCode(
        "rate-unavailable",
        422,
        "There is no rate for this currency"
    )
    public static let rateStale = ErrorCode("rate-stale", 503, "The newest rate is too old")
    public static let currencyMismatch = ErrorCode(
        "currency-mismatch",
        422,
        "The currency is not the account's"
    )
    public static let transferState = ErrorCode(
        "transfer-state",
        409,
        "The transfer's state forbids it"
    )
    public static let importState = ErrorCode("import-state", 409, "The import's state forbids it")
    public static let balancesDoNotTie = ErrorCode(
        "balances-do-not-tie",
        409,
        "The file's balances do not tie"
    )
    /// An import was set aside, for it ended whoever took it in, or back, several times.
    public static let importFailed = ErrorCode(
        "import-failed",
        422,
        "The import cannot be worked on as it is"
    )
    public static let unreadableFile = ErrorCode(
        "unreadable-file",
        422,
        "The file cannot be read as a statement"
    )
    /// Neither picture nor PDF to its end.
    public static let unreadableAttachment = ErrorCode(
        "unreadable-attachment",
        422,
        "The file is damaged or ends too early"
    )
    /// As many as one transaction or expense has.
    public static let tooManyAttachments = ErrorCode(
        "too-many-attachments",
        409,
        "There are as many attachments as one transaction or expense can have"
    )
    /// As much as one user has, or one group.
    public static let attachmentSpaceExhausted = ErrorCode(
        "attachment-space-exhausted",
        409,
        "The attachments of the user or the group take all the space that there is for them"
    )
    /// More digits than a format has.
    public static let amountTooLarge = ErrorCode(
        "amount-too-large",
        422,
        "An amount has more digits than the format can hold"
    )
    public static let unknownFormat = ErrorCode(
        "unknown-format",
        422,
        "The file's format is not known"
    )
    public static let accountNumberRequired = ErrorCode(
        "account-number-required",
        422,
        "The file has several accounts"
    )
}

// Analytics.
extension ErrorCode {
    public static let unknownMeasure = ErrorCode(
        "unknown-measure",
        422,
        "No figures of this are kept"
    )
    public static let savedQueryNameTaken = ErrorCode(
        "saved-query-name-taken",
        409,
        "A saved query has this name already"
    )
    public static let tooManySavedQueries = ErrorCode(
        "too-many-saved-queries",
        409,
        "There are as many saved queries as one person may have"
    )
}

extension ErrorCode {
    /// Every code of the module.
    public static let all: [ErrorCode] = [
        .malformedJSON, .invalidQuery, .invalidHeader, .invalidRequest, .idempotencyKeyRequired,
        .unauthenticated, .forbidden, .stepUpRequired, .notFound, .methodNotAllowed,
        .requestTimeout, .preconditionFailed, .bodyTooLarge, .uriTooLong, .unsupportedMediaType,
        .invalidBody, .idempotencyKeyReused, .idempotencyKeyInUse, .tooManyRequests,
        .headersTooLarge, .notImplemented, .expectationFailed, .versionNotSupported, .internalError,
        .badGateway, .unavailable, .gatewayTimeout, .emailTaken, .usernameTaken, .phoneTaken,
        .wrongCredentials, .lockedOut, .wrongCode, .challengeExhausted, .challengeExpired,
        .refreshTokenReused, .invalidRefreshToken, .wrongPassword, .samePassword, .linkExpired,
        .alreadyVerified, .channelUnavailable, .userDisabled, .recoveryExpired, .accountsNotEmpty,
        .lastAdmin, .invalidPasskey, .passkeyTaken, .tooManyPasskeys, .totpEnabled, .totpNotEnabled,
        .lastCredential, .identityTaken, .signInExpired, .unreadablePicture, .accountNameTaken,
        .accountNotEmpty, .lastAccount, .accountClosed, .accountKind, .tooManyMembers,
        .allowanceAccount, .categoryNameTaken, .defaultCategory, .categoryDepth, .insufficientFunds,
        .envelopeNameTaken,
        .balanceOverflow, .partOfTransfer, .holdEnded, .undoExpired, .resyncRequired, .quoteExpired,
        .quoteUsed, .unknownIBAN, .amountTooSmall, .rateUnavailable, .rateStale, .currencyMismatch,
        .transferState, .importState, .importFailed, .unreadableFile, .unknownFormat,
        .accountNumberRequired, .defaultGroup, .groupNotEmpty, .groupArchived, .pairGroup,
        .userNotFound, .alreadyInFamily, .parentsOnly, .memberIsParent, .childCannotLeave,
        .alreadyMember, .alreadyInvited, .memberHasLeft, .notAgreed, .userBlocked,
        .unsettledBalance, .nothingToSettle, .settlementTooLarge,
        .noReceivingAccount, .settlementGivenUp, .settlementState, .alreadyImportant, .notImportant,
        .tooManyRecurrences, .tooManyStandingOrders, .tooManyFolders, .tooManyImportRules,
        .tooManyImports, .tooManyAccounts, .unreadableAttachment, .tooManyAttachments,
        .attachmentSpaceExhausted, .amountTooLarge, .balancesDoNotTie, .peopleNotMapped,
        .importHasErrors, .limitExceeded, .categoryLimited, .lastParent, .approvalRequired,
        .alreadyDecided, .tooManyApprovals,
        .alreadySettled, .postingWithdrawn, .postingOutdated, .partOfExpense, .unknownMeasure,
        .savedQueryNameTaken, .tooManySavedQueries,
    ]
}
