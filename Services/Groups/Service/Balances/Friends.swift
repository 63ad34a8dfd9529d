import Postgres
import ServiceKit
import WalletProtocol

/// With whom somebody shares groups, and what is open with each.
final class FriendStore {
    private let database: Database

    init(database: Database) {
        self.database = database
    }

    func list(_ query: PageQuery, of user: ID<User>) async throws -> Page<FriendView> {
        let limit = query.limit
        let after = try query.cursor?.decode(ID<User>.self) ?? ID(high: 0, low: 0)
        let people = try await database.query(FriendStatements.people, user, after, limit + 1)
        let shown = people.prefix(limit)
        let open = Dictionary(
            grouping: try await database.query(
                FriendStatements.open,
                user,
                shown.map(\.user)
            ),
            by: \.user
        )
        return Page(
            items: try shown.map { friend in
                let balances = open[friend.user, default: []].map(\.balance)
                return FriendView(
                    userID: friend.user,
                    displayName: friend.name,
                    totals: try Self.totals(of: balances),
                    balances: balances
                )
            },
            nextCursor: people.count > limit ? shown.last.map { Cursor($0.user) } : nil
        )
    }

    /// By currency, without what comes to nothing.
    private static func totals(of balances: [FriendBalance]) throws -> [Total] {
        var totals: [Currency: Total] = [:]
        for balance in balances {
            let currency = balance.amount.currency
            totals[currency] = try totals[currency, default: .zero(currency)]
                .adding(Total(balance.amount))
        }
        return totals.sorted { $0.key < $1.key }.map(\.value).filter { !$0.isZero }
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
