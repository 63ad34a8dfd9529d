import Postgres
import ServiceKit
import WalletProtocol

/// A group as its row has it.
struct GroupRow: Sendable, Hashable {
    let id: ID<Group>
    let name: String
    let currency: Currency
    let isPersonal: Bool
    let memberCount: Int
    let simplifiesDebts: Bool
    let hasRoles: Bool
    /// Whether two people have it to themselves, and neither has named it.
    let isPair: Bool
    let archivedAt: Instant?
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
            simplifiesDebts: simplifiesDebts,
            hasRoles: hasRoles,
            isPair: isPair,
            archivedAt: archivedAt,
            createdAt: createdAt
        )
    }

    /// What whoever is paid reads of it; of a pair nothing, for each calls it by the other's name.
    var reference: String? { isPair ? nil : name }

    /// - Throws: `not-agreed`: the other of a pair, who is invited, has not joined yet.
    func checkIsJoined(by count: Int) throws(APIError) {
        if isPair, count < 2 { throw APIError(.notAgreed) }
    }

    /// Whose events these are.
    var aggregate: String { id.aggregate }
}

extension ID where Tag == Group {
    /// Whose events those of the group are.
    var aggregate: String { "group:\(text)" }
}

/// What a member asks for.
enum GroupRight {
    /// To write expenses, settlements and limits.
    case write
    /// The same, to look at what they send, of a group that may be put away.
    case writeArchived
    /// To change the group and who is in it.
    case manage
    /// The same, of a group that may be put away.
    case manageArchived
    /// What every member may, of any group: to go, to take back what is theirs.
    case belong

    /// Whose it is, admins' aside, where the group has roles; nil: everybody's.
    var role: GroupRole? {
        switch self {
        case .belong: nil
        case .write, .writeArchived: .editor
        case .manage, .manageArchived: .admin
        }
    }
}

/// Somebody's membership in a group: that there is one is their right to read everything in it.
struct Membership: Sendable, Hashable {
    let group: GroupRow
    let member: ID<Member>
    /// Counts where the group has roles.
    let role: GroupRole
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
        return Membership(group: found.group, member: found.member, role: found.role, user: user)
    }

    /// The membership of a user in a group whose row is locked until the transaction's end.
    ///
    /// Only members take the lock; what is read afterwards is what the last holder has committed:
    /// the membership itself, too.
    /// - Throws: 404 for a stranger, 403 where the role does not allow it, 409 where the group is
    ///   put away.
    static func lock(
        _ user: ID<User>,
        in group: ID<Group>,
        to right: GroupRight,
        _ transaction: Transaction
    ) async throws -> Membership {
        guard try await transaction.queryOne(GroupStatements.lockAsMember, group, user) != nil
        else { throw APIError.notFound }
        let membership = try await find(user, in: group, transaction)
        try membership.check(right)
        return membership
    }

    /// Whether the role allows it; the group may be put away.
    func allows(_ right: GroupRight) -> Bool {
        guard let needed = right.role else { return true }
        return !group.hasRoles || role == .admin || role == needed
    }

    /// - Throws: `forbidden`, `group-archived`.
    func check(_ right: GroupRight) throws(APIError) {
        guard let needed = right.role else { return }
        if !allows(right) { throw APIError(.forbidden, "only \(needed.rawValue)s may") }
        let isForArchived = right == .manageArchived || right == .writeArchived
        if group.archivedAt != nil, !isForArchived { throw APIError(.groupArchived) }
    }

    /// - Throws: `default-group`: one's group of one stays as it is.
    func checkIsShared() throws(APIError) {
        if group.isPersonal { throw APIError(.defaultGroup) }
    }

    /// - Throws: `default-group`, `pair-group`: nobody else comes to these.
    func checkTakesOthers() throws(APIError) {
        try checkIsShared()
        if group.isPair { throw APIError(.pairGroup) }
    }
}
