import Messaging
import Postgres
import ServiceKit
import WalletProtocol

extension Database {
    /// What somebody may do with an account.
    /// - Throws: 404 where nothing.
    func role(of user: ID<User>, on account: ID<Account>) async throws -> AccountRole {
        guard let role = try await queryOne(MemberStatements.role, user, account) else {
            throw APIError.notFound
        }
        return role
    }

    /// - Throws: 404 for a stranger, 403 for whoever it is only shared with.
    func checkOwner(_ user: ID<User>, of account: ID<Account>) async throws {
        guard try await role(of: user, on: account) == .owner else { throw APIError(.forbidden) }
    }
}

/// Who uses a wallet with its owner, and what each may do there.
struct MemberStore {
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// Whether two people share a wallet or a folder.
    func share(_ user: ID<User>, _ other: ID<User>) async throws -> Bool {
        try await database.queryOne(MemberStatements.share, user, other) == true
    }

    /// The owner first.
    func list(
        _ query: PageQuery,
        of account: ID<Account>,
        for user: ID<User>
    ) async throws -> Page<WalletMemberView> {
        _ = try await database.role(of: user, on: account)
        let last = try query.cursor?.decode(MemberPlace.self)
        let rows = try await database.query(MemberStatements.list, account)
        let rest = rows.map { $0.view(for: user) }
            .drop { view in last.map { !$0.isBefore(MemberPlace(view)) } ?? false }
        let page = Array(rest.prefix(query.limit + 1))
        return Page(rows: page, limit: query.limit) { Cursor(MemberPlace($0)) }
    }

    /// Gives a member another role.
    func change(
        _ member: ID<User>,
        to role: MemberRole,
        on account: ID<Account>,
        by user: ID<User>
    ) async throws -> WalletMemberView {
        try await database.checkOwner(user, of: account)
        let row = try await database.transaction { transaction in
            guard
                let found = try await transaction.queryOne(MemberStatements.lock, account),
                found.owner == user
            else { throw APIError.notFound }
            guard member != user else { throw APIError(.forbidden, "the owner stays the owner") }
            guard !found.isClosed else { throw APIError(.accountClosed) }
            return try await transaction.queryOne(
                MemberStatements.change,
                account,
                member,
                role.rawValue
            )
        }
        guard let row else { throw APIError.notFound }
        return row.view(for: user)
    }

    /// Ends a membership: one's own, or anybody's in a wallet of one's own.
    func end(_ member: ID<User>, on account: ID<Account>, by user: ID<User>) async throws {
        let role = try await database.role(of: user, on: account)
        if role == .owner, member == user {
            throw APIError(.forbidden, "the owner of a wallet cannot leave it")
        }
        guard role == .owner || member == user else { throw APIError(.forbidden) }
        try await database.transaction { transaction in
            // Under the lock of who joins, so that what is told of both is in their order.
            _ = try await transaction.queryOne(MemberStatements.lock, account)
            guard try await transaction.execute(MemberStatements.end, account, member) == 1 else {
                throw APIError.notFound
            }
            try await Outbox.append(
                WalletMemberChanged(accountID: account, userID: member, isMember: false),
                of: "account:\(account)",
                in: transaction
            )
        }
        relayBell.ring()
    }

    /// A user's right, live, for groups, which asks before it invites.
    func access(
        of user: ID<User>,
        and other: ID<User>?,
        on account: ID<Account>
    ) async throws -> WalletAccess {
        guard
            let access = try await database.queryOne(MemberStatements.access, user, account, other)
        else { throw APIError.notFound }
        return access
    }

    /// The wallet as a member sees it.
    func wallet(_ account: ID<Account>, for member: ID<User>) async throws -> AccountView {
        guard let row = try await database.queryOne(AccountStatements.find, member, account) else {
            throw APIError.notFound
        }
        return row.view
    }

    /// Makes somebody a member, once for each invitation.
    ///
    /// Groups tells it after the invitation was taken, and again until it is answered: what it told
    /// before stands, also where the membership has ended since.
    func join(
        _ user: ID<User>,
        _ account: ID<Account>,
        _ joining: WalletJoining
    ) async throws {
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
