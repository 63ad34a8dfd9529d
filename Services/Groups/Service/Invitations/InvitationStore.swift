import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Asks people to join, and takes their answers.
final class InvitationStore {
    private let database: Database
    private let people: PeopleStore
    private let messages: MessageJobs
    private let links: LinkStore

    /// How many somebody sends in an hour, and by mail in a day: anybody's name and anybody's
    /// address can be given.
    static let perHourMax: Int64 = 100
    static let mailsPerDayMax: Int64 = 100
    /// How often in a day somebody asks the same one, who says no, to join the same group.
    static let askedAgainMax: Int64 = 5
    /// How many mails go to one address in a day, from whomever.
    static let mailsPerAddressMax: Int64 = 5
    static let mailSeconds: Int64 = 7 * 86_400

    init(
        database: Database,
        people: PeopleStore,
        messages: MessageJobs,
        links: LinkStore
    ) {
        self.database = database
        self.people = people
        self.messages = messages
        self.links = links
    }

    // MARK: Asking

    /// Whom the invitations of a new group mean: all of them, or a refusal and nothing is made.
    func resolve(_ invitees: [Invitee], by person: Person) async throws -> [Invited] {
        var all: [Invited] = []
        var errors: [FieldError] = []
        for (index, invitee) in invitees.enumerated() {
            let pointer = "/invitations/\(index)"
            let name: Invited.Name
            do {
                name = try Invited.name(invitee, at: pointer)
            } catch {
                errors += error.errors
                continue
            }
            let invited = try await resolve(name)
            if invited.isSame(as: person) {
                let detail = "who makes the group is in it anyway"
                errors.append(FieldError(pointer: pointer, code: .conflict, detail: detail))
            } else if all.contains(where: { $0.isSame(as: invited) }) {
                let detail = "is invited above already"
                errors.append(FieldError(pointer: pointer, code: .duplicate, detail: detail))
            }
            all.append(invited)
        }
        guard errors.isEmpty else { throw APIError(.invalidBody, errors: errors) }
        return all
    }

    func resolve(_ name: Invited.Name) async throws -> Invited {
        switch name {
        case .email(let email):
            return Invited(name: name, person: try await people.find(email: email))
        case .username(let username):
            guard let person = try await people.find(username: username) else {
                throw APIError(.userNotFound)
            }
            return Invited(name: name, person: person)
        }
    }

    /// Whoever is named, for a member of the group.
    func resolve(
        _ invitee: Invitee,
        to group: ID<Group>,
        by person: Person
    ) async throws -> Invited {
        // Before auth is asked, for a stranger and for the personal group.
        let membership = try await Membership.find(person.id, in: group, database)
        try membership.check(.manage)
        try membership.checkTakesOthers()
        return try await resolve(try Invited.name(invitee, at: ""))
    }

    /// Asks somebody to join a group.
    func send(
        _ invited: Invited,
        to group: ID<Group>,
        by person: Person,
        in transaction: Transaction
    ) async throws -> InvitationView {
        try await ErasedUsers.hold(
            [person.id, invited.userID].compactMap(\.self),
            in: transaction
        )
        let membership = try await Membership.lock(person.id, in: group, to: .manage, transaction)
        try membership.checkTakesOthers()
        try await check(invited, for: membership, in: transaction)
        let row = try await insert(
            invited,
            to: .group(group, name: membership.group.name),
            by: person,
            in: transaction
        )
        return links.view(row, for: membership)
    }

    /// Nobody who is in the group or asked already, and no more than fit.
    private func check(
        _ invited: Invited,
        for membership: Membership,
        in transaction: Transaction
    ) async throws {
        if let person = invited.person {
            let member = try await transaction.queryOne(
                MemberStatements.place,
                person.id,
                membership.group.id
            )
            if member != nil { throw APIError(.alreadyMember) }
        }
        let proved = invited.person.flatMap { $0.isEmailVerified ? $0.email : nil }
        let isOpen = try await transaction.queryOne(
            InvitationStatements.isOpen,
            membership.group.id,
            invited.person?.id,
            invited.emailFolded ?? proved.map { EmailAddress.folded($0) }
        )
        if isOpen == true { throw APIError(.alreadyInvited) }
        try await MemberStore.checkRoom(in: membership.group.id, transaction)
    }

    /// Writes an invitation and tells of it; one by address is mailed too.
    @discardableResult
    func insert(
        _ invited: Invited,
        to target: InvitationTarget,
        by inviter: Person,
        in transaction: Transaction
    ) async throws -> InvitationRow {
        let id = ID<Invitation>.new()
        try await transaction.execute(
            InvitationStatements.insert,
            id,
            target.group,
            target.offer?.thing.account,
            target.offer?.thing.folder,
            target.offer?.role?.rawValue,
            target.offer?.access?.rawValue,
            target.keptName,
            inviter.id,
            invited.userID,
            invited.emailFolded,
            invited.text,
            target.family?.id,
            target.family?.role.rawValue
        )
        try await limit(inviter, asking: invited, to: target, in: transaction)
        if case .email(let email) = invited.name {
            try await mail(email, invited.person, target, by: inviter, in: transaction)
        }
        try await Outbox.append(
            InvitationSent(
                invitationID: id,
                groupID: target.group,
                accountID: target.offer?.thing.account,
                folderID: target.offer?.thing.folder,
                familyID: target.family?.id,
                userID: invited.person?.id,
                invitedBy: inviter.id
            ),
            of: target.aggregate,
            in: transaction
        )
        guard let row = try await transaction.queryOne(InvitationStatements.find, id) else {
            throw APIError(.internalError)
        }
        return row
    }

    /// Refuses what is above somebody's measure, the row just written included.
    private func limit(
        _ inviter: Person,
        asking invited: Invited,
        to target: InvitationTarget,
        in transaction: Transaction
    ) async throws {
        _ = try await transaction.queryOne(InvitationStatements.lockInviter, inviter.id)
        let sent = try await transaction.queryOne(
            InvitationStatements.sent,
            inviter.id,
            target.id,
            invited.person?.id,
            invited.emailFolded
        )
        guard let sent else { return }
        func check(_ count: Int64, _ max: Int64, _ what: String, hours: Int) throws(APIError) {
            guard count > max else { return }
            throw APIError(
                .tooManyRequests,
                "at most \(max) \(what)",
                retryAfterSeconds: hours * 3_600
            )
        }
        try check(sent.inHour, Self.perHourMax, "invitations an hour", hours: 1)
        try check(sent.mailedInDay, Self.mailsPerDayMax, "invitations a day by e-mail", hours: 24)
        try check(sent.toSameInDay, Self.askedAgainMax, "a day to the same person", hours: 24)
    }

    private func mail(
        _ email: EmailAddress,
        _ person: Person?,
        _ target: InvitationTarget,
        by inviter: Person,
        in transaction: Transaction
    ) async throws {
        // Silently: the invitation stands, and whoever owns the address has mails enough.
        let mailed = try await transaction.queryOne(InvitationStatements.mailed, email.folded)
        guard mailed ?? 0 <= Self.mailsPerAddressMax else { return }
        let words = target.mail
        try await messages.add(
            words.template,
            by: .email,
            to: email.text,
            language: (person ?? inviter).language,
            user: person?.id,
            parameters: [
                words.parameter: MailWords.safe(words.name),
                "inviter": MailWords.safe(inviter.displayName),
            ],
            lifeSeconds: Self.mailSeconds,
            in: transaction
        )
    }

    // MARK: Answering

    /// Accepts or rejects, and tells the inviter.
    /// - Returns: the group.
    func answer(
        _ id: ID<Invitation>,
        isAccepted: Bool,
        by person: Person,
        whose email: String?,
        in transaction: Transaction
    ) async throws -> ID<Group> {
        try await ErasedUsers.hold([person.id], in: transaction)
        guard
            let invitation = try await transaction.queryOne(
                InvitationStatements.answerable,
                id,
                person.id,
                email
            ), let group = invitation.group,
            try await transaction.queryOne(GroupStatements.lock, group) != nil
        else { throw APIError.notFound }
        let closed = try await Self.close(
            to: group,
            of: person.id,
            whose: email,
            isAccepted: isAccepted,
            in: transaction
        )
        // Answered by another call while this one waited for the lock.
        guard !closed.isEmpty else { throw APIError.notFound }
        if isAccepted { try await join(group, person, in: transaction) }
        try await Self.tell(
            [ClosedInvitation(id: id, invitedBy: invitation.invitedBy)] + closed,
            to: group,
            answeredBy: person.id,
            isAccepted: isAccepted,
            in: transaction
        )
        return group
    }

    /// Ends all that ask somebody to join a group, by name or by a proved address.
    static func close(
        to group: ID<Group>,
        of user: ID<User>,
        whose email: String?,
        isAccepted: Bool,
        in transaction: Transaction
    ) async throws -> [ClosedInvitation] {
        try await transaction.query(
            InvitationStatements.close,
            group,
            user,
            email,
            isAccepted ? "accepted" : "rejected"
        )
    }

    /// Tells everybody who has asked, once each, of the first of theirs.
    static func tell(
        _ answered: [ClosedInvitation],
        to group: ID<Group>,
        answeredBy user: ID<User>,
        isAccepted: Bool,
        in transaction: Transaction
    ) async throws {
        var told: Set<ID<User>> = []
        for invitation in answered where told.insert(invitation.invitedBy).inserted {
            try await Outbox.append(
                InvitationAnswered(
                    invitationID: invitation.id,
                    groupID: group,
                    userID: user,
                    invitedBy: invitation.invitedBy,
                    isAccepted: isAccepted
                ),
                of: group.aggregate,
                in: transaction
            )
        }
    }

    /// Whoever is in the group already stays with the place that they have.
    private func join(
        _ group: ID<Group>,
        _ person: Person,
        in transaction: Transaction
    ) async throws {
        guard try await transaction.queryOne(MemberStatements.place, person.id, group) == nil
        else { return }
        try await MemberStore.join(group, person.id, in: transaction)
        try await transaction.execute(GroupStatements.raiseVersion, group)
    }

    // MARK: Taking back

    /// Takes one back; whoever sent it may, and whoever may invite.
    func withdraw(
        _ id: ID<Invitation>,
        to group: ID<Group>,
        by user: ID<User>,
        ifMatch wanted: EntityTags? = nil
    ) async throws {
        try await database.transaction { transaction in
            let membership = try await Membership.lock(user, in: group, to: .belong, transaction)
            let open = try await transaction.queryOne(InvitationStatements.open, id, group)
            guard let open else { throw APIError.notFound }
            if open.inviter != user { try membership.check(.manageArchived) }
            try wanted.check(open.usesLeft.map(String.init) ?? InvitationRow.tag)
            try await transaction.execute(InvitationStatements.withdraw, id)
        }
    }

    // MARK: Reading

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
    /// Of what one is not in any more nothing is told, one's own invitations to it included.
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
            return links.view(row, for: try await Membership.find(person.id, in: group, database))
        }
        if let family = row.family {
            let own = try await database.queryOne(FamilyStatements.ofUser, person.id)
            guard own?.id == family.id else { throw APIError.notFound }
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

extension Invited {
    /// Whether the two are one person, by whatever they are named.
    fileprivate func isSame(as other: Invited) -> Bool {
        if let person, let other = other.person { return person.id == other.id }
        return emailFolded != nil && emailFolded == other.emailFolded
    }

    /// Whether it is somebody's own name or address, proved or not.
    func isSame(as other: Person) -> Bool {
        person?.id == other.id || emailFolded == EmailAddress.folded(other.email)
    }
}
