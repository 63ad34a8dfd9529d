import Crypto
import JSONCodec
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Families: who is in them, who is asked to come, and how they end.
///
/// What the ledger has to do for a child is noted in the transaction that is its cause, and done by
/// `AllowanceStore`; what it has to know for the family's budget, by `HouseholdTasks`.
final class FamilyStore {
    let database: Database
    private let invitations: InvitationStore

    /// What a broken rule of the database means.
    static let constraints = ["family_member_user_key": ErrorCode.alreadyInFamily]

    init(database: Database, invitations: InvitationStore) {
        self.database = database
        self.invitations = invitations
    }

    func make(
        _ body: NewFamily,
        by person: Person,
        in transaction: Transaction
    ) async throws -> FamilyView {
        try await ErasedUsers.hold([person.id], in: transaction)
        if try await transaction.queryOne(FamilyStatements.ofUser, person.id) != nil {
            throw APIError(.alreadyInFamily)
        }
        let id = ID<Family>.new()
        try await transaction.execute(
            FamilyStatements.insert,
            id,
            body.name ?? "Family",
            body.currency ?? person.currency
        )
        try await transaction.execute(
            FamilyStatements.insertMember,
            id,
            person.id,
            FamilyRole.parent.rawValue
        )
        return try await Self.view(for: person.id, transaction)
    }

    func find(for user: ID<User>) async throws -> FamilyView {
        try await Self.view(for: user, database)
    }

    static func view(
        for user: ID<User>,
        _ database: some Querying
    ) async throws -> FamilyView {
        let family = try await row(of: user, database)
        let members = try await database.query(FamilyStatements.members, family.id)
        return FamilyView(
            id: family.id,
            name: family.name,
            currency: family.currency,
            role: family.role,
            members: members.map { $0.view(for: user) },
            createdAt: family.createdAt
        )
    }

    /// What somebody is in, without its members.
    func row(of user: ID<User>) async throws -> FamilyRow {
        try await Self.row(of: user, database)
    }

    static func row(
        of user: ID<User>,
        _ database: some Querying
    ) async throws -> FamilyRow {
        guard let family = try await database.queryOne(FamilyStatements.ofUser, user) else {
            throw APIError.notFound
        }
        return family
    }

    /// Which family somebody is in, and as what.
    func place(of user: ID<User>) async throws -> FamilyPlace {
        guard let place = try await database.queryOne(HouseholdStatements.place, user) else {
            throw APIError.notFound
        }
        return place
    }

    /// The family of a parent.
    func asParent(_ user: ID<User>) async throws -> FamilyRow {
        try await Self.asParent(user, database)
    }

    /// - Throws: 404 without a family, `parents-only` for a child.
    private static func asParent(
        _ user: ID<User>,
        _ database: some Querying
    ) async throws -> FamilyRow {
        let family = try await row(of: user, database)
        guard family.role == .parent else { throw APIError(.parentsOnly) }
        return family
    }

    /// A child of the parent's family.
    /// - Throws: 404 for a stranger, `parents-only`, `member-is-parent`.
    func child(_ child: ID<User>, of parent: ID<User>) async throws -> FamilyMemberView {
        try await member(child, for: parent, alsoForTheChild: false).member.view(for: parent)
    }

    /// The family of a child, for its parents, and where they see it, too, for the child.
    /// - Throws: 404 without a family or such a child, `parents-only`, `member-is-parent`.
    func family(
        of child: ID<User>,
        for user: ID<User>,
        alsoForTheChild: Bool
    ) async throws -> ID<Family> {
        try await member(child, for: user, alsoForTheChild: alsoForTheChild).family
    }

    private func member(
        _ child: ID<User>,
        for user: ID<User>,
        alsoForTheChild: Bool
    ) async throws -> (family: ID<Family>, member: FamilyMemberRow) {
        let family = try await row(of: user)
        guard family.role == .parent || (alsoForTheChild && child == user) else {
            throw APIError(.parentsOnly)
        }
        let members = try await database.query(FamilyStatements.members, family.id)
        guard let member = members.first(where: { $0.user == child }) else {
            throw APIError.notFound
        }
        guard member.role == .child else { throw APIError(.memberIsParent) }
        return (family.id, member)
    }

    /// The family of somebody, whose row is locked until the transaction's end.
    static func lock(
        _ user: ID<User>,
        _ transaction: Transaction
    ) async throws -> FamilyRow {
        let family = try await row(of: user, transaction)
        guard try await transaction.queryOne(FamilyStatements.lock, family.id) != nil else {
            throw APIError.notFound
        }
        // As the last one who had the lock has left it.
        return try await row(of: user, transaction)
    }

    // MARK: Asking

    func invite(
        _ invited: Invited,
        as role: FamilyRole,
        by person: Person,
        in transaction: Transaction
    ) async throws -> InvitationView {
        try await ErasedUsers.hold([person.id], in: transaction)
        let family = try await Self.lock(person.id, transaction)
        guard family.role == .parent else { throw APIError(.parentsOnly) }
        if invited.isSame(as: person) { throw APIError(.alreadyMember) }
        let isAsked = try await transaction.queryOne(
            FamilyStatements.isAsked,
            family.id,
            invited.emailFolded
        )
        if isAsked == true { throw APIError(.alreadyInvited) }
        let places = try await transaction.queryOne(FamilyStatements.places, family.id) ?? 0
        guard places < Families.membersMax else { throw APIError(.tooManyMembers) }
        return try await invitations.insert(
            invited,
            to: .family(
                InvitationRow.FamilyPlace(id: family.id, role: role),
                name: family.name
            ),
            by: person,
            in: transaction
        ).view(for: person.id, isMember: true)
    }

    func listInvitations(
        _ query: PageQuery,
        for user: ID<User>
    ) async throws -> Page<InvitationView> {
        let family = try await asParent(user)
        let rows = try await database.query(
            InvitationStatements.ofFamily,
            family.id,
            try InvitationStore.before(query),
            query.limit + 1
        )
        let views = rows.map { $0.view(for: user, isMember: true) }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    func withdraw(
        _ id: ID<Invitation>,
        by user: ID<User>,
        ifMatch wanted: EntityTags? = nil
    ) async throws {
        let family = try await asParent(user)
        try await database.transaction { transaction in
            let count = try await transaction.execute(
                InvitationStatements.withdrawFamily,
                id,
                family.id
            )
            guard count == 1 else { throw APIError.notFound }
            try wanted.check(InvitationRow.tag)
        }
    }

    /// Takes the answer to an invitation to a family.
    /// - Returns: whether it was one; nothing is done where it is to something else.
    func answer(
        _ id: ID<Invitation>,
        isAccepted: Bool,
        by person: Person,
        whose email: String?,
        in transaction: Transaction
    ) async throws -> Bool {
        let found = try await transaction.queryOne(
            InvitationStatements.answerable,
            id,
            person.id,
            email
        )
        guard let row = found, let place = row.family else { return false }
        try await ErasedUsers.hold([person.id], in: transaction)
        guard let currency = try await transaction.queryOne(FamilyStatements.lock, place.id)
        else { throw APIError.notFound }
        if isAccepted, try await transaction.queryOne(FamilyStatements.ofUser, person.id) != nil {
            throw APIError(.alreadyInFamily)
        }
        let closed = try await transaction.execute(
            InvitationStatements.closeOne,
            id,
            person.id,
            isAccepted ? "accepted" : "rejected"
        )
        // Answered, taken back or ended with its sender's right while this one waited for the lock.
        guard closed > 0 else { throw APIError.notFound }
        if isAccepted {
            try await transaction.execute(
                FamilyStatements.insertMember,
                place.id,
                person.id,
                place.role.rawValue
            )
            if place.role == .child {
                try await Self.note(.open, of: person.id, place.id, currency, in: transaction)
            }
        }
        try await Outbox.append(
            InvitationAnswered(
                invitationID: id,
                familyID: place.id,
                // Who says no to an address does not tell whose it is.
                userID: isAccepted || !row.isByAddress ? person.id : nil,
                invitedBy: row.invitedBy,
                isAccepted: isAccepted
            ),
            of: "family:\(place.id.text)",
            in: transaction
        )
        return true
    }

    static func note(
        _ action: AllowanceTask.Action,
        of child: ID<User>,
        _ family: ID<Family>,
        _ currency: Currency,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            FamilyStatements.insertTask,
            family,
            child,
            action.rawValue,
            currency
        )
    }

    // MARK: Ending

    /// Ends a membership: one's own, where nobody is named, or a child's.
    func end(
        _ named: ID<User>?,
        by user: ID<User>,
        ifMatch wanted: EntityTags? = nil
    ) async throws {
        try await database.transaction { transaction in
            let family = try await Self.lock(user, transaction)
            guard let other = named, other != user else {
                guard family.role == .parent else { throw APIError(.childCannotLeave) }
                try await Self.check(wanted, for: user, transaction)
                return try await Self.leave(user, family, in: transaction)
            }
            guard family.role == .parent else { throw APIError(.parentsOnly) }
            let members = try await transaction.query(FamilyStatements.members, family.id)
            guard let member = members.first(where: { $0.user == other }) else {
                throw APIError.notFound
            }
            guard member.role == .child else { throw APIError(.memberIsParent) }
            try await Self.check(wanted, for: user, transaction)
            try await transaction.execute(FamilyStatements.deleteMember, family.id, other)
            try await Self.note(.release, of: other, family.id, family.currency, in: transaction)
        }
    }

    /// A parent goes; the last one takes the family along.
    private static func leave(
        _ user: ID<User>,
        _ family: FamilyRow,
        in transaction: Transaction
    ) async throws {
        let members = try await transaction.query(FamilyStatements.members, family.id)
        let isLast = !members.contains { $0.role == .parent && $0.user != user }
        if isLast { return try await delete(family, in: transaction) }
        try await transaction.execute(HouseholdStatements.noteLeaving, family.id, user)
        try await transaction.execute(FamilyStatements.deleteMember, family.id, user)
        try await transaction.execute(InvitationStatements.endUnsentOfFamily, family.id)
    }

    /// - Throws: `precondition-failed` where the family is another than was seen.
    static func check(
        _ wanted: EntityTags?,
        for user: ID<User>,
        _ transaction: Transaction
    ) async throws {
        if wanted != nil { try wanted.check(try await view(for: user, transaction).tag) }
    }

    func remove(by user: ID<User>, ifMatch wanted: EntityTags? = nil) async throws {
        try await database.transaction { transaction in
            let family = try await Self.lock(user, transaction)
            guard family.role == .parent else { throw APIError(.parentsOnly) }
            try await Self.check(wanted, for: user, transaction)
            try await Self.delete(family, in: transaction)
        }
    }

    private static func delete(
        _ family: FamilyRow,
        in transaction: Transaction
    ) async throws {
        for member in try await transaction.query(FamilyStatements.members, family.id)
        where member.role == .child {
            try await note(
                .release,
                of: member.user,
                family.id,
                family.currency,
                in: transaction
            )
        }
        try await transaction.execute(HouseholdStatements.noteEnd, family.id)
        try await transaction.execute(FamilyStatements.delete, family.id)
    }

    /// Forgets somebody who is erased; the ledger does so by itself.
    static func erase(_ user: ID<User>, in transaction: Transaction) async throws {
        if let family = try await transaction.queryOne(FamilyStatements.ofUser, user),
            try await transaction.queryOne(FamilyStatements.lock, family.id) != nil
        {
            switch family.role {
            case .parent: try await leave(user, family, in: transaction)
            case .child:
                try await transaction.execute(FamilyStatements.deleteMember, family.id, user)
                try await BudgetEvents.tellOfLoss(in: family.id, transaction)
            }
        }
        try await transaction.execute(FamilyStatements.deleteTasksOfChild, user)
        try await transaction.execute(HouseholdStatements.deleteTasks, user)
    }
}

extension FamilyView {
    /// What the caller sees names its version: who is in it is part of it.
    var tag: String { Base64URL.encode(SHA256.digest(JSON.write(self)).prefix(16)) }
}
