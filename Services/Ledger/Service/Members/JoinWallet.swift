import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// A user's right on an account, live, for groups, which asks before it invites.
struct GetWalletAccess: Handler {
    static let endpoint = InternalWallets.access
    let database: Database

    func handle(
        _ request: Request<SharedRightQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<WalletAccess> {
        let access = try await database.queryOne(
            MemberStatements.access,
            request.query.userID,
            try request.path.id(of: Account.self),
            request.query.otherID
        )
        guard let access else { throw APIError.notFound }
        return .ok(access)
    }
}

/// A wallet as a member sees it.
struct GetSharedWallet: Handler {
    static let endpoint = InternalWallets.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let row = try await database.queryOne(
            AccountStatements.find,
            try request.path.id("userId", of: User.self),
            try request.path.id(of: Account.self)
        )
        guard let row else { throw APIError.notFound }
        return .ok(row.view)
    }
}

/// Makes somebody a member, once for each invitation.
///
/// Groups tells it after the invitation was taken, and again until it is answered: what it told
/// before stands, also where the membership has ended since.
struct JoinWallet: Handler {
    static let endpoint = InternalWallets.join
    let database: Database
    let people: People
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, WalletJoining>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let account = try request.path.id(of: Account.self)
        let user = try request.path.id("userId", of: User.self)
        let joining = request.body
        // With «Others» and a wallet of their own: they may record before they call for the first.
        _ = try await people.person(user)
        do {
            try await database.transaction { transaction in
                try await ErasedUsers.hold([user], in: transaction)
                try await join(user, account, joining, in: transaction)
            }
        } catch let error as DatabaseError where error.violatedConstraint == "erased_user" {
            throw APIError.notFound
        }
        relayBell.ring()
        guard let row = try await database.queryOne(AccountStatements.find, user, account) else {
            throw APIError.notFound
        }
        return .ok(row.view)
    }

    private func join(
        _ user: ID<User>,
        _ account: ID<Account>,
        _ joining: WalletJoining,
        in transaction: Transaction
    ) async throws {
        guard
            let found = try await transaction.queryOne(MemberStatements.lock, account),
            found.owner == joining.invitedBy
        else { throw APIError.notFound }
        if found.owner == user { return }
        if let known = try await transaction.queryOne(MemberStatements.find, account, user) {
            if known.stands { return }
            guard known.invitation != joining.invitationID else { throw APIError.notFound }
        }
        guard found.kind == AccountKind.wallet.rawValue else { throw APIError(.accountKind) }
        guard !found.isClosed else { throw APIError(.accountClosed) }
        let count = try await transaction.queryOne(MemberStatements.count, account) ?? 0
        guard Int(count) + 1 < WalletMembers.countMax else { throw APIError(.tooManyMembers) }
        try await transaction.execute(
            MemberStatements.join,
            account,
            user,
            joining.role.rawValue,
            joining.invitationID
        )
        try await Outbox.append(
            WalletMemberChanged(accountID: account, userID: user, isMember: true),
            of: "account:\(account)",
            in: transaction
        )
    }
}
