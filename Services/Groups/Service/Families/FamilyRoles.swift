import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Renames one's family.
struct ChangeFamily: Handler {
    static let endpoint = Families.change
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, FamilyChange>,
        as caller: Caller
    ) async throws -> Response<FamilyView> {
        let (name, user) = (request.body.name, caller.user.id)
        let family = try await families.rename(to: name, by: user, ifMatch: request.ifMatch)
        return .ok(family).tagged(family.tag)
    }
}

/// Agrees to a role of a member of one's family.
struct SetFamilyRole: Handler {
    static let endpoint = Families.setRole
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, FamilyRoleChange>,
        as caller: Caller
    ) async throws -> Response<FamilyView> {
        let family = try await families.setRole(
            request.body.role,
            of: request.path.idUnlessMe("userId") ?? caller.user.id,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(family).tagged(family.tag)
    }
}

extension FamilyStore {
    /// Gives the family another name, by a parent.
    func rename(
        to name: String,
        by user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> FamilyView {
        try await database.transaction { transaction in
            let family = try await Self.lock(user, transaction)
            guard family.role == .parent else { throw APIError(.parentsOnly) }
            try await Self.check(wanted, for: user, transaction)
            try await transaction.execute(FamilyStatements.rename, family.id, name)
            return try await Self.view(for: user, transaction)
        }
    }

    /// A parent agrees to a member's role, which changes once all parents do.
    ///
    /// Under the family's lock: of two parents at once the second finds what the first has agreed
    /// to. Repeated it changes nothing.
    func setRole(
        _ role: FamilyRole,
        of other: ID<User>,
        by user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> FamilyView {
        try await database.transaction { transaction in
            let family = try await Self.lock(user, transaction)
            guard family.role == .parent else { throw APIError(.parentsOnly) }
            try await Self.check(wanted, for: user, transaction)
            let members = try await transaction.query(FamilyStatements.members, family.id)
            guard let member = members.first(where: { $0.user == other }) else {
                throw APIError.notFound
            }
            guard member.role != role else {
                try await transaction.execute(FamilyStatements.forgetConsents, family.id, other)
                return try await Self.view(for: user, transaction)
            }
            let parents = Set(members.filter { $0.role == .parent }.map(\.user))
            if parents == [other] { throw APIError(.lastParent) }
            let agree = FamilyStatements.agree
            let isNew = try await transaction.execute(agree, family.id, other, user) == 1
            let isChanged = parents.isSubset(of: member.agreedBy + [user])
            if isChanged { try await Self.change(member, to: role, in: family, transaction) }
            if isNew || isChanged {
                let told = isChanged ? Set(members.map(\.user)) : parents
                let event = FamilyRoleAgreed(
                    familyID: family.id,
                    memberID: other,
                    role: role,
                    isChanged: isChanged,
                    userIDs: told.subtracting([user]).sorted()
                )
                try await tell(event, transaction)
            }
            return try await Self.view(for: user, transaction)
        }
    }

    private func tell(_ event: FamilyRoleAgreed, _ transaction: Transaction) async throws {
        guard !event.userIDs.isEmpty else { return }
        try await Outbox.append(event, of: "family:\(event.familyID.text)", in: transaction)
    }

    /// The member leaves as what it was, with all that ends then, and comes back as what it is.
    private static func change(
        _ member: FamilyMemberRow,
        to role: FamilyRole,
        in family: FamilyRow,
        _ transaction: Transaction
    ) async throws {
        if role == .child {
            try await transaction.execute(HouseholdStatements.noteLeaving, family.id, member.user)
        }
        try await transaction.execute(FamilyStatements.deleteMember, family.id, member.user)
        try await transaction.execute(
            FamilyStatements.insertMember,
            family.id,
            member.user,
            role.rawValue
        )
        // A child sends no invitations.
        try await transaction.execute(InvitationStatements.endUnsentOfFamily, family.id)
        let action: AllowanceTask.Action = role == .child ? .open : .release
        try await note(action, of: member.user, family.id, family.currency, in: transaction)
    }
}
