import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Makes and reads groups.
final class GroupStore {
    private let database: Database
    private let invitations: InvitationStore

    /// The largest group: what one split can name.
    static let membersMax = 200

    init(database: Database, invitations: InvitationStore) {
        self.database = database
        self.invitations = invitations
    }

    /// Makes a group with its first member and invites the others, all or nobody.
    func make(
        _ body: NewGroup,
        by person: Person,
        inviting invitees: [Invited],
        in transaction: Transaction
    ) async throws -> GroupRow {
        let id = ID<Group>.new()
        let name = (group: body.name, currency: body.currency ?? person.currency)
        try await Self.insert(id, name, by: person, isPersonal: false, in: transaction)
        for invited in invitees {
            try await invitations.insert(
                invited,
                to: .group(id, name: body.name),
                by: person,
                in: transaction
            )
        }
        return try await Membership.find(person.id, in: id, transaction).group
    }

    /// Makes a person's group of one where there is none yet.
    /// - Returns: whether there was none.
    static func insertPersonal(
        of person: Person,
        in transaction: Transaction
    ) async throws -> Bool {
        let name = (group: "Personal", currency: person.currency)
        return try await insert(.new(), name, by: person, isPersonal: true, in: transaction)
    }

    @discardableResult
    private static func insert(
        _ id: ID<Group>,
        _ name: (group: String, currency: Currency),
        by person: Person,
        isPersonal: Bool,
        in transaction: Transaction
    ) async throws -> Bool {
        let createdAt = try await transaction.queryOne(
            GroupStatements.insert,
            id,
            name.group,
            name.currency,
            isPersonal ? person.id : nil,
            person.id
        )
        guard let createdAt else { return false }
        try await Outbox.append(
            GroupCreated(
                groupID: id,
                currency: name.currency,
                isPersonal: isPersonal,
                createdBy: person.id,
                createdAt: createdAt
            ),
            of: "group:\(id.text)",
            in: transaction
        )
        try await join(id, person.id, in: transaction)
        return true
    }

    /// Gives a user a place in a group.
    @discardableResult
    static func join(
        _ group: ID<Group>,
        _ user: ID<User>,
        in transaction: Transaction
    ) async throws -> ID<Member> {
        let member = ID<Member>.new()
        let joinedAt = try await transaction.queryOne(
            GroupStatements.insertMember,
            group,
            member,
            user
        )
        try await Outbox.append(
            GroupMemberJoined(
                groupID: group,
                memberID: member,
                userID: user,
                joinedAt: joinedAt ?? .now()
            ),
            of: "group:\(group.text)",
            in: transaction
        )
        return member
    }

    /// Takes away a group, whose row is locked, with everything in it.
    static func delete(
        _ group: ID<Group>,
        _ currency: Currency,
        in transaction: Transaction
    ) async throws {
        for statement in GroupStatements.deleteMoney {
            try await transaction.execute(statement, group)
        }
        try await transaction.execute(GroupStatements.delete, group)
        try await Outbox.append(
            GroupChanged(groupID: group, currency: currency, isDeleted: true),
            of: "group:\(group.text)",
            in: transaction
        )
    }

    func list(_ query: GroupQuery, of user: ID<User>) async throws -> Page<GroupView> {
        let before = try query.cursor?.decode(ID<Group>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            GroupStatements.list(
                of: user,
                before: before,
                words: query.words,
                limit: query.limit + 1
            )
        )
        return Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) }
    }

    func membership(of user: ID<User>, in group: ID<Group>) async throws -> Membership {
        try await Membership.find(user, in: group, database)
    }

    func members(_ query: PageQuery, of membership: Membership) async throws -> Page<MemberView> {
        let after = try query.cursor?.decode(ID<Member>.self) ?? ID(high: 0, low: 0)
        let rows = try await database.query(
            GroupStatements.members,
            membership.group.id,
            after,
            query.limit + 1
        )
        let views = rows.map { $0.view(for: membership.user) }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    func access(_ query: AccessQuery) async throws -> ID<Member>? {
        try await database.queryOne(GroupStatements.access, query.userID, query.id)
    }

    /// Whether two people are in a group together.
    func share(_ user: ID<User>, _ other: ID<User>) async throws -> Bool {
        try await database.queryOne(GroupStatements.share, user, other) == true
    }
}
