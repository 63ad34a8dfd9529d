import ServiceKit
import WalletProtocol

/// Blocks a person.
struct BlockUser: Handler {
    static let endpoint = Blocks.add
    let refusals: RefusalStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await refusals.block(request.path.id("userId"), by: caller.user.id)
        return .noContent
    }
}

/// Ends a block.
struct UnblockUser: Handler {
    static let endpoint = Blocks.remove
    let refusals: RefusalStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await refusals.unblock(request.path.id("userId"), by: caller.user.id)
        return .noContent
    }
}

/// Whom one has blocked.
struct ListBlocks: Handler {
    static let endpoint = Blocks.list
    let refusals: RefusalStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<BlockView>> {
        .ok(try await refusals.list(request.query, of: caller.user.id))
    }
}

/// Refuses new debts with a friend in groups of two.
struct RefuseFriendsDebts: Handler {
    static let endpoint = Friends.refuse
    let refusals: RefusalStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await refusals.refuseDebts(with: request.path.id("userId"), by: caller.user.id)
        return .noContent
    }
}
