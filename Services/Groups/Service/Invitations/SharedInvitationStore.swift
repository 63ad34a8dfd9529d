import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Invitations to wallets and folders: the ledger decides who may ask, and keeps who has come.
///
///     open ─▶ accepting ─▶ accepted      the ledger made a member, once for the invitation's id
///       │         └──────▶ lapsed        it would not: closed, full, no longer the inviter's
///       ├──────▶ rejected
///       └──────▶ withdrawn
///
/// `accepting` is committed before the ledger is told, so that whoever is killed in between leaves
/// what the next call or the worker finishes: a membership is neither lost nor made twice.
final class SharedInvitationStore {
    private let database: Database
    private let effects: KeyedEffects
    private let invitations: InvitationStore
    private let directory: SharedDirectory

    init(
        database: Database,
        effects: KeyedEffects,
        invitations: InvitationStore,
        directory: SharedDirectory
    ) {
        self.database = database
        self.effects = effects
        self.invitations = invitations
        self.directory = directory
    }

    // MARK: Asking

    /// Whoever is named, and how they stand to the thing, for its owner.
    func resolve(
        _ invitee: Invitee,
        to thing: SharedThing,
        by inviter: Person,
        from address: String
    ) async throws -> (invited: Invited, standing: SharedStanding) {
        try await checkOwner(inviter.id, of: thing)
        let name = try Invited.name(invitee, at: "")
        let invited = try await invitations.resolve(name, by: inviter.id, from: address)
        // Of an address the ledger is not asked: whose it is stays untold.
        return (invited, try await directory.standing(thing, inviter.id, invited.userID))
    }

    /// Asks somebody to share a thing.
    func send(
        _ asked: (invited: Invited, standing: SharedStanding),
        to offer: SharedOffer,
        by inviter: Person,
        in transaction: Transaction
    ) async throws -> InvitationRow {
        let (invited, standing) = asked
        try await ErasedUsers.hold(
            [inviter.id, invited.userID].compactMap(\.self),
            in: transaction
        )
        try await transaction.execute(SharedInvitationStatements.lock, offer.thing.id.text)
        try await check(invited, by: inviter, offer.thing, standing, in: transaction)
        return try await invitations.insert(
            invited,
            to: .shared(offer, name: standing.name),
            by: inviter,
            in: transaction
        )
    }

    private func checkOwner(_ user: ID<User>, of thing: SharedThing) async throws {
        let standing = try await directory.standing(thing, user, nil)
        guard standing.isOwner else { throw APIError(.forbidden) }
    }

    private func check(
        _ invited: Invited,
        by inviter: Person,
        _ thing: SharedThing,
        _ standing: SharedStanding,
        in transaction: Transaction
    ) async throws {
        if let refusal = standing.refusal { throw refusal }
        if standing.isOtherMember || invited.isSame(as: inviter) {
            throw APIError(.alreadyMember)
        }
        let isOpen = try await transaction.queryOne(
            SharedInvitationStatements.isOpen,
            thing.id,
            invited.userID,
            invited.emailFolded
        )
        if isOpen == true { throw APIError(.alreadyInvited) }
        let open = try await transaction.queryOne(SharedInvitationStatements.countOpen, thing.id)
        // The count is another service's word: it is taken off our own bound, and not added to.
        guard Int(open ?? 0) < standing.memberCountMax - max(0, standing.memberCount) else {
            throw APIError(.tooManyMembers)
        }
    }

    /// The open invitations to what is one's own.
    func list(
        _ query: PageQuery,
        of thing: SharedThing,
        for user: ID<User>
    ) async throws -> Page<InvitationView> {
        try await checkOwner(user, of: thing)
        let rows = try await database.query(
            SharedInvitationStatements.ofThing,
            thing.id,
            try InvitationStore.before(query),
            query.limit + 1
        )
        let views = rows.map { $0.view(for: user, isMember: true) }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    /// Takes an invitation back that nobody has answered.
    func withdraw(
        _ id: ID<Invitation>,
        from thing: SharedThing,
        by user: ID<User>,
        ifMatch wanted: EntityTags? = nil
    ) async throws {
        try await checkOwner(user, of: thing)
        try await database.transaction { transaction in
            let count = try await transaction.execute(
                SharedInvitationStatements.withdraw,
                thing.id,
                id
            )
            guard count == 1 else { throw APIError.notFound }
            try wanted.check(InvitationRow.tag)
        }
    }

    /// An invitation as its sender reads it, as long as the thing is theirs to share.
    func checkSent(_ view: InvitationView, by user: ID<User>) async throws {
        let thing =
            view.accountID.map { SharedThing.wallet($0) }
            ?? view.folderID.map { SharedThing.folder($0) }
        // Only a sender reads who was invited.
        guard let thing, view.invitee != nil else { return }
        guard try await directory.standing(thing, user, nil).isOwner else {
            throw APIError.notFound
        }
    }

    // MARK: Answering

    /// Begins to take an invitation; nil where it is to a group, or not for the person.
    func take(
        _ id: ID<Invitation>,
        by person: Person,
        whose email: String?
    ) async throws -> SharedAcceptance? {
        try await database.transaction { transaction in
            try await ErasedUsers.hold([person.id], in: transaction)
            return try await transaction.queryOne(
                SharedInvitationStatements.take,
                id,
                person.id,
                email
            )
        }
    }

    /// Rejects an invitation.
    /// - Returns: whether it was to be; not where it is to a group, or not for the person.
    func reject(
        _ id: ID<Invitation>,
        by person: Person,
        whose email: String?,
        in transaction: Transaction
    ) async throws -> Bool {
        try await ErasedUsers.hold([person.id], in: transaction)
        let found = try await transaction.queryOne(
            InvitationStatements.answerable,
            id,
            person.id,
            email
        )
        guard let found, let thing = found.offer?.thing else { return false }
        let closed = try await transaction.execute(
            SharedInvitationStatements.close,
            thing.id,
            person.id,
            found.id,
            "rejected"
        )
        guard closed > 0 else { throw APIError.notFound }
        // Who says no to an address does not tell whose it is.
        let named = found.isByAddress ? nil : person.id
        try await tell(found.id, thing, found.invitedBy, named, false, in: transaction)
        return true
    }

    /// Finishes what was begun and left, some of it.
    func finishSome() async throws {
        for taken in try await database.query(SharedInvitationStatements.unfinished) {
            do {
                _ = try await join(taken)
            } catch {
                // It has lapsed; or the ledger does not answer, and is asked again.
                continue
            }
            try await effects.run { transaction in
                try await finish(taken, whose: nil, in: transaction)
            }
        }
    }

    /// Tells the ledger; where it would not have the member, the invitation is none any more.
    func join(_ taken: SharedAcceptance) async throws(APIError) -> SharedView {
        do {
            return try await taken.isDone
                ? directory.view(taken.offer.thing, taken.user) : directory.join(taken)
        } catch let error as APIError {
            if [.notFound, .accountKind, .accountClosed, .tooManyMembers].contains(error.code) {
                _ = try? await database.execute(
                    SharedInvitationStatements.settle,
                    taken.id,
                    "lapsed"
                )
            }
            throw error
        } catch {
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
    }

    /// The ledger has the member: the inviter is told, once.
    func finish(
        _ taken: SharedAcceptance,
        whose email: String?,
        in transaction: Transaction
    ) async throws {
        let stored = try await transaction.queryOne(
            SharedInvitationStatements.taken,
            taken.id,
            taken.user
        )
        guard let stored else { throw APIError.notFound }
        guard !stored.isDone else { return }
        let thing = taken.offer.thing
        try await transaction.execute(SharedInvitationStatements.settle, taken.id, "accepted")
        try await transaction.execute(
            SharedInvitationStatements.close,
            thing.id,
            taken.user,
            taken.id,
            "accepted"
        )
        try await transaction.execute(
            InvitationStatements.hide,
            thing.id.text,
            taken.user,
            email
        )
        try await tell(taken.id, thing, taken.invitedBy, taken.user, true, in: transaction)
    }

    private func tell(
        _ id: ID<Invitation>,
        _ thing: SharedThing,
        _ inviter: ID<User>,
        _ user: ID<User>?,
        _ isAccepted: Bool,
        in transaction: Transaction
    ) async throws {
        try await Outbox.append(
            InvitationAnswered(
                invitationID: id,
                accountID: thing.account,
                folderID: thing.folder,
                userID: user,
                invitedBy: inviter,
                isAccepted: isAccepted
            ),
            of: thing.aggregate,
            in: transaction
        )
    }
}
