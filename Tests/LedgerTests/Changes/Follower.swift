import Postgres
import ServiceKit
import Testing
import WalletProtocol

@testable import LedgerService

/// A client that keeps a copy of what it is told, as the README says.
final class Follower {
    struct Key: Hashable {
        let kind: ChangeKind
        let id: ID<Change>
    }
    let user: ID<User>
    private let database: Database
    private(set) var copy: [Key: ChangeItem] = [:]
    private var floor: Int64 = 0
    private var round: ChangeRound?

    init(_ user: ID<User>, _ database: Database) {
        self.user = user
        self.database = database
    }

    /// Takes one page; whether there is more.
    func poll(_ limit: Int) async throws -> Bool {
        let now = try #require(try await database.queryOne(ChangeStatements.horizon))
        let current =
            round
            ?? ChangeRound(
                next: now.floor,
                end: now.end,
                stage: .first,
                position: .start(floor)
            )
        let reader = ChangeReader(database: database, user: user, floor: floor, round: current)
        let page = try await reader.page(limit)
        #expect(page.items.count <= limit)
        for item in page.items { try await take(item) }
        if page.next == nil { floor = current.next }
        round = page.next
        return page.next != nil
    }

    /// To the end, and once more, for the end may be that of a round that began before.
    func catchUp(_ limit: Int = 200) async throws {
        for _ in 0..<2 {
            while try await poll(limit) {}
        }
    }

    /// What a new client would have.
    func fresh() async throws -> [Key: ChangeItem] {
        let other = Follower(user, database)
        while try await other.poll(200) {}
        return other.copy
    }

    private func take(_ item: ChangeItem) async throws {
        if let access = item.access {
            switch access.action {
            case .drop:
                copy = copy.filter { !Self.belongs($0.value, to: access.accountID) }
            case .load:
                for (key, item) in try await fresh()
                where Self.belongs(item, to: access.accountID) { copy[key] = item }
            }
        } else {
            copy[Key(kind: item.kind, id: item.id)] = item.deletedAt == nil ? item : nil
        }
    }

    private static func belongs(_ item: ChangeItem, to account: ID<Account>?) -> Bool {
        account != nil
            && (item.account?.id == account || item.transaction?.accountID == account)
    }
}
