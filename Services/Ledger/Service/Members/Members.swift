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
        let last = try query.cursor?.decode(ID<User>.self)
        var rows = try await database.query(MemberStatements.list, account)
        if let last, let place = rows.firstIndex(where: { $0.user == last }) {
            rows.removeFirst(place + 1)
        }
        let views = rows.prefix(query.limit + 1).map { $0.view(for: user) }
        return .ok(Page(rows: Array(views), limit: query.limit) { Cursor($0.userID) })
    }
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
        guard try await database.execute(MemberStatements.end, account, member) == 1 else {
            throw APIError.notFound
        }
        return .noContent
    }
}
