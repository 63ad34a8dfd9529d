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

/// Who uses an account, the owner first.
struct ListMembers: Handler {
    static let endpoint = WalletMembers.list
    let database: Database

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<WalletMemberView>> {
        let (user, query) = (caller.user.id, request.query)
        let account = try request.path.id(of: Account.self)
        _ = try await database.role(of: user, on: account)
        let last = try query.cursor?.decode(MemberPlace.self)
        let rows = try await database.query(MemberStatements.list, account)
        let rest = rows.map { $0.view(for: user) }
            .drop { view in last.map { !$0.isBefore(MemberPlace(view)) } ?? false }
        let page = Array(rest.prefix(query.limit + 1))
        return .ok(Page(rows: page, limit: query.limit) { Cursor(MemberPlace($0)) })
    }
}

/// Where a page of members ends; it stands also where who was there has left.
struct MemberPlace: JSONObject, Hashable {
    let isOwner: Bool
    let joinedAt: Instant
    let user: ID<User>

    init(isOwner: Bool, joinedAt: Instant, user: ID<User>) {
        self.isOwner = isOwner
        self.joinedAt = joinedAt
        self.user = user
    }

    init(_ view: WalletMemberView) {
        self.init(isOwner: view.role == .owner, joinedAt: view.joinedAt, user: view.userID)
    }

    init(_ view: FolderMemberView) {
        self.init(isOwner: view.access == .owner, joinedAt: view.joinedAt, user: view.userID)
    }

    /// Whether it comes before a member: the owner is the first, the others follow as they came.
    func isBefore(_ other: MemberPlace) -> Bool {
        if isOwner || other.isOwner { return !other.isOwner }
        return (joinedAt, user) < (other.joinedAt, other.user)
    }

    static let json = Object(
        MemberPlace.init(isOwner:joinedAt:user:),
        Field("o", \.isOwner),
        Field("j", \.joinedAt),
        Field("u", \.user)
    )
}

/// Gives a member another role.
struct ChangeMember: Handler {
    static let endpoint = WalletMembers.change
    let database: Database

    func handle(
        _ request: Request<NoQuery, WalletMemberChange>,
        as caller: Caller
    ) async throws -> Response<WalletMemberView> {
        let user = caller.user.id
        let account = try request.path.id(of: Account.self)
        let member = try request.path.id("userId", of: User.self)
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
                request.body.role.rawValue
            )
        }
        guard let row else { throw APIError.notFound }
        return .ok(row.view(for: user))
    }
}

/// Ends a membership: one's own, or anybody's in a wallet of one's own.
struct RemoveMember: Handler {
    static let endpoint = WalletMembers.remove
    let database: Database
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let account = try request.path.id(of: Account.self)
        let isMe = request.path["userId"] == "me"
        let member = isMe ? user : try request.path.id("userId", of: User.self)
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
        return .noContent
    }
}
