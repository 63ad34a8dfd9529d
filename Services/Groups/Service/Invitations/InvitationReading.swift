import Postgres
import ServiceKit
import WalletProtocol

// Who reads which invitations.
extension InvitationStore {
    func list(_ query: PageQuery, of person: Person) async throws -> Page<InvitationView> {
        let rows = try await database.query(
            InvitationStatements.ofPerson,
            person.id,
            try await provedEmail(of: person),
            try Self.before(query),
            query.limit + 1
        )
        let views = rows.map { $0.view(for: person.id, isMember: false) }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    func list(
        _ query: PageQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<InvitationView> {
        let membership = try await Membership.find(user, in: group, database)
        let rows = try await database.query(
            InvitationStatements.ofGroup,
            group,
            try Self.before(query),
            query.limit + 1
        )
        let views = rows.map { links.view($0, for: membership) }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    /// One that the person has sent, or was sent and has not answered.
    ///
    /// A sender reads it as long as they may send it.
    func find(_ id: ID<Invitation>, for person: Person) async throws -> InvitationView {
        let row = try await database.queryOne(
            InvitationStatements.ofInviterOrInvited,
            id,
            person.id,
            try await provedEmail(of: person)
        )
        guard let row else { throw APIError.notFound }
        guard row.invitedBy == person.id else { return row.view(for: person.id, isMember: false) }
        if let group = row.group {
            let membership = try await Membership.find(person.id, in: group, database)
            guard membership.allows(.manageArchived) else { throw APIError.notFound }
            return links.view(row, for: membership)
        }
        if let family = row.family {
            let own = try await database.queryOne(FamilyStatements.ofUser, person.id)
            guard own?.id == family.id, own?.role == .parent else { throw APIError.notFound }
        }
        return row.view(for: person.id, isMember: true)
    }

    static func before(_ query: PageQuery) throws -> ID<Invitation> {
        try query.cursor?.decode(ID<Invitation>.self) ?? ID(high: .max, low: .max)
    }

    /// The address by which the person sees invitations: a proved one.
    ///
    /// Auth is asked only where somebody has been asked by the address: the event that tells of the
    /// proof may still be on its way.
    func provedEmail(of person: Person) async throws -> String? {
        let folded = EmailAddress.folded(person.email)
        if person.isEmailVerified { return folded }
        guard try await database.queryOne(InvitationStatements.isEmailAsked, folded) == true
        else { return nil }
        let now = try await people.refreshed(person)
        return now.isEmailVerified ? EmailAddress.folded(now.email) : nil
    }
}
