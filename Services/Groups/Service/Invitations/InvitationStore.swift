import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Asks people to join, and takes their answers.
final class InvitationStore {
    let database: Database
    let people: PeopleStore
    private let messages: MessageJobs
    let links: LinkStore
    private let tries: NameTries

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
        links: LinkStore,
        tries: NameTries
    ) {
        self.database = database
        self.people = people
        self.messages = messages
        self.links = links
        self.tries = tries
    }

    // MARK: Asking

    /// Whom the invitations of a new group mean: all of them, or a refusal and nothing is made.
    func resolve(
        _ invitees: [Invitee],
        by person: Person,
        from address: String
    ) async throws -> [Invited] {
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
            let invited = try await resolve(name, by: person.id, from: address)
            // By what was written, never by whose an address is.
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

    /// Whom a name means; an address may mean nobody.
    /// - Throws: `user-not-found`, `too-many-requests`.
    func resolve(
        _ name: Invited.Name,
        by user: ID<User>,
        from address: String
    ) async throws -> Invited {
        switch name {
        case .email(let email):
            return Invited(name: name, person: try await people.known(by: email))
        case .username(let username):
            let found = try await tries.counting(by: user, from: address) {
                try await people.find(username: username)
            }
            guard let person = found else { throw APIError(.userNotFound) }
            return Invited(name: name, person: person)
        }
    }

    /// Whoever is named, for a member of the group.
    func resolve(
        _ invitee: Invitee,
        to group: ID<Group>,
        by person: Person,
        from address: String
    ) async throws -> Invited {
        // Before auth is asked, for a stranger and for the personal group.
        let membership = try await Membership.find(person.id, in: group, database)
        try membership.check(.manage)
        try membership.checkTakesOthers()
        let name = try Invited.name(invitee, at: "")
        return try await resolve(name, by: person.id, from: address)
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
        try await check(invited, by: person, for: membership, in: transaction)
        let row = try await insert(
            invited,
            to: .group(group, name: membership.group.name),
            by: person,
            in: transaction
        )
        return links.view(row, for: membership)
    }

    /// Refuses a username of a member, whoever is invited already, and more than fit.
    ///
    /// An address is refused for nothing else: that would tell whose it is.
    private func check(
        _ invited: Invited,
        by inviter: Person,
        for membership: Membership,
        in transaction: Transaction
    ) async throws {
        if invited.isSame(as: inviter) { throw APIError(.alreadyMember) }
        if let user = invited.userID {
            let member = try await transaction.queryOne(
                MemberStatements.place,
                user,
                membership.group.id
            )
            if member != nil { throw APIError(.alreadyMember) }
        }
        let isOpen = try await transaction.queryOne(
            InvitationStatements.isOpen,
            membership.group.id,
            invited.userID,
            invited.emailFolded
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
        let shown = try await shown(id, to: invited.person, in: transaction)
        if case .email(let email) = invited.name, shown != nil || invited.person == nil {
            try await mail(email, shown, target, by: inviter, in: transaction)
        }
        try await Outbox.append(
            InvitationSent(
                invitationID: id,
                groupID: target.group,
                accountID: target.offer?.thing.account,
                folderID: target.offer?.thing.folder,
                familyID: target.family?.id,
                userID: shown?.id,
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

    /// The invited person, if they are known and will read it; asked of everybody, so that the time
    /// that it takes tells nothing.
    private func shown(
        _ id: ID<Invitation>,
        to person: Person?,
        in transaction: Transaction
    ) async throws -> Person? {
        let isShown = try await transaction.queryOne(InvitationStatements.isShown, id, person?.id)
        return isShown == true ? person : nil
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
            invited.userID,
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
            let isArchived = try await transaction.queryOne(GroupStatements.lock, group),
            // Answered, taken back or ended with its sender's right while this one waited.
            try await transaction.queryOne(
                InvitationStatements.answerable,
                id,
                person.id,
                email
            ) != nil
        else { throw APIError.notFound }
        if isAccepted, isArchived { throw APIError(.groupArchived) }
        let closed = try await Self.close(
            id,
            to: group,
            of: person.id,
            whose: email,
            isAccepted: isAccepted,
            in: transaction
        )
        if isAccepted {
            try await MemberStore.join(group, person.id, in: transaction)
            try await transaction.execute(GroupStatements.raiseVersion, group)
            if invitation.isToPair {
                try await transaction.execute(
                    RefusalStatements.agree,
                    person.id,
                    invitation.invitedBy
                )
            }
        }
        // Who says no to an address does not tell whose it is.
        let isNamed = isAccepted || !invitation.isByAddress
        try await Self.tell(
            [ClosedInvitation(id: id, invitedBy: invitation.invitedBy)] + closed,
            to: group,
            answeredBy: isNamed ? person.id : nil,
            isAccepted: isAccepted,
            in: transaction
        )
        return group
    }

    /// Ends an invitation that is answered.
    ///
    /// An acceptance ends the person's others, too: those by username for everybody, those by
    /// address for the person alone.
    /// - Parameter id: none for a link, which may let in more people.
    static func close(
        _ id: ID<Invitation>?,
        to group: ID<Group>,
        of user: ID<User>,
        whose email: String?,
        isAccepted: Bool,
        in transaction: Transaction
    ) async throws -> [ClosedInvitation] {
        let closed = try await transaction.query(
            InvitationStatements.close,
            group,
            user,
            id,
            isAccepted ? "accepted" : "rejected"
        )
        if isAccepted {
            try await transaction.execute(InvitationStatements.hide, group.text, user, email)
        }
        return closed
    }

    /// Tells everybody who has asked, once each, of the first of theirs.
    static func tell(
        _ answered: [ClosedInvitation],
        to group: ID<Group>,
        answeredBy user: ID<User>?,
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
}

extension Invited {
    /// Whether the two are written as one person: a username and an address never are.
    fileprivate func isSame(as other: Invited) -> Bool {
        (userID != nil && userID == other.userID)
            || (emailFolded != nil && emailFolded == other.emailFolded)
    }

    /// Whether it is somebody's own name or address, proved or not.
    func isSame(as other: Person) -> Bool {
        userID == other.id || emailFolded == EmailAddress.folded(other.email)
    }
}
