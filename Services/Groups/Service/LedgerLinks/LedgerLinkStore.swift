import JSONCodec
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// What of a group's expenses and settlements is in people's own ledgers.
///
/// Each change is a row that commits with its cause, then a call to the ledger, then what that
/// answered: a process may die after each of them, and `LedgerLinkWork` goes on with the row. What
/// another member does moves nobody's money: what is posted is outdated then, and its owner is
/// told. The expense is the group's: where the ledger will not follow an edit or a deletion by the
/// owner (part of the claim is paid back, say), the expense is what they made it, and the link says
/// why it is not. Refused so, it follows again when its owner asks for that, and not before.
enum LedgerLinkStore {
    // MARK: Beginning

    /// What is asked for the first time.
    struct Beginning {
        let id: ID<LedgerLink>
        let expense: ID<Expense>?
        let account: ID<Account>
        let category: CategoryID?
        let part: LedgerLink.Part
        let asked: LedgerLink.Asked
    }

    /// The row that goes before the first call to the ledger.
    @discardableResult
    static func begin(
        _ new: Beginning,
        as state: LedgerLink.State,
        of membership: Membership,
        under scope: IdempotencyScope?,
        in transaction: Transaction
    ) async throws -> LedgerLink {
        try await transaction.execute(
            LedgerLinkStatements.insert,
            new.id,
            membership.group.id,
            new.expense,
            membership.member,
            membership.user,
            state.rawValue,
            new.account,
            new.category,
            new.part.paid.minorUnits,
            new.part.share.minorUnits,
            new.part.paid.currency,
            new.part.day,
            new.asked.text,
            scope?.noteID,
            scope?.requestHash
        )
        guard let link = try await transaction.queryOne(LedgerLinkStatements.find, new.id) else {
            throw APIError(.internalError)
        }
        return link
    }

    /// What an earlier call under the same key has begun.
    static func begun(
        under scope: IdempotencyScope?,
        in transaction: Transaction
    ) async throws -> LedgerLink? {
        guard let scope,
            let known = try await transaction.queryOne(LedgerLinkStatements.ofKey, scope.noteID)
        else { return nil }
        guard known.requestHash == scope.requestHash else {
            throw APIError(.idempotencyKeyReused)
        }
        return try await transaction.queryOne(LedgerLinkStatements.find, known.id)
    }

    /// Asks for what a member paid of an expense that stands.
    /// - Returns: the link that the ledger has to be asked for; nil while another call of theirs
    ///   is under way.
    /// - Throws: 422 where they paid nothing of it.
    static func ask(
        _ body: NewLedgerLink,
        for expense: ID<Expense>,
        of membership: Membership,
        in transaction: Transaction
    ) async throws -> ID<LedgerLink>? {
        let group = membership.group.id
        let found = try await transaction.queryOne(
            LedgerLinkStatements.part,
            group,
            expense,
            membership.member
        )
        guard let found else { throw APIError.notFound }
        guard let own = found.own else {
            throw APIError.field("/accountId", .conflict, "is for who paid: you paid nothing of it")
        }
        let known = try await self.own(expense, of: membership, transaction)
        if let known {
            guard !known.state.isUnderWay else { return nil }
            return try await ask(known, own, at: (body.accountID, body.ownCategoryID), transaction)
        }
        let id = ID<LedgerLink>.new()
        try await begin(
            Beginning(
                id: id,
                expense: expense,
                account: body.accountID,
                category: body.ownCategoryID,
                part: own.part,
                asked: .posting(own.posting(to: body.accountID, body.ownCategoryID, version: 1))
            ),
            as: .pending,
            of: membership,
            under: nil,
            in: transaction
        )
        return id
    }

    /// Asks for the next version, once the last one is answered; under another id where what there
    /// was is taken back.
    @discardableResult
    static func ask(
        _ link: LedgerLink,
        _ own: OwnPart,
        at place: (account: ID<Account>, category: CategoryID?)? = nil,
        _ transaction: Transaction
    ) async throws -> ID<LedgerLink> {
        let isAnew = link.state == .ended && !link.isDeletedThere
        // Which category it is in its owner may have changed there since.
        let (account, category) = place ?? (link.account, isAnew ? link.category : nil)
        let id = isAnew ? ID<LedgerLink>.new() : link.id
        let version = isAnew ? 1 : link.version + 1
        let posting = own.posting(to: account, category, version: version)
        try await transaction.execute(
            LedgerLinkStatements.ask,
            link.id,
            id,
            Int32(clamping: version),
            LedgerLink.Asked.posting(posting).text,
            isAnew || link.isKept
        )
        return id
    }

    /// Begins to take one back by its owner's word.
    /// - Returns: nil while another call of theirs posts it.
    /// - Throws: 404 where nothing is linked.
    static func end(
        _ expense: ID<Expense>,
        of membership: Membership,
        in transaction: Transaction
    ) async throws -> ID<LedgerLink>? {
        guard let known = try await own(expense, of: membership, transaction) else {
            throw APIError.notFound
        }
        guard known.state != .pending else { return nil }
        try await transaction.execute(LedgerLinkStatements.end, known.id, false, String?.none)
        return known.id
    }

    // MARK: Following the expense

    /// What an edit, a deletion or its undoing, written already, means to those who have the
    /// expense in their ledgers.
    static func follow(
        _ expense: ID<Expense>,
        of membership: Membership,
        undoes: Bool = false,
        in transaction: Transaction
    ) async throws {
        let group = membership.group.id
        for link in try await transaction.query(LedgerLinkStatements.ofExpense, group, expense) {
            let isOwn = link.user == membership.user
            switch link.state {
            // Of one that is under way it is looked at again when the ledger has answered.
            case .making: continue
            case .pending where !isOwn || link.asksForNow: continue
            case .pending:
                try await transaction.execute(LedgerLinkStatements.fallBehind, link.id, true)
            case .ending where !isOwn || !link.isKept: continue
            case .ending:
                let isBack = link.now != nil && (undoes || link.isBehind)
                try await transaction.execute(LedgerLinkStatements.fallBehind, link.id, isBack)
            case .current where link.isTrue: continue
            case .current, .outdated:
                if isOwn, link.now == nil {
                    try await end(link, in: transaction)
                } else if link.state == .outdated {
                    try await renew(link, in: transaction)
                } else if isOwn, let own = link.now {
                    try await ask(link, own, transaction)
                } else {
                    try await outdate(link, in: transaction)
                }
            case .ended:
                guard undoes, isOwn, !link.isDeletedThere, let own = link.now else { continue }
                try await ask(link, own, transaction)
            }
        }
    }

    /// What taking some expenses away means to those who have them in their ledgers.
    static func follow(
        removalOf expenses: [ID<Expense>],
        by membership: Membership,
        in transaction: Transaction
    ) async throws {
        let group = membership.group.id
        for id in try await transaction.query(LedgerLinkStatements.linked, group, expenses) {
            try await follow(id, of: membership, in: transaction)
        }
    }

    /// Begins to take back what somebody has cleared by a settlement that they take away.
    /// - Returns: whether they have anything in their books by it, which goes before it does.
    static func end(
        clearing settlement: ID<Settlement>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> Bool {
        let id = settlement.retagged(LedgerLink.self)
        guard let link = try await transaction.queryOne(LedgerLinkStatements.find, id),
            link.user == user, [.current, .ending].contains(link.state)
        else { return false }
        if link.state == .current {
            try await transaction.execute(LedgerLinkStatements.end, id, false, String?.none)
        }
        return true
    }

    /// What taking a settlement away means to whoever has it in their ledger: nobody else moves
    /// their money, and what they have deleted there does not come back.
    static func follow(
        removalOf settlement: ID<Settlement>,
        in transaction: Transaction
    ) async throws {
        let id = settlement.retagged(LedgerLink.self)
        switch try await transaction.queryOne(LedgerLinkStatements.find, id)?.state {
        case .current?:
            let outdated = LedgerLink.State.outdated.rawValue
            try await transaction.execute(LedgerLinkStatements.keep, id, outdated, String?.none)
        case .ended?:
            try await transaction.execute(LedgerLinkStatements.end, id, false, String?.none)
        // What its owner takes back goes on.
        case .ending?, .making?, .pending?, .outdated?, nil: return
        }
    }

    /// What people do in the ledger to what is posted, and nothing else: sequences count all.
    static let filter = "ezwallet.ledger.wallet.receivable.>"

    /// Hears of that.
    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        guard event.type == ReceivablePostingChanged.eventType else { return }
        try await follow(event.body(as: ReceivablePostingChanged.self), in: transaction)
    }

    /// What the owner's deleting in the ledger what was posted, or having it back, means to it.
    static func follow(
        _ change: ReceivablePostingChanged,
        in transaction: Transaction
    ) async throws {
        let id = change.postingID.retagged(LedgerLink.self)
        guard let group = try await transaction.queryOne(LedgerLinkStatements.find, id)?.group
        else { return }
        _ = try await transaction.queryOne(GroupStatements.lock, group)
        guard let link = try await transaction.queryOne(LedgerLinkStatements.find, id),
            link.user == change.userID,
            // What comes late is of what has been posted anew since.
            change.isPosted ? link.isDeletedThere : link.mayHave(posted: change.version)
        else { return }
        let version = change.isPosted ? Int32(clamping: change.version) : nil
        try await transaction.execute(LedgerLinkStatements.see, id, version)
        let state: LedgerLink.State
        switch link.state {
        case .current, .outdated: state = .ended
        // A settlement that is taken away takes its link along.
        case .ended where link.expense == nil || link.isTrue: state = .current
        case .ended: return try await outdate(link, in: transaction)
        case .making, .pending, .ending: return
        }
        try await transaction.execute(
            LedgerLinkStatements.keep,
            id,
            state.rawValue,
            String?.none
        )
    }

    /// The expense may be again what is posted.
    private static func renew(_ link: LedgerLink, in transaction: Transaction) async throws {
        guard link.isTrue else { return }
        let current = LedgerLink.State.current.rawValue
        try await transaction.execute(LedgerLinkStatements.keep, link.id, current, String?.none)
    }

    /// Begins to take back what its owner has deleted, or paid nothing of any more; an undo of the
    /// deletion finds where it was.
    static func end(_ link: LedgerLink, in transaction: Transaction) async throws {
        let stands = try await transaction.queryOne(
            LedgerLinkStatements.part,
            link.group,
            link.expense,
            link.member
        )
        let isGone = stands == nil
        try await transaction.execute(LedgerLinkStatements.end, link.id, isGone, String?.none)
    }

    /// What is posted stays, and is not what the expense is.
    static func outdate(
        _ link: LedgerLink,
        for reason: String? = nil,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            LedgerLinkStatements.keep,
            link.id,
            LedgerLink.State.outdated.rawValue,
            reason
        )
        try await tell(link, amount: link.posted.paid, reason, in: transaction)
    }

    /// Tells its owner, while they are in the group: nobody outside hears of what goes on there.
    static func tell(
        _ link: LedgerLink,
        amount: Money,
        _ reason: String? = nil,
        in transaction: Transaction
    ) async throws {
        guard let expense = link.expense,
            try await transaction.queryOne(GroupStatements.known, link.group, link.member)?.user
                == link.user
        else { return }
        try await Outbox.append(
            GroupLinkOutdated(
                expenseID: expense,
                groupID: link.group,
                userID: link.user,
                amount: amount,
                reason: reason
            ),
            of: link.group.aggregate,
            in: transaction
        )
    }

    /// Tells its owner that what was posted stays, though what it was to be of was never written
    /// down: it is their own, wherever they are.
    static func tell(
        keeping link: LedgerLink,
        for reason: String,
        in transaction: Transaction
    ) async throws {
        try await Outbox.append(
            GroupPostingKept(
                groupID: link.group,
                userID: link.user,
                accountID: link.account,
                amount: link.posted.paid,
                reason: reason
            ),
            of: link.group.aggregate,
            in: transaction
        )
    }

    // MARK: Reading

    /// A member's own of an expense, removed or not.
    static func own(
        _ expense: ID<Expense>,
        of membership: Membership,
        _ database: some Querying
    ) async throws -> LedgerLink? {
        try await database.query(LedgerLinkStatements.ofExpense, membership.group.id, expense)
            .first { $0.user == membership.user }
    }

    /// Expenses with what is in the ledger of whoever reads them.
    static func shown(
        on expenses: [ExpenseView],
        to membership: Membership,
        _ database: some Querying
    ) async throws -> [ExpenseView] {
        guard !expenses.isEmpty else { return [] }
        let rows = try await database.query(
            LedgerLinkStatements.ofExpenses,
            membership.group.id,
            expenses.map(\.id),
            membership.user
        )
        return expenses.map { expense in
            var shown = expense
            shown.link = rows.first { $0.expense == expense.id }?.view
            return shown
        }
    }
}

extension LedgerLink.Asked {
    /// As it is kept.
    fileprivate var text: String {
        switch self {
        case .posting(let posting): JSON.text(posting)
        case .clearing(let clearing): JSON.text(clearing)
        }
    }
}
