import Loops
import ServiceKit
import WalletProtocol

/// What analytics reads of those who own what it keeps a copy of.
struct Origins {
    let users: (SnapshotQuery) async throws -> Page<Snapshot<UserRegistered>>
    let categories: (SnapshotQuery) async throws -> Page<Snapshot<CategoryChanged>>
    let members: (SnapshotQuery) async throws -> Page<Snapshot<WalletMemberChanged>>
    let expenses: (SnapshotQuery) async throws -> Page<Snapshot<StandingExpense>>
    let groupCategories: (SnapshotQuery) async throws -> Page<Snapshot<GroupCategoryChanged>>
    let groupMembers: (SnapshotQuery) async throws -> Page<Snapshot<GroupMemberJoined>>
    let journal: (JournalQuery) async throws -> Postings
    let versions: (VersionQuestion) async throws -> [BookedVersion]
    /// The last sequence of a producer's aggregate; 0, where it has none.
    let lastSequence: (ServiceName, String) async throws -> Int64
}

extension Origins {
    /// Those behind the gateway; who is away for a minute is waited for.
    init(_ service: ServiceLoop) {
        let caller = PatientCaller(client: service.internalClient, loop: service.loop)
        users = { try await caller.call(InternalAuth.snapshot, $0) }
        categories = { try await caller.call(InternalLedger.categories, $0) }
        members = { try await caller.call(InternalLedger.members, $0) }
        expenses = { try await caller.call(GroupSnapshots.expenses, $0) }
        groupCategories = { try await caller.call(GroupSnapshots.categories, $0) }
        groupMembers = { try await caller.call(GroupSnapshots.members, $0) }
        journal = { query in
            guard let endpoint = InternalEvents.journals[.ledger] else {
                return Postings(covers: [], rows: [])
            }
            return try await caller.call(endpoint, query)
        }
        versions = { question in
            try await caller.call(InternalLedger.versions, NoQuery(), question).items
        }
        lastSequence = { producer, aggregate in
            guard let endpoint = InternalEvents.replays[producer] else { return 0 }
            let query = EventReplayQuery(aggregate: aggregate, from: Int.max)
            return Int64(try await caller.call(endpoint, query).lastSequence)
        }
    }
}

/// Calls others again while they cannot answer, which is no reason to begin anew.
private final class PatientCaller {
    private let client: InternalClient
    private let loop: EventLoop

    init(client: InternalClient, loop: EventLoop) {
        self.client = client
        self.loop = loop
    }

    private static let triesMax = 60

    func call<Query, View>(
        _ endpoint: Endpoint<Query, NoBody, View>,
        _ query: Query
    ) async throws -> View {
        try await call(endpoint, query, NoBody())
    }

    func call<Query, Body, View>(
        _ endpoint: Endpoint<Query, Body, View>,
        _ query: Query,
        _ body: Body
    ) async throws -> View {
        for _ in 1..<Self.triesMax {
            do throws(APIError) {
                return try await client.call(endpoint, query: query, body: body)
            } catch {
                guard error.code.status >= 500 else { throw error }
            }
            try await loop.sleep(nanoseconds: 1_000_000_000)
        }
        return try await client.call(endpoint, query: query, body: body)
    }
}
