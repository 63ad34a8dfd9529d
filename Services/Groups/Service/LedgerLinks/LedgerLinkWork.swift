import Postgres
import ServiceKit
import WalletProtocol

/// Asks the ledger for what links wait for, and writes what it answers: whoever has asked does so
/// within their call, and of what nobody waits for any more `finishSome` does it.
///
/// An expense or a settlement that is to be written down with its posting comes after the posting:
/// a refusal leaves nothing, and nobody has seen what is not posted. Where the process dies between
/// the two, the posting is taken back; whoever repeats the call under its key before that goes on
/// with it. Everything else goes forward: the row says what was asked for, and the ledger does that
/// once for its id and version, or refuses it.
final class LedgerLinkWork {
    private let database: Database
    private let effects: KeyedEffects
    private let ledger: LinkLedger

    init(database: Database, effects: KeyedEffects, ledger: LinkLedger) {
        self.database = database
        self.effects = effects
        self.ledger = ledger
    }

    // MARK: Making

    /// Writes down what is in its maker's own ledger from the first moment on: an expense, or a
    /// settlement.
    ///
    /// In three steps, after each of which a process may die:
    ///
    /// 1. Under the group's lock everything is checked, and a link says what the ledger is asked
    ///    for; under the same key it is what was begun before.
    /// 2. The ledger posts it, or refuses: then there is neither.
    /// 3. Under the group's lock it is written down, with the answer of the key.
    ///
    /// The worker takes the second step back where the third never comes.
    func make<View>(
        in group: ID<Group>,
        by user: ID<User>,
        under scope: IdempotencyScope?,
        beginning begin: (Membership, Transaction) async throws -> LedgerLinkStore.Beginning,
        writing write: (LedgerLink, LedgerLinkView, Transaction) async throws -> Response<View>
    ) async throws -> Response<View> {
        try await effects.run(scope) { keyed in
            let link: LedgerLink? = try await database.transaction { transaction in
                try await ErasedUsers.hold([user], in: transaction)
                let membership = try await Membership.lock(user, in: group, to: .write, transaction)
                // Whoever asked first has posted it, and written it down.
                if try await keyed.isAnswered(in: transaction) { return LedgerLink?.none }
                if let begun = try await LedgerLinkStore.begun(under: scope, in: transaction) {
                    return begun
                }
                return try await LedgerLinkStore.begin(
                    try await begin(membership, transaction),
                    as: .making,
                    of: membership,
                    under: scope,
                    in: transaction
                )
            }
            guard let link else {
                return try await keyed.answer { _ in throw APIError(.unavailable) }
            }
            return try await make(link, keyed) { transaction, view in
                try await write(link, view, transaction)
            }
        }
    }

    /// Posts what a link was begun with, then writes down what it is of, with the key's answer.
    /// - Throws: what refuses it, of the ledger or of `write`, once nothing is left but what the
    ///   worker takes back; otherwise that the ledger cannot be asked, and the key goes on with it.
    private func make<View>(
        _ link: LedgerLink,
        _ keyed: KeyedEffect,
        _ write: (Transaction, LedgerLinkView) async throws -> Response<View>
    ) async throws -> Response<View> {
        guard let asked = link.asked else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        let transaction: ID<MoneyTransaction>
        do { transaction = try await ledger.post(asked, link.id, link.user) } catch {
            try await giveUp(link.id, error)
            if let refusal = error as? APIError { throw refusal.ofLink }
            throw error
        }
        do {
            return try await keyed.answer { effect in
                let view = LedgerLinkView(
                    accountID: link.account,
                    ownCategoryID: link.category,
                    transactionID: transaction,
                    state: .current
                )
                let response = try await write(effect, view)
                let made = try await effect.execute(
                    LedgerLinkStatements.made,
                    link.id,
                    transaction
                )
                // Somebody took it for one that was cut off: the key begins anew.
                guard made == 1 else { throw APIError(.unavailable, retryAfterSeconds: 1) }
                return response
            }
        } catch {
            try await giveUp(link.id, error)
            throw error
        }
    }

    /// After a refusal nothing is to be left of one that was to be made.
    private func giveUp(_ id: ID<LedgerLink>, _ error: any Error) async throws {
        guard let refusal = error as? APIError, refusal.isFinal,
            try await database.execute(LedgerLinkStatements.abandon, id) == 1
        else { return }
        // Where that fails the worker does it.
        _ = try? await carryOut(id)
    }

    // MARK: By their owners

    /// How often a call begins again after another call of the same person came first.
    ///
    /// Each time at least one of the others has ended, so that so many calls at once all end.
    static let roundsMax = 64

    /// Posts what a member paid of an expense that stands, or posts it anew.
    func set(
        _ expense: ID<Expense>,
        of group: ID<Group>,
        _ body: NewLedgerLink,
        by user: ID<User>
    ) async throws -> LedgerLinkView {
        try await again { try await setOnce(expense, of: group, body, by: user) }
    }

    /// Takes it back.
    func remove(_ expense: ID<Expense>, of group: ID<Group>, by user: ID<User>) async throws {
        try await again { try await removeOnce(expense, of: group, by: user) }
    }

    /// Does what another call may overtake until that call has ended.
    private func again<Value>(_ attempt: () async throws -> Value?) async throws -> Value {
        for _ in 0..<Self.roundsMax {
            if let value = try await attempt() { return value }
        }
        throw APIError(.unavailable, retryAfterSeconds: 1)
    }

    /// - Returns: nil where another call came first: its end is what this one begins with.
    private func setOnce(
        _ expense: ID<Expense>,
        of group: ID<Group>,
        _ body: NewLedgerLink,
        by user: ID<User>
    ) async throws -> LedgerLinkView? {
        let membership = try await Membership.find(user, in: group, database)
        let known = try await LedgerLinkStore.own(expense, of: membership, database)
        if let known {
            if known.state.isUnderWay { try await carryOut(known.id) }
            let category = body.ownCategoryID ?? known.category
            let isSame = known.account == body.accountID && known.category == category
            if known.state == .current, isSame, let view = known.view,
                try await ledger.isPosted(known.id, user)
            {
                return view
            }
        }
        let id = try await effects.run { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            let membership = try await Membership.lock(user, in: group, to: .belong, transaction)
            return try await LedgerLinkStore.ask(
                body,
                for: expense,
                of: membership,
                in: transaction
            )
        }
        guard let id else { return nil }
        if let refusal = try await carryOut(id) {
            guard refusal.isOvertaken else { throw refusal.ofLink }
            return nil
        }
        return try await LedgerLinkStore.own(expense, of: membership, database)?.view
    }

    /// - Returns: nil where another call came first: its end is what this one begins with.
    private func removeOnce(
        _ expense: ID<Expense>,
        of group: ID<Group>,
        by user: ID<User>
    ) async throws -> Void? {
        // What is posted is known before it is taken back, for the ledger may refuse that.
        try await follow(expense, of: group, by: user)
        let id = try await effects.run { transaction in
            let membership = try await Membership.lock(user, in: group, to: .belong, transaction)
            return try await LedgerLinkStore.end(expense, of: membership, in: transaction)
        }
        guard let id else { return nil }
        if let refusal = try await carryOut(id) { throw refusal }
        return ()
    }

    /// The expense with its reader's link, once the ledger has answered; where it does not, as far
    /// as it is.
    func shown(on expense: ExpenseView, to user: ID<User>) async throws -> ExpenseView {
        let membership = try await Membership.find(user, in: expense.groupID, database)
        try await follow(expense.id, of: membership)
        let shown = try await LedgerLinkStore.shown(on: [expense], to: membership, database)
        return shown.first ?? expense
    }

    /// Has the ledger follow what a member has just done to an expense.
    func follow(
        _ expense: ID<Expense>,
        of group: ID<Group>,
        by user: ID<User>
    ) async throws {
        try await follow(expense, of: try await Membership.find(user, in: group, database))
    }

    /// Takes a settlement away: `remove` checks everything under the group's lock, and says whether
    /// it waits for what its creditor has cleared by it; once that is taken back, it goes.
    /// - Throws: where the ledger will not: the settlement stays. Where the ledger cannot be asked
    ///   the worker goes on, as does whoever asks again.
    func remove(
        _ settlement: ID<Settlement>,
        by remove: (Transaction) async throws -> Bool
    ) async throws {
        let isWaiting = try await effects.run { try await remove($0) }
        let id = settlement.retagged(LedgerLink.self)
        if isWaiting {
            if let refusal = try await carryOut(id) { throw refusal }
        } else {
            // Where the ledger cannot be asked now the worker does it.
            _ = try? await carryOut(id)
        }
    }

    private func follow(_ expense: ID<Expense>, of membership: Membership) async throws {
        let link = try await LedgerLinkStore.own(expense, of: membership, database)
        guard let link, link.state.isUnderWay, link.state != .making else { return }
        // Where it cannot be asked now the worker does it.
        _ = try? await carryOut(link.id)
    }

    // MARK: Asking

    /// Takes what was cut off to its end; what fails keeps none of the others.
    func finishSome() async throws {
        for id in try await database.query(LedgerLinkStatements.take) {
            // Whose caller has died, or has been told so.
            try await database.execute(LedgerLinkStatements.abandon, id)
            _ = try? await carryOut(id)
        }
    }

    /// Asks the ledger, and writes what it answers; again it changes nothing.
    /// - Returns: why it will not.
    /// - Throws: where it cannot be asked now.
    @discardableResult
    private func carryOut(_ id: ID<LedgerLink>) async throws -> APIError? {
        guard let link = try await database.queryOne(LedgerLinkStatements.find, id) else {
            return nil
        }
        switch link.state {
        case .pending: return try await post(link)
        case .ending: return try await takeBack(link)
        case .making, .current, .outdated, .ended: return nil
        }
    }

    private func post(_ link: LedgerLink) async throws -> APIError? {
        guard let asked = link.asked, case .posting(let posting) = asked else { return nil }
        do {
            let posted = try await ledger.post(asked, link.id, link.user)
            let isAgain = try await effects.run { transaction in
                try await Self.write(posting, posted, of: link, in: transaction)
            }
            return isAgain ? try await carryOut(link.id) : nil
        } catch let refusal as APIError where refusal.isFinal {
            let next = try await effects.run { transaction in
                try await Self.write(refusal, of: link, in: transaction)
            }
            switch next {
            case .nothing: return refusal
            case .again: return try await carryOut(link.id)
            case .takeBack:
                // It is made certain that nothing of it is posted later.
                _ = try? await carryOut(link.id)
                return refusal
            }
        }
    }

    /// What there is to be done behind a refusal.
    private enum Next { case nothing, again, takeBack }

    /// A link as it is now, with its group's row locked, if nobody has asked for more since.
    private static func lock(
        _ link: LedgerLink,
        _ transaction: Transaction
    ) async throws -> (link: LedgerLink, hasGroup: Bool)? {
        let group = try await transaction.queryOne(GroupStatements.lock, link.group)
        guard let now = try await transaction.queryOne(LedgerLinkStatements.find, link.id),
            now.state == link.state, now.version == link.version
        else { return nil }
        return (now, group != nil)
    }

    /// - Returns: whether there is more to ask for by now.
    private static func write(
        _ posting: ExpensePosting,
        _ posted: ID<MoneyTransaction>,
        of link: LedgerLink,
        in transaction: Transaction
    ) async throws -> Bool {
        guard let now = try await lock(link, transaction) else { return false }
        guard now.hasGroup else {
            // What was in the books before stays there, as all that was shared with the group.
            if link.transaction == nil {
                let none = String?.none
                try await transaction.execute(LedgerLinkStatements.end, link.id, false, none)
            } else {
                try await transaction.execute(LedgerLinkStatements.delete, link.id)
            }
            return link.transaction == nil
        }
        let part = LedgerLink.Part(posting)
        let isTrue = now.link.now?.part == part
        try await transaction.execute(
            LedgerLinkStatements.post,
            link.id,
            (isTrue ? LedgerLink.State.current : .outdated).rawValue,
            posted,
            posting.accountID,
            posting.categoryID,
            part.paid.minorUnits,
            part.share.minorUnits,
            part.paid.currency,
            part.day
        )
        if isTrue { return false }
        if try await catchUp(now.link, at: posting.accountID, transaction) { return true }
        try await LedgerLinkStore.tell(link, amount: part.paid, in: transaction)
        return false
    }

    /// Does what the owner has done to the expense since the ledger was asked.
    private static func catchUp(
        _ link: LedgerLink,
        at account: ID<Account>,
        _ transaction: Transaction
    ) async throws -> Bool {
        guard link.isBehind else { return false }
        if let own = link.now {
            try await LedgerLinkStore.ask(link, own, at: (account, nil), transaction)
        } else {
            try await LedgerLinkStore.end(link, in: transaction)
        }
        return true
    }

    private static func write(
        _ refusal: APIError,
        of link: LedgerLink,
        in transaction: Transaction
    ) async throws -> Next {
        guard let now = try await lock(link, transaction) else { return .nothing }
        if try await catchUp(now.link, at: now.link.account, transaction) { return .again }
        guard !now.link.isDeletedThere else {
            let (ended, reason) = (LedgerLink.State.ended.rawValue, refusal.reasonCode)
            try await transaction.execute(LedgerLinkStatements.keep, link.id, ended, reason)
            return .nothing
        }
        guard now.link.transaction == nil else {
            try await LedgerLinkStore.outdate(now.link, for: refusal.reasonCode, in: transaction)
            return .nothing
        }
        try await transaction.execute(
            LedgerLinkStatements.end,
            link.id,
            now.link.isKept,
            refusal.reasonCode
        )
        if now.link.isKept {
            // Whoever has undone a deletion may not wait for it any more.
            let (amount, reason) = (link.posted.paid, refusal.reasonCode)
            try await LedgerLinkStore.tell(link, amount: amount, reason, in: transaction)
        }
        return .takeBack
    }

    private func takeBack(_ link: LedgerLink) async throws -> APIError? {
        do { try await ledger.withdraw(link) } catch let refusal as APIError
            where refusal.isFinal && refusal.code != .notFound
        {
            try await effects.run { transaction in
                try await Self.keep(link, for: refusal, in: transaction)
            }
            return refusal
        } catch let refusal as APIError where refusal.code == .notFound {
            // Who is erased has no books, and needs none.
        }
        let again = try await effects.run { transaction in
            try await Self.rest(link, in: transaction)
        }
        if let again { try await carryOut(again) }
        return nil
    }

    /// What is taken back.
    /// - Returns: what its owner has undone since: it is asked for anew.
    private static func rest(
        _ link: LedgerLink,
        in transaction: Transaction
    ) async throws -> ID<LedgerLink>? {
        guard link.expense != nil else {
            try await end(clearing: link, in: transaction)
            return nil
        }
        guard let now = try await lock(link, transaction) else { return nil }
        guard now.link.isKept, now.hasGroup else {
            try await transaction.execute(LedgerLinkStatements.delete, link.id)
            return nil
        }
        try await transaction.execute(LedgerLinkStatements.rest, link.id)
        guard now.link.isBehind, let own = now.link.now,
            let rested = try await transaction.queryOne(LedgerLinkStatements.find, link.id)
        else { return nil }
        return try await LedgerLinkStore.ask(rested, own, transaction)
    }

    /// What is taken back of a settlement, which goes with it: whatever has become of the link
    /// since, it is taken back for good.
    private static func end(
        clearing link: LedgerLink,
        in transaction: Transaction
    ) async throws {
        _ = try await transaction.queryOne(GroupStatements.lock, link.group)
        guard try await transaction.execute(LedgerLinkStatements.delete, link.id) == 1 else {
            return
        }
        try await SettlementStore.finishRemoval(
            of: link.id.retagged(Settlement.self),
            from: link.group,
            by: link.user,
            in: transaction
        )
    }

    /// What the ledger will not take back.
    private static func keep(
        _ link: LedgerLink,
        for refusal: APIError,
        in transaction: Transaction
    ) async throws {
        guard let now = try await lock(link, transaction) else { return }
        guard now.link.wasWritten else {
            try await transaction.execute(LedgerLinkStatements.delete, link.id)
            let reason = refusal.reasonCode
            return try await LedgerLinkStore.tell(keeping: link, for: reason, in: transaction)
        }
        guard now.hasGroup else {
            try await transaction.execute(LedgerLinkStatements.delete, link.id)
            return
        }
        let settlement = link.id.retagged(Settlement.self)
        let isTrue =
            try await link.expense == nil
            ? SettlementStore.stands(settlement, in: link.group, transaction) : now.link.isTrue
        if isTrue {
            try await transaction.execute(
                LedgerLinkStatements.keep,
                link.id,
                LedgerLink.State.current.rawValue,
                String?.none
            )
        } else {
            try await LedgerLinkStore.outdate(now.link, for: refusal.reasonCode, in: transaction)
        }
    }
}
