import ServiceKit
import Text
import WalletProtocol

/// Who is asked to join: somebody with an account, or whoever has proved an address or will.
struct Invited: Sendable, Hashable {
    /// How the inviter named them.
    enum Name: Sendable, Hashable {
        case username(String)
        case email(EmailAddress)
    }
    let name: Name
    /// Whom the name means; whose the address is, where that is known.
    let person: Person?

    /// The user, where the invitation is to one and not to an address.
    var userID: ID<User>? {
        if case .username = name { person?.id } else { nil }
    }

    /// The address, where the invitation is to one.
    var emailFolded: String? {
        if case .email(let email) = name { email.folded } else { nil }
    }

    /// As the inviter wrote it.
    var text: String {
        switch name {
        case .username(let username): username
        case .email(let email): email.text
        }
    }

    /// One of the two that an invitee can be named by.
    static func name(_ invitee: Invitee, at pointer: String) throws(APIError) -> Name {
        switch (invitee.username, invitee.email) {
        case (let username?, nil): return .username(username)
        case (nil, let text?):
            guard let email = EmailAddress(MailAddressText.canonical(text) ?? text) else {
                throw .field("\(pointer)/email", .invalidEmail, "is no e-mail address")
            }
            return .email(email)
        case (nil, nil):
            throw .field("\(pointer)/username", .required, "a username or an e-mail is needed")
        case (_?, _?):
            throw .field("\(pointer)/email", .conflict, "a username or an e-mail, not both")
        }
    }
}

/// What somebody is asked to join.
enum InvitationTarget: Sendable, Hashable {
    case group(ID<Group>, name: String)
    case shared(SharedOffer, name: String)
    case family(InvitationRow.FamilyPlace, name: String)

    var group: ID<Group>? { if case .group(let id, _) = self { id } else { nil } }
    var offer: SharedOffer? { if case .shared(let offer, _) = self { offer } else { nil } }
    var family: InvitationRow.FamilyPlace? {
        if case .family(let place, _) = self { place } else { nil }
    }
    /// The name that is kept with the invitation; a group's is the group's.
    var keptName: String? {
        switch self {
        case .group: nil
        case .shared(_, let name), .family(_, let name): name
        }
    }

    /// Whose events tell of it.
    var aggregate: String {
        switch self {
        case .group(let id, _): id.aggregate
        case .shared(let offer, _): offer.thing.aggregate
        case .family(let place, _): "family:\(place.id.text)"
        }
    }

    /// What the mail says, and by which text.
    var mail: (template: MessageTemplate, parameter: String, name: String) {
        switch self {
        case .group(_, let name): (.groupInvitation, "group", name)
        case .shared(.wallet(_, _), let name): (.walletInvitation, "wallet", name)
        case .shared(.folder(_, _), let name): (.folderInvitation, "folder", name)
        case .family(_, let name): (.familyInvitation, "family", name)
        }
    }

    var id: String {
        switch self {
        case .group(let id, _): id.text
        case .shared(let offer, _): offer.thing.id.text
        case .family(let place, _): place.id.text
        }
    }
}

/// An invitation that an answer has ended, and who is told of it.
struct ClosedInvitation: Sendable, Hashable {
    let id: ID<Invitation>
    let invitedBy: ID<User>
}

/// An open invitation as its row has it.
struct InvitationRow: Sendable, Hashable {
    let id: ID<Invitation>
    let group: ID<Group>?
    /// What it is to, where that is no group.
    let offer: SharedOffer?
    /// The group's, or that of what is shared as it was.
    let name: String
    let invitedBy: ID<User>
    let inviterName: String
    let invitee: String
    let createdAt: Instant
    /// Of a link.
    let terms: LinkTerms?
    /// Of one to a family.
    var family: FamilyPlace?
    /// Whether the group is of two people, who call it by each other's names.
    var isToPair = false
    /// Whether it is to an address: its sender knows nothing of the person until they accept.
    var isByAddress = false
    /// What has become of it.
    var outcome = Outcome(state: .open)

    /// How an invitation ended, or that it has not.
    struct Outcome: Sendable, Hashable {
        let state: InvitationState
        var at: Instant?
        /// What whoever answered is called; nothing where they are erased.
        var answeredBy: String?
    }

    /// The version of one that is answered once: it does not change before.
    static let tag = "1"
    /// The version: a link's changes with each who comes by it, where there are so many.
    var tag: String { terms?.usesLeft.map(String.init) ?? Self.tag }

    /// What one is asked to be in a family.
    struct FamilyPlace: Sendable, Hashable {
        let id: ID<Family>
        let role: FamilyRole
    }

    /// Whom a link lets in.
    struct LinkTerms: Sendable, Hashable {
        let expiresAt: Instant
        /// None: any number.
        let usesLeft: Int?
        /// Whose place it gives.
        let guest: ID<Member>?
    }

    /// As the invited see it, or a member: whoever invited as they wrote it, the others without
    /// the whole of an address that was not told to them.
    func view(
        for user: ID<User>,
        isMember: Bool,
        link: InvitationLink? = nil
    ) -> InvitationView {
        InvitationView(
            id: id,
            kind: offer?.thing.kind ?? (family == nil ? .group : .family),
            groupID: group,
            accountID: offer?.thing.account,
            folderID: offer?.thing.folder,
            familyID: family?.id,
            role: offer?.role,
            access: offer?.access,
            familyRole: family?.role,
            name: isToPair && invitedBy == user ? invitee : name,
            invitedBy: inviterName,
            inviterID: terms == nil ? invitedBy : nil,
            invitee:
                !isMember || terms != nil
                ? nil : invitedBy == user ? invitee : Self.hidden(invitee),
            link: link,
            state: outcome.state,
            answeredBy: isAnswererNamed ? outcome.answeredBy : nil,
            answeredAt: outcome.at,
            createdAt: createdAt
        )
    }

    private var isAnswererNamed: Bool {
        switch outcome.state {
        case .accepted: true
        case .rejected: !isByAddress
        default: false
        }
    }

    /// A username as it is, of an address the first character and the domain.
    static func hidden(_ invitee: String) -> String {
        guard let at = invitee.lastIndex(of: "@") else { return invitee }
        return invitee.prefix(1) + "…" + invitee[at...]
    }
}

extension Response {
    /// Mentions whoever is invited: the invitation shows a name or an address only.
    func naming(_ invited: Invited) -> Response {
        naming([invited.person?.id].compactMap(\.self), email: invited.emailFolded)
    }
}
