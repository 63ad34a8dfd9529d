import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Links that let people into groups, and guests' places that they give.
final class LinkStore {
    private let database: Database
    private let tokens: LinkToken

    /// Open ones of a group.
    static let countMax: Int64 = 20
    static let daySeconds: Int64 = 86_400
    static let lifeDays: (usual: Int64, most: Int64) = (7, 90)

    init(database: Database, tokens: LinkToken) {
        self.database = database
        self.tokens = tokens
    }

    /// Makes one.
    func make(
        _ body: NewInvitationLink,
        to group: ID<Group>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> (view: InvitationView, version: String) {
        try await ErasedUsers.hold([user], in: transaction)
        let membership = try await Membership.lock(user, in: group, to: .manage, transaction)
        try membership.checkTakesOthers()
        let now = Instant.now()
        try await check(body, of: group, at: now, transaction)
        let open = try await transaction.queryOne(InvitationStatements.countLinks, group)
        guard open ?? 0 < Self.countMax else {
            throw APIError.field("/link", .tooMany, "a group has at most \(Self.countMax) links")
        }
        let id = ID<Invitation>.new()
        try await transaction.execute(
            InvitationStatements.insertLink,
            id,
            group,
            user,
            body.expiresAt ?? now.adding(seconds: Self.lifeDays.usual * Self.daySeconds),
            (body.memberID == nil ? body.uses : 1).map { Int32(clamping: $0) },
            body.memberID
        )
        guard let row = try await transaction.queryOne(InvitationStatements.link, id) else {
            throw APIError(.internalError)
        }
        return (view(row, for: membership), row.tag)
    }

    /// An invitation as a member sees it, with its link where it is one and the member may let
    /// people in.
    func view(_ row: InvitationRow, for membership: Membership) -> InvitationView {
        row.view(for: membership.user, isMember: true, link: link(row, for: membership))
    }

    private func link(_ row: InvitationRow, for membership: Membership) -> InvitationLink? {
        guard membership.allows(.manageArchived) else { return nil }
        return row.terms.map { tokens.link(row.id, $0) }
    }

    private func check(
        _ body: NewInvitationLink,
        of group: ID<Group>,
        at now: Instant,
        _ transaction: Transaction
    ) async throws {
        var faults: [FieldError] = []
        let last = now.adding(seconds: Self.lifeDays.most * Self.daySeconds)
        if let end = body.expiresAt, end <= now || end > last {
            let detail = "must lie within the next \(Self.lifeDays.most) days"
            faults.note("/link/expiresAt", .outOfRange, detail)
        }
        if let member = body.memberID {
            let row = try await transaction.queryOne(MemberStatements.find, group, member)
            if row?.isGuest != true {
                faults.note("/link/memberId", .unknownReference, "is no guest of the group")
            }
            if body.uses ?? 1 != 1 {
                faults.note("/link/uses", .conflict, "a guest's place is given once")
            }
        }
        try faults.check()
    }

    /// A link to a group that still lets somebody in, for a member who may see it.
    func find(
        _ id: ID<Invitation>,
        to group: ID<Group>,
        for user: ID<User>
    ) async throws -> InvitationLink {
        let membership = try await Membership.find(user, in: group, database)
        guard let row = try await database.queryOne(InvitationStatements.link, id),
            row.group == group, let link = link(row, for: membership)
        else { throw APIError.notFound }
        return link
    }

    /// What a link is to, for whoever has it.
    func find(_ token: String, for user: ID<User>) async throws -> InvitationView {
        guard let id = tokens.invitation(token),
            let row = try await database.queryOne(InvitationStatements.link, id)
        else { throw APIError.notFound }
        return row.view(for: user, isMember: false)
    }

    /// Lets somebody in, whom nobody has to ask any more then.
    func accept(
        _ token: String,
        by user: ID<User>,
        whose email: String?,
        in transaction: Transaction
    ) async throws -> GroupView {
        try await ErasedUsers.hold([user], in: transaction)
        guard let id = tokens.invitation(token),
            let group = try await transaction.queryOne(InvitationStatements.link, id)?.group,
            let isArchived = try await transaction.queryOne(GroupStatements.lock, group),
            // Used by another, taken back or ended with its maker's right, while this one waited.
            let row = try await transaction.queryOne(InvitationStatements.link, id)
        else { throw APIError.notFound }
        if try await transaction.queryOne(MemberStatements.place, user, group) != nil {
            guard let guest = row.terms?.guest else { throw APIError(.alreadyMember) }
            try await GuestMerges.merge(guest, in: group, into: user, transaction)
            try await transaction.execute(InvitationStatements.useLink, id, user)
            return try await Membership.find(user, in: group, transaction).group.view
        }
        if isArchived { throw APIError(.groupArchived) }
        // First: the place that is kept for whoever is asked by name is theirs.
        let closed = try await InvitationStore.close(
            nil,
            to: group,
            of: user,
            whose: email,
            isAccepted: true,
            in: transaction
        )
        if let guest = row.terms?.guest {
            try await MemberStore.claim(guest, of: group, by: user, in: transaction)
        } else {
            try await MemberStore.checkRoom(in: group, transaction)
            try await MemberStore.join(group, user, in: transaction)
        }
        try await transaction.execute(InvitationStatements.useLink, id, user)
        try await transaction.execute(GroupStatements.raiseVersion, group)
        try await InvitationStore.tell(
            [ClosedInvitation(id: id, invitedBy: row.invitedBy)] + closed,
            to: group,
            answeredBy: user,
            isAccepted: true,
            in: transaction
        )
        return try await Membership.find(user, in: group, transaction).group.view
    }
}
