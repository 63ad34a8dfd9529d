import ServiceKit
import WalletProtocol

/// Every group, for services.
struct SnapshotGroups: Handler {
    static let endpoint = GroupSnapshots.groups
    let snapshots: SnapshotStore

    func handle(
        _ request: Request<SnapshotQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Snapshot<GroupCreated>>> {
        .ok(try await snapshots.groups(request.query))
    }
}

/// Everybody who is in a group, for services.
struct SnapshotMembers: Handler {
    static let endpoint = GroupSnapshots.members
    let snapshots: SnapshotStore

    func handle(
        _ request: Request<SnapshotQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Snapshot<GroupMemberJoined>>> {
        .ok(try await snapshots.members(request.query))
    }
}

/// Every expense that is not removed, for services.
struct SnapshotExpenses: Handler {
    static let endpoint = GroupSnapshots.expenses
    let snapshots: SnapshotStore

    func handle(
        _ request: Request<SnapshotQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Snapshot<StandingExpense>>> {
        .ok(try await snapshots.expenses(request.query))
    }
}

/// Every group's categories, for services.
struct SnapshotGroupCategories: Handler {
    static let endpoint = GroupSnapshots.categories
    let snapshots: SnapshotStore

    func handle(
        _ request: Request<SnapshotQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Snapshot<GroupCategoryChanged>>> {
        .ok(try await snapshots.categories(request.query))
    }
}
