import Postgres
import WalletProtocol

/// A group as its row has it.
struct GroupRow: Sendable, Hashable {
    let id: ID<Group>
    let name: String
    let currency: Currency
    let isPersonal: Bool
    let memberCount: Int
    let version: Int
    let createdAt: Instant

    /// The group as its members see it.
    var view: GroupView {
        GroupView(
            id: id,
            name: name,
            currency: currency,
            isPersonal: isPersonal,
            memberCount: memberCount,
            createdAt: createdAt
        )
    }

    /// Whose events these are.
    var aggregate: String { "group:\(id.text)" }
}

/// Somebody's membership in a group: that there is one is their right to everything in it.
struct Membership: Sendable, Hashable {
    let group: GroupRow
    let member: ID<Member>
    let user: ID<User>

    /// The membership of a user in a group.
    /// - Throws: 404, for somebody outside does not learn that the group is there.
    static func find(
        _ user: ID<User>,
        in group: ID<Group>,
        _ database: some Querying
    ) async throws -> Membership {
        guard let found = try await database.queryOne(GroupStatements.membership, user, group)
        else {
            throw APIError.notFound
        }
        return Membership(group: found.group, member: found.member, user: user)
    }

    /// The membership of a user in a group whose row is locked until the transaction's end.
    ///
    /// Only members take the lock; what is read afterwards is what the last holder has committed.
    static func lock(
        _ user: ID<User>,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> Membership {
        let membership = try await find(user, in: group, transaction)
        guard try await transaction.queryOne(GroupStatements.lock, group) != nil else {
            throw APIError.notFound
        }
        return membership
    }
}

/// Who is in a group.
struct MemberRow: Sendable, Hashable {
    let id: ID<Member>
    let user: ID<User>?
    let displayName: String
    let joinedAt: Instant

    /// The member as another, or they themselves, see them.
    func view(for user: ID<User>) -> MemberView {
        MemberView(
            id: id,
            userID: self.user,
            displayName: displayName,
            isMe: self.user == user,
            joinedAt: joinedAt
        )
    }
}
