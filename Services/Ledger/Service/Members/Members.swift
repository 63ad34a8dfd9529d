import ServiceKit
import WalletProtocol

/// Who uses an account, the owner first.
struct ListMembers: Handler {
    static let endpoint = WalletMembers.list
    let members: MemberStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<WalletMemberView>> {
        let account = try request.path.id(of: Account.self)
        return .ok(try await members.list(request.query, of: account, for: caller.user.id))
    }
}

/// Gives a member another role.
struct ChangeMember: Handler {
    static let endpoint = WalletMembers.change
    let members: MemberStore

    func handle(
        _ request: Request<NoQuery, WalletMemberChange>,
        as caller: Caller
    ) async throws -> Response<WalletMemberView> {
        let account = try request.path.id(of: Account.self)
        let member = try request.path.id("userId", of: User.self)
        let role = request.body.role
        return .ok(try await members.change(member, to: role, on: account, by: caller.user.id))
    }
}

/// Ends a membership: one's own (`me`), or anybody's in a wallet of one's own.
struct RemoveMember: Handler {
    static let endpoint = WalletMembers.remove
    let members: MemberStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let account = try request.path.id(of: Account.self)
        let member = try request.path.idUnlessMe("userId") ?? user
        try await members.end(member, on: account, by: user)
        return .noContent
    }
}

/// A user's right on an account, live, for groups.
struct GetWalletAccess: Handler {
    static let endpoint = InternalWallets.access
    let members: MemberStore

    func handle(
        _ request: Request<SharedRightQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<WalletAccess> {
        let (query, account) = (request.query, try request.path.id(of: Account.self))
        return .ok(try await members.access(of: query.userID, and: query.otherID, on: account))
    }
}

/// Whether two people share a wallet or a folder, live, for services.
struct GetLedgerAcquaintance: Handler {
    static let endpoint = InternalWallets.acquaintance
    let members: MemberStore

    func handle(
        _ request: Request<AcquaintanceQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AcquaintanceView> {
        let query = request.query
        return .ok(
            AcquaintanceView(isKnown: try await members.share(query.userID, query.otherID))
        )
    }
}

/// A wallet as a member sees it.
struct GetSharedWallet: Handler {
    static let endpoint = InternalWallets.get
    let members: MemberStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let member = try request.path.id("userId", of: User.self)
        return .ok(try await members.wallet(request.path.id(of: Account.self), for: member))
    }
}

/// Makes somebody a member, once for each invitation.
struct JoinWallet: Handler {
    static let endpoint = InternalWallets.join
    let members: MemberStore

    func handle(
        _ request: Request<NoQuery, WalletJoining>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let account = try request.path.id(of: Account.self)
        let user = try request.path.id("userId", of: User.self)
        try await members.join(user, account, request.body)
        return .ok(try await members.wallet(account, for: user))
    }
}
