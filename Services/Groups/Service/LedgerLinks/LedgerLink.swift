import ServiceKit
import WalletProtocol

/// What of a group is, or is to be, in its owner's own ledger.
struct LedgerLink: Sendable {
    let id: ID<LedgerLink>
    let group: ID<Group>
    /// None: a settlement, whose id is the link's.
    let expense: ID<Expense>?
    let member: ID<Member>
    let user: ID<User>
    let state: State
    let account: ID<Account>
    let category: CategoryID?
    /// What is posted, or is to be as the first.
    let posted: Part
    let version: Int
    let transaction: ID<MoneyTransaction>?
    let reason: String?
    /// Whether its place stays when nothing is posted any more.
    let isKept: Bool
    /// What the ledger is asked for, of one that is made or pending.
    let asked: Asked?
    /// Whether its owner has edited the expense since that was asked.
    let isBehind: Bool
    /// Which version is in the books; none where its owner has deleted that there, 0 where it is
    /// not known, for it is older than that was kept.
    let postedVersion: Int?
    /// What of the expense is the owner's now; none where they paid nothing of it, or it is gone.
    let now: OwnPart?

    /// How far it is; what each can become stands in `0014_ledger_links.sql`.
    enum State: String, StringEnum {
        case making, pending, current, outdated, ending, ended

        /// Whether the ledger has to answer.
        var isUnderWay: Bool { [.making, .pending, .ending].contains(self) }
    }

    /// What somebody paid of an expense, and what they bear themselves of that.
    struct Part: Sendable, Hashable {
        let paid: Money
        let share: Money
        let day: Day
    }

    /// What the ledger is asked for.
    enum Asked: Sendable, Hashable {
        case posting(ExpensePosting)
        case clearing(ReceivableClearing)
    }

    /// Whether anybody was ever told of what it is of.
    var wasWritten: Bool { transaction != nil }

    /// Whether its owner has deleted in their ledger what was posted, and may undo that.
    var isDeletedThere: Bool { transaction != nil && postedVersion == nil }

    /// Whether this version can be what is in the books.
    func mayHave(posted version: Int) -> Bool {
        postedVersion == version || postedVersion == 0
    }

    /// Whether what is posted is what the expense is.
    var isTrue: Bool { posted == now?.part }

    /// Whether what the ledger is asked for is what the expense is.
    var asksForNow: Bool {
        guard case .posting(let posting)? = asked else { return false }
        return Part(posting) == now?.part
    }

    /// As its owner sees it; nil of one that is not there yet.
    var view: LedgerLinkView? {
        guard let shown = LedgerLinkState(rawValue: state.rawValue) else { return nil }
        return LedgerLinkView(
            accountID: account,
            ownCategoryID: category,
            transactionID: state == .ended ? nil : transaction,
            state: shown,
            reason: reason
        )
    }
}

/// What somebody paid of an expense that stands, and what it is called.
struct OwnPart: Sendable, Hashable {
    let part: LedgerLink.Part
    let name: String

    /// What the ledger is asked for.
    func posting(
        to account: ID<Account>,
        _ category: CategoryID?,
        version: Int
    ) -> ExpensePosting {
        ExpensePosting(
            accountID: account,
            paid: part.paid,
            share: part.share,
            date: part.day,
            name: name,
            categoryID: category,
            version: version
        )
    }
}

extension LedgerLink.Part {
    /// - Parameter owed: all that they bear of the expense: beyond what they paid they owe it, and
    ///   have not spent it yet. Of what came back likewise, below zero.
    init(paid: Int64, owed: Int64, _ currency: Currency, on day: Day) {
        self.init(
            paid: Money(minorUnits: paid, currency),
            share: Money(minorUnits: paid < 0 ? max(paid, owed) : min(paid, owed), currency),
            day: day
        )
    }

    init(_ posting: ExpensePosting) {
        self.init(paid: posting.paid, share: posting.share, day: posting.date)
    }
}

extension APIError {
    /// Whether asking the ledger again would come to the same.
    var isFinal: Bool { code.status < 500 && code.status != 408 && code.status != 429 }

    /// Whether the ledger has done a later call of the same link already.
    var isOvertaken: Bool { code == .postingWithdrawn || code == .postingOutdated }

    /// The ledger's refusal in the words of a call that names an account and a category.
    var ofLink: APIError {
        if isOvertaken {
            return APIError(.unavailable, retryAfterSeconds: 1)
        }
        var said = self
        said.errors = errors.map { fault in
            FieldError(
                pointer: fault.pointer == "/categoryId" ? "/ownCategoryId" : "/accountId",
                code: fault.code,
                detail: fault.detail
            )
        }
        return said
    }

    /// What a link says of why it could not follow: of several faults the first.
    var reasonCode: String { errors.first?.code.text ?? code.text }
}
