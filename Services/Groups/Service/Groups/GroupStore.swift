import Messaging
import Palette
import Postgres
import ServiceKit
import WalletProtocol

/// Makes and reads groups.
final class GroupStore {
    private let database: Database
    private let effects: KeyedEffects
    private let invitations: InvitationStore

    /// The largest group: what one split can name.
    static let membersMax: Int64 = 200
    /// Places with those that were left: what is open may hang on each, and is read at once.
    static let placesMax: Int64 = 1_000

    /// How many groups of somebody's making there may be, pairs among them.
    static let madeMax: Int64 = 1_000

    /// How many groups somebody has made within a day when no pair is made any more.
    static let pairsPerDayMax: Int64 = 100

    static var isFull: APIError {
        .field("", .tooMany, "a group has at most \(membersMax) places")
    }

    init(database: Database, effects: KeyedEffects, invitations: InvitationStore) {
        self.database = database
        self.effects = effects
        self.invitations = invitations
    }

    /// Makes a group with its first member and invites the others, all or nobody.
    func make(
        _ body: NewGroup,
        by person: Person,
        inviting invitees: [Invited],
        in transaction: Transaction
    ) async throws -> GroupRow {
        let made = try await transaction.queryOne(GroupStatements.made, person.id)
        guard made ?? 0 < Self.madeMax else {
            throw APIError.field("", .tooMany, "a person makes at most \(Self.madeMax) groups")
        }
        let id = ID<Group>.new()
        try await Self.insert(id, body, by: person, isPersonal: false, in: transaction)
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
        let group = NewGroup(name: "Personal")
        return try await insert(.new(), group, by: person, isPersonal: true, in: transaction)
    }

    @discardableResult
    private static func insert(
        _ id: ID<Group>,
        _ group: NewGroup,
        by person: Person,
        isPersonal: Bool,
        in transaction: Transaction
    ) async throws -> Bool {
        let currency = group.currency ?? person.currency
        let createdAt = try await transaction.queryOne(
            GroupStatements.insert,
            id,
            group.name,
            currency,
            isPersonal ? person.id : nil,
            person.id,
            group.simplifiesDebts,
            group.hasRoles
        )
        guard let createdAt else { return false }
        try await begin(
            id,
            currency,
            by: person,
            isPersonal: isPersonal,
            at: createdAt,
            transaction
        )
        try await MemberStore.join(
            id,
            person.id,
            as: .admin,
            isPersonal: isPersonal,
            in: transaction
        )
        return true
    }

    /// Tells of a group that is made, and gives it «Others».
    static func begin(
        _ id: ID<Group>,
        _ currency: Currency,
        by person: Person,
        isPersonal: Bool = false,
        at createdAt: Instant,
        _ transaction: Transaction
    ) async throws {
        try await Outbox.append(
            GroupCreated(
                groupID: id,
                currency: currency,
                isPersonal: isPersonal,
                createdBy: person.id,
                createdAt: createdAt
            ),
            of: id.aggregate,
            in: transaction
        )
        try await transaction.execute(GroupStatements.insertOthers, id, Int32(Palette.grey.rgb))
    }

    /// Other settings, where the version is the wanted one.
    func change(
        _ group: ID<Group>,
        _ change: GroupChange,
        by user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> GroupRow {
        try await effects.run { transaction in
            let membership = try await Membership.lock(user, in: group, to: .manage, transaction)
            try membership.checkIsShared()
            try wanted.check(membership.group.version)
            var settings = GroupSettings(membership.group)
            settings.apply(change)
            if settings == GroupSettings(membership.group) { return membership.group }
            if settings.currency != membership.group.currency,
                try await transaction.queryOne(GroupStatements.hasThresholds, group) == true
            {
                throw APIError.field(
                    "/currency",
                    .conflict,
                    "limits are set in \(membership.group.currency)"
                )
            }
            if settings.hasRoles, !membership.group.hasRoles {
                try await transaction.execute(MemberStatements.makeAdmin, group, membership.member)
            }
            let changed = try await Self.write(settings, of: membership, in: transaction)
            // Where roles begin, all others are editors from now on.
            try await transaction.execute(MemberStatements.endUnsent, group)
            return changed
        }
    }

    /// Puts a group away, or takes it out again; again it comes to the same.
    func archive(
        _ group: ID<Group>,
        _ isArchived: Bool,
        by user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> GroupRow {
        try await effects.run { transaction in
            let membership = try await Membership.lock(
                user,
                in: group,
                to: .manageArchived,
                transaction
            )
            try membership.checkIsShared()
            try wanted.check(membership.group.version)
            if isArchived == (membership.group.archivedAt != nil) { return membership.group }
            var settings = GroupSettings(membership.group)
            settings.archivedAt = isArchived ? .now() : nil
            return try await Self.write(settings, of: membership, in: transaction)
        }
    }

    private static func write(
        _ settings: GroupSettings,
        of membership: Membership,
        in transaction: Transaction
    ) async throws -> GroupRow {
        let group = membership.group.id
        try await transaction.execute(
            GroupStatements.change,
            group,
            settings.name,
            settings.currency,
            settings.simplifiesDebts,
            settings.hasRoles,
            settings.archivedAt,
            settings.isPair
        )
        try await Outbox.append(
            GroupChanged(groupID: group, currency: settings.currency),
            of: membership.group.aggregate,
            in: transaction
        )
        return try await Membership.find(membership.user, in: group, transaction).group
    }

    /// Takes away a group that nobody else with an account is in.
    func remove(
        _ group: ID<Group>,
        by user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws {
        try await effects.run { transaction in
            let membership = try await Membership.lock(
                user,
                in: group,
                to: .manageArchived,
                transaction
            )
            try membership.checkIsShared()
            try wanted.check(membership.group.version)
            let hasOthers = try await transaction.queryOne(
                MemberStatements.hasOther,
                group,
                membership.member,
                String?.none
            )
            guard hasOthers == false else { throw APIError(.groupNotEmpty) }
            try await Self.delete(group, membership.group.currency, in: transaction)
        }
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
            of: group.aggregate,
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
                isArchived: query.isArchived,
                limit: query.limit + 1
            )
        )
        return Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) }
    }

    func membership(of user: ID<User>, in group: ID<Group>) async throws -> Membership {
        try await Membership.find(user, in: group, database)
    }
}

/// What can be changed of a group.
private struct GroupSettings: Hashable {
    var name: String
    var currency: Currency
    var simplifiesDebts: Bool
    var hasRoles: Bool
    var archivedAt: Instant?
    var isPair: Bool

    init(_ group: GroupRow) {
        name = group.name
        currency = group.currency
        simplifiesDebts = group.simplifiesDebts
        hasRoles = group.hasRoles
        archivedAt = group.archivedAt
        isPair = group.isPair
    }

    mutating func apply(_ change: GroupChange) {
        name = change.name.applied(to: name)
        if !change.name.isUnchanged { isPair = false }
        currency = change.currency.applied(to: currency)
        simplifiesDebts = change.simplifiesDebts.applied(to: simplifiesDebts)
        hasRoles = change.hasRoles.applied(to: hasRoles)
    }
}
