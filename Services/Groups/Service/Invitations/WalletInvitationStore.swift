import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// What groups asks the ledger, which keeps wallets and who uses them.
struct WalletDirectory {
    /// The right of one, and of another, on an account.
    var access: (ID<Account>, ID<User>, ID<User>?) async throws -> WalletAccess
    /// Makes somebody a member, once for each invitation.
    var join: (ID<Account>, ID<User>, WalletJoining) async throws -> AccountView
    /// The wallet as a member sees it.
    var wallet: (ID<Account>, ID<User>) async throws -> AccountView

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> WalletDirectory {
        WalletDirectory { account, user, other in
            try await client.call(
                InternalWallets.access,
                path: ["id": account.text],
                query: WalletAccessQuery(userID: user, otherID: other),
                body: NoBody()
            )
        } join: { account, user, joining in
            try await client.call(
                InternalWallets.join,
                path: ["id": account.text, "userId": user.text],
                query: NoQuery(),
                body: joining
            )
        } wallet: { account, user in
            try await client.call(
                InternalWallets.get,
                path: ["id": account.text, "userId": user.text]
            )
        }
    }
}

/// Invitations to wallets: the ledger decides who may ask, and keeps who has come.
///
///     open ─▶ accepting ─▶ accepted      the ledger made a member, once for the invitation's id
///       │         └──────▶ lapsed        it would not: closed, full, no longer the inviter's
///       ├──────▶ rejected
///       └──────▶ withdrawn
///
/// `accepting` is committed before the ledger is told, so that whoever is killed in between leaves
/// what the next call or the worker finishes: a membership is neither lost nor made twice.
final class WalletInvitationStore {
    private let database: Database
    private let effects: KeyedEffects
    private let invitations: InvitationStore
    private let directory: WalletDirectory

    init(
        database: Database,
        effects: KeyedEffects,
        invitations: InvitationStore,
        directory: WalletDirectory
    ) {
        self.database = database
        self.effects = effects
        self.invitations = invitations
        self.directory = directory
    }

    // MARK: Asking

    /// Asks somebody to use a wallet.
    func send(
        _ body: WalletInvitee,
        to account: ID<Account>,
        by inviter: Person,
        key: IdempotencyScope?
    ) async throws -> KeyedOutcome<InvitationRow> {
        try await checkOwner(inviter.id, of: account)
        let name = try Invited.name(body.invitee, at: "")
        let invited = try await invitations.resolve(name)
        let access = try await directory.access(account, inviter.id, invited.person?.id)
        return try await effects.run(key) { transaction in
            try await ErasedUsers.hold(
                [inviter.id, invited.userID].compactMap(\.self),
                in: transaction
            )
            try await transaction.execute(WalletInvitationStatements.lock, account.text)
            try await check(invited, by: inviter, account, access, in: transaction)
            return try await invitations.insert(
                invited,
                to: .wallet(account, name: access.name, body.role),
                by: inviter,
                in: transaction
            )
        } load: { id, transaction in
            try await transaction.queryOne(InvitationStatements.find, id)
        }
    }

    private func checkOwner(_ user: ID<User>, of account: ID<Account>) async throws {
        let access = try await directory.access(account, user, nil)
        guard access.role == .owner else { throw APIError(.forbidden) }
    }

    private func check(
        _ invited: Invited,
        by inviter: Person,
        _ account: ID<Account>,
        _ access: WalletAccess,
        in transaction: Transaction
    ) async throws {
        guard access.kind == .wallet else {
            throw APIError(.accountKind, "only wallets are shared")
        }
        guard !access.isClosed else { throw APIError(.accountClosed) }
        if access.otherRole != nil || invited.isSame(as: inviter) {
            throw APIError(.alreadyMember)
        }
        let proved = invited.person.flatMap { $0.isEmailVerified ? $0.email : nil }
        let isOpen = try await transaction.queryOne(
            WalletInvitationStatements.isOpen,
            account,
            invited.person?.id,
            invited.emailFolded ?? proved.map { EmailAddress.folded($0) }
        )
        if isOpen == true { throw APIError(.alreadyInvited) }
        let open = try await transaction.queryOne(WalletInvitationStatements.countOpen, account)
        guard access.memberCount + Int(open ?? 0) < WalletMembers.countMax else {
            throw APIError(.tooManyMembers)
        }
    }

    /// The open invitations to one's wallet.
    func list(
        _ query: PageQuery,
        of account: ID<Account>,
        for user: ID<User>
    ) async throws -> Page<InvitationView> {
        try await checkOwner(user, of: account)
        let rows = try await database.query(
            WalletInvitationStatements.ofWallet,
            account,
            try InvitationStore.before(query),
            query.limit + 1
        )
        let views = rows.map { $0.view(for: user, isMember: true) }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    /// Takes an invitation back that nobody has answered.
    func withdraw(
        _ id: ID<Invitation>,
        from account: ID<Account>,
        by user: ID<User>
    ) async throws {
        try await checkOwner(user, of: account)
        let count = try await database.execute(WalletInvitationStatements.withdraw, account, id)
        guard count == 1 else { throw APIError.notFound }
    }

    // MARK: Answering

    /// Takes an invitation; nil where it is to no wallet, or not for the person.
    func accept(
        _ id: ID<Invitation>,
        by person: Person,
        key: IdempotencyScope?
    ) async throws -> KeyedOutcome<AccountView>? {
        let email = try await invitations.provedEmail(of: person)
        let taken = try await database.transaction { transaction in
            try await ErasedUsers.hold([person.id], in: transaction)
            return try await transaction.queryOne(
                WalletInvitationStatements.take,
                id,
                person.id,
                email
            )
        }
        guard let taken else { return nil }
        let wallet =
            taken.isDone
            ? try await directory.wallet(taken.account, taken.user) : try await join(taken)
        return try await effects.run(key) { transaction in
            try await finish(taken, email, in: transaction)
        } load: { _, _ in
            wallet
        }
    }

    /// Rejects an invitation; nil where it is to no wallet, or not for the person.
    func reject(
        _ id: ID<Invitation>,
        by person: Person,
        key: IdempotencyScope?
    ) async throws -> KeyedOutcome<ID<Invitation>>? {
        let email = try await invitations.provedEmail(of: person)
        let found = try await database.queryOne(
            InvitationStatements.answerable,
            id,
            person.id,
            email
        )
        guard let found, let account = found.account else { return nil }
        return try await effects.run(key) { transaction in
            try await ErasedUsers.hold([person.id], in: transaction)
            let closed = try await transaction.execute(
                WalletInvitationStatements.close,
                account,
                person.id,
                email,
                "rejected"
            )
            guard closed > 0 else { throw APIError.notFound }
            try await tell(found.id, account, found.invitedBy, person.id, false, in: transaction)
            return found.id
        } load: { id, _ in
            id
        }
    }

    /// Finishes what was begun and left, some of it.
    func finishSome() async throws {
        for taken in try await database.query(WalletInvitationStatements.unfinished) {
            do {
                _ = try await join(taken)
            } catch {
                // It has lapsed; or the ledger does not answer, and is asked again.
                continue
            }
            try await effects.run { transaction in
                _ = try await finish(taken, nil, in: transaction)
            }
        }
    }

    /// Tells the ledger; where it would not have the member, the invitation is none any more.
    private func join(_ taken: WalletAcceptance) async throws(APIError) -> AccountView {
        let joining = WalletJoining(
            invitationID: taken.id,
            invitedBy: taken.invitedBy,
            role: taken.role
        )
        do {
            return try await directory.join(taken.account, taken.user, joining)
        } catch let error as APIError {
            if [.notFound, .accountKind, .accountClosed, .tooManyMembers].contains(error.code) {
                _ = try? await database.execute(
                    WalletInvitationStatements.settle,
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
    private func finish(
        _ taken: WalletAcceptance,
        _ email: String?,
        in transaction: Transaction
    ) async throws -> ID<Invitation> {
        let stored = try await transaction.queryOne(
            WalletInvitationStatements.taken,
            taken.id,
            taken.user
        )
        guard let stored else { throw APIError.notFound }
        guard !stored.isDone else { return taken.id }
        try await transaction.execute(WalletInvitationStatements.settle, taken.id, "accepted")
        try await transaction.execute(
            WalletInvitationStatements.close,
            taken.account,
            taken.user,
            email,
            "accepted"
        )
        try await tell(taken.id, taken.account, taken.invitedBy, taken.user, true, in: transaction)
        return taken.id
    }

    private func tell(
        _ id: ID<Invitation>,
        _ account: ID<Account>,
        _ inviter: ID<User>,
        _ user: ID<User>,
        _ isAccepted: Bool,
        in transaction: Transaction
    ) async throws {
        try await Outbox.append(
            InvitationAnswered(
                invitationID: id,
                accountID: account,
                userID: user,
                invitedBy: inviter,
                isAccepted: isAccepted
            ),
            of: InvitationTarget.aggregate(of: account),
            in: transaction
        )
    }
}
