import Postgres
import ServiceKit
import WalletProtocol

/// Whom a person has blocked, and with whom they refuse new debts in groups of two.
///
/// Nothing is written but the refusal: what it hides and refuses is decided where an invitation is
/// read or answered, and where an expense is written. So a block tells the other nothing, and holds
/// for whatever they had sent before.
final class RefusalStore {
    private let database: Database
    private let people: PeopleStore

    init(database: Database, people: PeopleStore) {
        self.database = database
        self.people = people
    }

    /// Blocks somebody; again it comes to the same.
    /// - Throws: 404 for oneself, and where there is nobody.
    func block(_ other: ID<User>, by user: ID<User>) async throws {
        guard other != user, try await people.find(other) != nil else { throw APIError.notFound }
        try await database.transaction { transaction in
            guard try await ErasedUsers.those(of: [user, other], in: transaction).isEmpty else {
                throw APIError.notFound
            }
            // Of those who block at once each sees what the one before has blocked.
            _ = try await transaction.queryOne(PeopleStatements.lock, user)
            let count = try await transaction.queryOne(RefusalStatements.countBlocks, user) ?? 0
            guard Int(count) < Blocks.countMax else {
                throw APIError.field("", .tooMany, "at most \(Blocks.countMax) people are blocked")
            }
            try await transaction.execute(RefusalStatements.refuse, user, other, true)
        }
    }

    func unblock(_ other: ID<User>, by user: ID<User>) async throws {
        guard try await database.execute(RefusalStatements.unblock, user, other) == 1 else {
            throw APIError.notFound
        }
    }

    func list(_ query: PageQuery, of user: ID<User>) async throws -> Page<BlockView> {
        let after = try query.cursor?.decode(ID<User>.self) ?? ID(high: 0, low: 0)
        let rows = try await database.query(
            RefusalStatements.list,
            user,
            after,
            query.limit + 1
        )
        return Page(rows: rows, limit: query.limit) { Cursor($0.userID) }
    }

    /// Refuses new debts with somebody with whom one shares a group or a family.
    func refuseDebts(with other: ID<User>, by user: ID<User>) async throws {
        try await database.transaction { transaction in
            guard other != user,
                try await transaction.queryOne(MemberStatements.share, user, other) == true
            else { throw APIError.notFound }
            guard try await ErasedUsers.those(of: [user, other], in: transaction).isEmpty else {
                throw APIError.notFound
            }
            try await transaction.execute(RefusalStatements.refuse, user, other, false)
        }
    }
}
