import Postgres
import ServiceKit
import WalletProtocol

/// With whom somebody shares groups, and what is open with each.
final class FriendStore {
    private let database: Database

    init(database: Database) {
        self.database = database
    }

    /// How much of what is open with each is told at once.
    static let balancesMax = 100

    func list(
        _ query: PageQuery,
        of user: ID<User>,
        balances balancesMax: Int = FriendStore.balancesMax
    ) async throws -> Page<FriendView> {
        let limit = query.limit
        let after = try query.cursor?.decode(ID<User>.self) ?? ID(high: 0, low: 0)
        let people = try await database.query(FriendStatements.people, user, after, limit + 1)
        let shown = people.prefix(limit)
        let totals = Dictionary(
            grouping: try await database.query(FriendStatements.totals, user, shown.map(\.user)),
            by: \.user
        )
        let open = try await open(with: shown.map(\.user), of: user, limit: balancesMax)
        let views = shown.map { friend in
            let balances = open[friend.user]
            return FriendView(
                userID: friend.user,
                displayName: friend.name,
                // Without what comes to nothing.
                totals: totals[friend.user, default: []].map(\.total).filter { !$0.isZero },
                balances: balances?.items ?? [],
                nextCursor: balances?.nextCursor
            )
        }
        let items = PageItems(rows: views, limit: limit, goesOn: people.count > limit)
        return Page(
            items,
            nextCursor: items.isCut ? items.items.last.map { Cursor($0.userID) } : nil
        )
    }

    /// What is open with one, by page.
    /// - Throws: `not-found`, where nothing is and the two share no group.
    func balances(
        _ query: PageQuery,
        with friend: ID<User>,
        of user: ID<User>
    ) async throws -> Page<FriendBalance> {
        let open = try await open(
            with: [friend],
            of: user,
            behind: query.cursor?.decode(),
            limit: query.limit
        )
        if let page = open[friend] { return page }
        guard try await database.queryOne(FriendStatements.isKnown, user, friend) == true else {
            throw APIError.notFound
        }
        return Page(items: [], nextCursor: nil)
    }

    private func open(
        with friends: [ID<User>],
        of user: ID<User>,
        behind place: FriendPlace? = nil,
        limit: Int
    ) async throws -> [ID<User>: Page<FriendBalance>] {
        let rows = try await database.query(
            FriendStatements.open,
            user,
            friends,
            place?.group ?? ID(high: 0, low: 0),
            place?.currency.code ?? "",
            limit + 1
        )
        return Dictionary(grouping: rows, by: \.user).mapValues { rows in
            Page(rows: rows.map(\.balance), limit: limit) { Cursor(FriendPlace($0)) }
        }
    }
}

/// Where a page of what is open with a friend begins.
struct FriendPlace: JSONObject, Hashable {
    let group: ID<Group>
    let currency: Currency

    static let json = Object(
        FriendPlace.init(group:currency:),
        Field("group", \.group),
        Field("currency", \.currency)
    )
}

extension FriendPlace {
    init(_ balance: FriendBalance) {
        self.init(group: balance.groupID, currency: balance.amount.currency)
    }
}

/// With whom one shares groups.
struct ListFriends: Handler {
    static let endpoint = Friends.list
    let friends: FriendStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<FriendView>> {
        .ok(try await friends.list(request.query, of: caller.user.id))
    }
}

/// What is open with a friend.
struct ListFriendBalances: Handler {
    static let endpoint = Friends.balances
    let friends: FriendStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<FriendBalance>> {
        .ok(
            try await friends.balances(
                request.query,
                with: request.path.id("userId"),
                of: caller.user.id
            )
        )
    }
}
