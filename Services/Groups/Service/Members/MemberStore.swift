import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Who is in a group: guests, roles, coming back and going.
///
/// A member has no version of their own: whatever changes who is in a group raises the group's.
final class MemberStore {
    private let database: Database
    private let effects: KeyedEffects

    init(database: Database, effects: KeyedEffects) {
        self.database = database
        self.effects = effects
    }

    // MARK: Coming

    /// Whether one more fits.
    static func checkRoom(in group: ID<Group>, _ transaction: Transaction) async throws {
        let places = try await transaction.queryOne(MemberStatements.places, group)
        guard places?.taken ?? 0 < GroupStore.membersMax else { throw GroupStore.isFull }
    }

    /// Makes a place.
    private static func insert(
        _ member: ID<Member>,
        of user: ID<User>?,
        called name: String?,
        as role: GroupRole,
        in group: ID<Group>,
        isPersonal: Bool = false,
        _ transaction: Transaction
    ) async throws {
        let places = try await transaction.queryOne(MemberStatements.places, group)
        guard places?.ever ?? 0 < GroupStore.placesMax else {
            let detail = "at most \(GroupStore.placesMax) come to a group, and go"
            throw APIError.field("", .tooMany, detail)
        }
        let joinedAt = try await transaction.queryOne(
            MemberStatements.insert,
            group,
            member,
            user,
            name,
            role.rawValue
        )
        try await tell(
            member,
            user,
            joined: group,
            at: joinedAt ?? .now(),
            isPersonal: isPersonal,
            in: transaction
        )
    }

    /// Gives a user a place in a group: their own, where they had one.
    @discardableResult
    static func join(
        _ group: ID<Group>,
        _ user: ID<User>,
        as role: GroupRole = .editor,
        isPersonal: Bool = false,
        in transaction: Transaction
    ) async throws -> ID<Member> {
        if let old = try await transaction.queryOne(MemberStatements.comeBack, group, user) {
            try await tell(old.id, user, joined: group, at: old.joinedAt, in: transaction)
            return old.id
        }
        let member = ID<Member>.new()
        try await insert(
            member,
            of: user,
            called: nil,
            as: role,
            in: group,
            isPersonal: isPersonal,
            transaction
        )
        return member
    }

    /// Gives a guest's place to somebody, with all that is open with it.
    static func claim(
        _ guest: ID<Member>,
        of group: ID<Group>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws {
        if try await transaction.queryOne(MemberStatements.formerPlace, user, group) != nil {
            throw APIError(.alreadyMember, "you have a place of your own there: ask to be invited")
        }
        let joinedAt = try await transaction.queryOne(MemberStatements.claim, group, guest, user)
        guard let joinedAt else { throw APIError.notFound }
        try await tell(guest, user, joined: group, at: joinedAt, in: transaction)
    }

    static func tell(
        _ member: ID<Member>,
        _ user: ID<User>?,
        joined group: ID<Group>,
        at joinedAt: Instant,
        isPersonal: Bool = false,
        in transaction: Transaction
    ) async throws {
        try await Outbox.append(
            GroupMemberJoined(
                groupID: group,
                memberID: member,
                userID: user,
                joinedAt: joinedAt,
                isPersonal: isPersonal
            ),
            of: group.aggregate,
            in: transaction
        )
    }

    /// A member as they are shown, and the group's version.
    typealias Shown = (view: MemberView, version: Int)

    /// Adds somebody without an account.
    func add(
        _ guest: NewGuest,
        to group: ID<Group>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> Shown {
        let membership = try await Membership.lock(user, in: group, to: .manage, transaction)
        try membership.checkTakesOthers()
        try await Self.checkRoom(in: group, transaction)
        let member = ID<Member>.new()
        try await Self.insert(
            member,
            of: nil,
            called: guest.displayName,
            as: .editor,
            in: group,
            transaction
        )
        return try await Self.raised(member, membership, transaction)
    }

    /// A member who was made or changed just now.
    private static func raised(
        _ member: ID<Member>,
        _ membership: Membership,
        _ transaction: Transaction
    ) async throws -> Shown {
        let group = membership.group
        try await transaction.execute(GroupStatements.raiseVersion, group.id)
        let row = try await find(member, in: group.id, transaction)
        return (row.view(in: group, for: membership.user), group.version + 1)
    }

    // MARK: Changing

    /// Another role, or another name of a guest.
    func change(
        _ member: ID<Member>,
        _ change: MemberChange,
        of group: ID<Group>,
        by user: ID<User>,
        ifMatch wanted: EntityTags? = nil
    ) async throws -> Shown {
        try await effects.run { transaction in
            let membership = try await Membership.lock(user, in: group, to: .manage, transaction)
            let row = try await Self.find(member, in: group, transaction)
            try wanted.check(membership.group.version)
            try Self.check(change, of: row, in: membership.group)
            let role = change.role.applied(to: row.role)
            if row.role == .admin, role != .admin {
                let hasOther = try await transaction.queryOne(
                    MemberStatements.hasOther,
                    group,
                    member,
                    GroupRole.admin.rawValue
                )
                guard hasOther == true else { throw APIError(.lastAdmin) }
            }
            try await transaction.execute(
                MemberStatements.change,
                group,
                member,
                role.rawValue,
                row.isGuest ? change.displayName.applied(to: row.displayName) : nil
            )
            try await transaction.execute(MemberStatements.endUnsent, group)
            return try await Self.raised(member, membership, transaction)
        }
    }

    private static func check(
        _ change: MemberChange,
        of row: MemberRow,
        in group: GroupRow
    ) throws(APIError) {
        var faults: [FieldError] = []
        if !change.role.isUnchanged, !group.hasRoles {
            faults.note("/role", .conflict, "the group has no roles")
        } else if !change.role.isUnchanged, row.isGuest {
            faults.note("/role", .conflict, "a guest has none")
        }
        if !change.displayName.isUnchanged, !row.isGuest {
            faults.note("/displayName", .conflict, "is theirs to choose")
        }
        try faults.check()
    }

    // MARK: Going

    /// Ends a membership: one's own, where none is named, or another's.
    ///
    /// The last one with an account takes the group along.
    func end(
        _ named: ID<Member>?,
        in group: ID<Group>,
        by user: ID<User>,
        isForced: Bool,
        ifMatch wanted: EntityTags? = nil
    ) async throws {
        try await effects.run { transaction in
            let membership = try await Membership.lock(user, in: group, to: .belong, transaction)
            try membership.checkIsShared()
            let member = named ?? membership.member
            if member != membership.member { try membership.check(.manageArchived) }
            let row = try await Self.find(member, in: group, transaction)
            try wanted.check(membership.group.version)
            let isOpen = try await BalanceStore.isOpen(member, in: membership.group, transaction)
            if isOpen, !isForced { throw APIError(.unsettledBalance) }
            let hasOther = try await transaction.queryOne(
                MemberStatements.hasOther,
                group,
                member,
                String?.none
            )
            guard row.user == nil || hasOther == true else {
                return try await GroupStore.delete(
                    group,
                    membership.group.currency,
                    in: transaction
                )
            }
            if !isOpen { try await BalanceStore.passOn(member, in: group, transaction) }
            // Whoever is removed may know them all.
            if member != membership.member, row.user != nil {
                try await transaction.execute(MemberStatements.withdrawLinks, group)
            }
            try await Self.leave(row, membership.group, in: transaction)
        }
    }

    private static func leave(
        _ row: MemberRow,
        _ group: GroupRow,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(MemberStatements.leave, group.id, row.id)
        if group.isPair {
            try await transaction.execute(GroupStatements.endPair, group.id, row.displayName)
        }
        try await transaction.execute(MemberStatements.promote, group.id)
        try await transaction.execute(MemberStatements.endUnsent, group.id)
        try await transaction.execute(GroupStatements.raiseVersion, group.id)
        try await Outbox.append(
            GroupMemberLeft(groupID: group.id, memberID: row.id, userID: row.user, leftAt: .now()),
            of: group.aggregate,
            in: transaction
        )
    }

    // MARK: Reading

    private static func find(
        _ member: ID<Member>,
        in group: ID<Group>,
        _ database: some Querying
    ) async throws -> MemberRow {
        guard let row = try await database.queryOne(MemberStatements.find, group, member) else {
            throw APIError.notFound
        }
        return row
    }

    func list(
        _ query: MemberQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<MemberView> {
        let membership = try await Membership.find(user, in: group, database)
        let after = try query.cursor?.decode(ID<Member>.self) ?? ID(high: 0, low: 0)
        let rows = try await database.query(
            MemberStatements.list,
            group,
            after,
            query.hasLeft,
            query.limit + 1
        )
        let views = rows.map { $0.view(in: membership.group, for: user) }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    /// Whether somebody has a right now.
    func access(_ query: AccessQuery) async throws -> AccessView {
        switch query.kind {
        case .group:
            let access = try await database.queryOne(
                MemberStatements.access,
                query.userID,
                query.id.retagged(Group.self)
            )
            return access ?? AccessView(isMember: false)
        case .child:
            let child = query.id.retagged(User.self)
            let isParent = try await database.queryOne(
                HouseholdStatements.isParent,
                query.userID,
                child
            )
            return AccessView(isMember: isParent == true)
        }
    }

    /// Whether two people are in a group together.
    func share(_ user: ID<User>, _ other: ID<User>) async throws -> Bool {
        try await database.queryOne(MemberStatements.share, user, other) == true
    }
}
