import ServiceKit
import WalletProtocol

/// Every account, for services.
struct SnapshotAccounts: Handler {
    static let endpoint = InternalLedger.accounts
    let snapshots: SnapshotStore

    func handle(
        _ request: Request<SnapshotQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Snapshot<AccountOpened>>> {
        .ok(try await snapshots.accounts(request.query))
    }
}

/// Every category, for services.
struct SnapshotCategories: Handler {
    static let endpoint = InternalLedger.categories
    let snapshots: SnapshotStore

    func handle(
        _ request: Request<SnapshotQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Snapshot<CategoryChanged>>> {
        .ok(try await snapshots.categories(request.query))
    }
}

/// Everybody who has seen a wallet that is another's, for services.
struct SnapshotWalletMembers: Handler {
    static let endpoint = InternalLedger.members
    let snapshots: SnapshotStore

    func handle(
        _ request: Request<SnapshotQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Snapshot<WalletMemberChanged>>> {
        .ok(try await snapshots.members(request.query))
    }
}

/// How versions of transactions stand in the books, for services.
struct FindBookedVersions: Handler {
    static let endpoint = InternalLedger.versions
    let snapshots: SnapshotStore

    func handle(
        _ request: Request<NoQuery, VersionQuestion>,
        as caller: Caller
    ) async throws -> Response<Page<BookedVersion>> {
        .ok(Page(items: try await snapshots.versions(request.body), nextCursor: nil))
    }
}
