import ServiceKit
import WalletProtocol

/// Makes a family.
struct MakeFamily: Handler {
    static let endpoint = Families.make
    let effects: KeyedEffects
    let people: PeopleStore
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, NewFamily>,
        as caller: Caller
    ) async throws -> Response<FamilyView> {
        let person = try await people.person(caller.user)
        return try await effects.answer(
            request.idempotency,
            refusing: FamilyStore.constraints
        ) { transaction in
            let family = try await families.make(request.body, by: person, in: transaction)
            return .created(family, at: "/v1/families/me").tagged(family.tag)
        }
    }
}

/// One's family.
struct GetFamily: Handler {
    static let endpoint = Families.get
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<FamilyView> {
        let family = try await families.find(for: caller.user.id)
        return .ok(family).tagged(family.tag)
    }
}

/// Deletes one's family.
struct RemoveFamily: Handler {
    static let endpoint = Families.remove
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await families.remove(by: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}

/// Invites somebody to one's family.
struct InviteToFamily: Handler {
    static let endpoint = Families.invite
    let effects: KeyedEffects
    let people: PeopleStore
    let invitations: InvitationStore
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, FamilyInvitee>,
        as caller: Caller
    ) async throws -> Response<InvitationView> {
        let person = try await people.person(caller.user)
        return try await effects.run(request.idempotency) { keyed in
            // Before auth is asked, for whoever may not.
            _ = try await families.asParent(person.id)
            let name = try Invited.name(Invitee(email: request.body.email), at: "")
            let invited = try await invitations.resolve(
                name,
                by: person.id,
                from: request.clientAddress
            )
            return try await keyed.answer { transaction in
                .created(
                    try await families.invite(
                        invited,
                        as: request.body.role,
                        by: person,
                        in: transaction
                    )
                )
                .tagged(InvitationRow.tag).naming(invited)
            }
        }
    }
}

/// The open invitations to one's family.
struct ListFamilyInvitations: Handler {
    static let endpoint = Families.invitations
    let families: FamilyStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<InvitationView>> {
        .ok(try await families.listInvitations(request.query, for: caller.user.id))
    }
}

/// Takes an invitation to one's family back.
struct WithdrawFamilyInvitation: Handler {
    static let endpoint = Families.withdraw
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await families.withdraw(
            request.path.id("invitationId"),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}

/// Leaves one's family (`me`), or removes a child from it.
struct RemoveFamilyMember: Handler {
    static let endpoint = Families.removeMember
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await families.end(
            request.path.idUnlessMe("userId"),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
