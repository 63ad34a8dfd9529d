import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// One element of `post_batch_v1`: money that moves, or a transaction that changes.
///
/// The names are those of the function's own description (`0006_posting/1_header.sql`).
struct Posting: Sendable {
    /// What happens.
    enum Kind: String, Sendable, PostgresConvertible {
        case record, transfer, opening, reversal, revision, deposit, hold, capture, void, expiry
    }
    /// A part of a payment that is split over categories.
    struct Line: Sendable, Hashable {
        let category: CategoryID
        /// In minor units, signed as the whole; all lines sum to it.
        let amount: Int64
    }
    /// The account that a deposit opens.
    struct Opening: Sendable, Hashable {
        let currency: Currency
        let name: String
        let foldedName: String
        /// Whether the name may be another: no key keeps that it is taken.
        let isProposed: Bool
        let iban: String?
    }
    /// Where something was: millionths of a degree.
    struct Location: Sendable, Hashable {
        let latitude: Int32
        let longitude: Int32
    }

    let kind: Kind
    /// Absent for those elements of a chain that follow its first.
    var operation: Operation?
    /// Elements in a row with one number stand or fall together.
    var chain: Int?
    /// Who asks; nil where the service does by itself.
    let actor: ID<User>?
    /// Whether the service answers for the right: on the account who asks need have none.
    var isByService = false
    /// In whose categories and budgets it counts, where that is not who asks.
    var books: ID<User>?
    let account: ID<Account>
    var counter: ID<Account>?
    /// Whether the other account must be the same owner's.
    var counterIsOwn = false
    /// In minor units.
    var amount: Int64?
    var currency: Currency?
    var quote: ID<Quote>?
    private(set) var entry: ID<JournalEntry> = .new()
    var transaction: ID<MoneyTransaction>?
    var version: Int?
    /// Of what ends a hold: the transfer.
    private(set) var endedTransfer: ID<Transfer>?
    var counterTransaction: ID<MoneyTransaction>?
    /// What arrives, in the other account's minor units, where a quote does not say.
    var counterAmount: Int64?
    var day: Day?
    /// «Others» where there is none.
    var category: CategoryID?
    var importID: ID<StatementImport>?
    /// An opening's entry that is taken back: it has no transaction.
    var reverses: ID<JournalEntry>?
    var name: String?
    var counterName: String?
    var description: String?
    var reference: String?
    /// In place of a category.
    var lines: [Line] = []
    /// As they were typed, and as lists find them.
    var tags: [String] = []
    var foldedTags: [String] = []
    var location: Location?
    var placeName: String?
    var folder: ID<Folder>?
    var recurrence: ID<Recurrence>?
    /// Until when a hold stands.
    var expires: Instant?
    /// What a deposit opens.
    var opens: Opening?
    /// Up to which amount a parent has approved of it, in minor units.
    var approved: Int64?
    /// Of a record whose counter is its owner's receivable: what goes there beside the amount or,
    /// below zero, comes from there.
    var claim: Int64?
    /// Of a transfer: the payee's, which it clears.
    var receivable: ID<Account>?
    /// Of the request that it is made in, for the batcher posts outside of it.
    let traceparent = RequestContext.current?.traceparent

    init(_ kind: Kind, _ operation: Operation?, by actor: ID<User>?, on account: ID<Account>) {
        self.kind = kind
        self.operation = operation
        self.actor = actor
        self.account = account
    }

    /// About how long it is as the function reads it.
    var bytes: Int {
        [name, counterName, description, reference, placeName].reduce(700) {
            $0 + ($1?.utf8.count ?? 0)
        } + lines.count * 80 + tags.reduce(0) { $0 + $1.utf8.count * 2 }
    }
}

extension Posting {
    /// The transfer that it makes, whose id is the entry's, or ends.
    var transfer: ID<Transfer>? {
        get { makesTransfer ? ID(high: entry.high, low: entry.low) : endedTransfer }
        set {
            guard makesTransfer else {
                endedTransfer = newValue
                return
            }
            if let newValue { entry = ID(high: newValue.high, low: newValue.low) }
        }
    }

    private var makesTransfer: Bool { [.transfer, .deposit, .hold].contains(kind) }
}
