import ServiceKit
import WalletProtocol

/// A kind of thing that is shared by invitation: its endpoints, and what their paths name.
protocol SharedKind {
    /// Who is asked, and what they may do.
    associatedtype Asked: JSONObject
    static var invite: Endpoint<NoQuery, Asked, InvitationView> { get }
    static var invitations: Endpoint<PageQuery, NoBody, Page<InvitationView>> { get }
    static var withdraw: Endpoint<NoQuery, NoBody, NoView> { get }

    static func thing(in path: PathParameters) throws -> SharedThing
    static func offer(_ asked: Asked, in path: PathParameters) throws -> SharedOffer
    static func invitee(_ asked: Asked) -> Invitee
}

extension WalletMembers: SharedKind {
    static func thing(in path: PathParameters) throws -> SharedThing {
        .wallet(try path.id(of: Account.self))
    }

    static func offer(_ asked: WalletInvitee, in path: PathParameters) throws -> SharedOffer {
        .wallet(try path.id(of: Account.self), asked.role)
    }

    static func invitee(_ asked: WalletInvitee) -> Invitee { asked.invitee }
}

extension FolderMembers: SharedKind {
    static func thing(in path: PathParameters) throws -> SharedThing {
        .folder(try path.id(of: Folder.self))
    }

    static func offer(_ asked: FolderInvitee, in path: PathParameters) throws -> SharedOffer {
        .folder(try path.id(of: Folder.self), asked.access)
    }

    static func invitee(_ asked: FolderInvitee) -> Invitee { asked.invitee }
}

/// Asks somebody to share a thing.
struct InviteToShared<Kind: SharedKind>: Handler {
    static var endpoint: Endpoint<NoQuery, Kind.Asked, InvitationView> { Kind.invite }
    let effects: KeyedEffects
    let people: PeopleStore
    let shared: SharedInvitationStore

    func handle(
        _ request: Request<NoQuery, Kind.Asked>,
        as caller: Caller
    ) async throws -> Response<InvitationView> {
        let offer = try Kind.offer(request.body, in: request.path)
        let person = try await people.person(caller.user)
        return try await effects.run(request.idempotency) { keyed in
            let asked = try await shared.resolve(
                Kind.invitee(request.body),
                to: offer.thing,
                by: person,
                from: request.clientAddress
            )
            return try await keyed.answer { transaction in
                let row = try await shared.send(asked, to: offer, by: person, in: transaction)
                return .created(
                    row.view(for: person.id, isMember: true),
                    at: "\(offer.thing.invitationsPath)/\(row.id)"
                )
                .tagged(row.tag).naming(asked.invited)
            }
        }
    }
}

/// The open invitations to a shared thing.
struct ListSharedInvitations<Kind: SharedKind>: Handler {
    static var endpoint: Endpoint<PageQuery, NoBody, Page<InvitationView>> { Kind.invitations }
    let shared: SharedInvitationStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<InvitationView>> {
        .ok(
            try await shared.list(
                request.query,
                of: Kind.thing(in: request.path),
                for: caller.user.id
            )
        )
    }
}

/// Takes an invitation to a shared thing back.
struct WithdrawSharedInvitation<Kind: SharedKind>: Handler {
    static var endpoint: Endpoint<NoQuery, NoBody, NoView> { Kind.withdraw }
    let shared: SharedInvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await shared.withdraw(
            request.path.id("invitationId", of: Invitation.self),
            from: Kind.thing(in: request.path),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
