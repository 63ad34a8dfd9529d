import Postgres
import ServiceKit
import WalletProtocol

/// What became of an element, in the words and the order of checks of `0006_posting/1_header.sql`
/// and, of receivables, limits and approvals, of the first files of `0028_receivables` and
/// `0032_outlays`.
enum PostingStatus: String, Sendable, CaseIterable, PostgresConvertible {
    case posted
    case busy
    case keyReused = "key-reused"
    case chainFailed = "chain-failed"
    case invalidElement = "invalid-element"
    case accountNotFound = "account-not-found"
    case counterNotFound = "counter-not-found"
    case sameAccount = "same-account"
    case categoryNotFound = "category-not-found"
    case folderNotFound = "folder-not-found"
    case transactionNotFound = "transaction-not-found"
    case transactionExists = "transaction-exists"
    case transferNotFound = "transfer-not-found"
    case holdEnded = "hold-ended"
    case forbidden
    case invalidAmount = "invalid-amount"
    case currencyMismatch = "currency-mismatch"
    case quoteNotFound = "quote-not-found"
    case quoteMismatch = "quote-mismatch"
    case quoteUsed = "quote-used"
    case quoteExpired = "quote-expired"
    case amountTooSmall = "amount-too-small"
    case accountClosed = "account-closed"
    case accountFrozen = "account-frozen"
    case accountKind = "account-kind"
    case accountNotEmpty = "account-not-empty"
    case accountNameTaken = "account-name-taken"
    case proposedNameTaken = "proposed-name-taken"
    case limitExceeded = "limit-exceeded"
    case approvalRequired = "approval-required"
    case alreadySettled = "already-settled"
    case overflow
    case insufficientFunds = "insufficient-funds"

    /// What the caller is told.
    var error: APIError {
        switch self {
        case .posted, .invalidElement, .chainFailed, .transactionExists:
            APIError(.internalError)
        case .busy: APIError(.unavailable)
        case .keyReused: APIError(.idempotencyKeyReused)
        case .accountNotFound, .forbidden:
            .field("/accountId", .unknownReference, "is absent or not yours")
        case .counterNotFound:
            .field("/toAccountId", .unknownReference, "is absent or not yours")
        case .categoryNotFound:
            .field("/categoryId", .unknownReference, "is absent or not yours")
        case .folderNotFound:
            .field("/folderId", .unknownReference, "is absent or not yours to put things into")
        case .transactionNotFound, .transferNotFound: .notFound
        case .holdEnded: APIError(.holdEnded)
        case .accountNameTaken, .proposedNameTaken: APIError(.accountNameTaken)
        case .sameAccount:
            .field("/toAccountId", .invalidValue, "is the account that pays")
        case .invalidAmount: .field("/amount", .invalidValue, "is out of range")
        case .currencyMismatch: APIError(.currencyMismatch)
        case .quoteNotFound, .quoteMismatch:
            .field("/quoteId", .unknownReference, "is absent or not yours")
        case .quoteUsed: APIError(.quoteUsed)
        case .quoteExpired: APIError(.quoteExpired)
        case .amountTooSmall: APIError(.amountTooSmall)
        case .accountClosed, .accountFrozen: APIError(.accountClosed)
        case .accountKind: APIError(.accountKind)
        case .accountNotEmpty: APIError(.accountNotEmpty)
        case .limitExceeded: APIError(.limitExceeded)
        case .approvalRequired: APIError(.approvalRequired)
        case .alreadySettled: APIError(.alreadySettled)
        case .overflow: APIError(.balanceOverflow)
        case .insufficientFunds: APIError(.insufficientFunds)
        }
    }
}

/// The outcome of one element.
struct PostingOutcome: Sendable, Hashable {
    let status: PostingStatus
    /// Whether it is the outcome of an earlier call with the same key.
    let isReplay: Bool
    let entry: ID<JournalEntry>?
    let transaction: ID<MoneyTransaction>?
    let transfer: ID<Transfer>?

    /// The same, where it was posted.
    /// - Throws: `APIError` with what the status means.
    func posted() throws(APIError) -> PostingOutcome {
        guard status == .posted else { throw status.error }
        return self
    }
}
