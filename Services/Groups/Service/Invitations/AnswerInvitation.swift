import ServiceKit
import WalletProtocol

/// One's own open invitations.
struct ListInvitations: Handler {
    static let endpoint = WalletProtocol.Invitations.list
    let people: PeopleStore
    let invitations: InvitationStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<InvitationView>> {
        let person = try await people.person(caller.user)
        return .ok(try await invitations.list(request.query, of: person))
    }
}

/// An invitation that one has sent, or was sent.
struct GetInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.get
    let people: PeopleStore
    let invitations: InvitationStore
    let shared: SharedInvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<InvitationView> {
        let person = try await people.person(caller.user)
        let view = try await invitations.find(request.path.id(), for: person)
        try await shared.checkSent(view, by: person.id)
        return .ok(view)
    }
}

/// Joins a group, or those who share a wallet or a folder.
struct AcceptInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.accept
    let effects: KeyedEffects
    let people: PeopleStore
    let invitations: InvitationStore
    let shared: SharedInvitationStore
    let families: FamilyStore
    let allowances: AllowanceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<JoinedView> {
        let id = try request.path.id(of: Invitation.self)
        let person = try await people.person(caller.user)
        let email = try await invitations.provedEmail(of: person)
        // Once and again it comes to the same; and what its owner calls the thing is not kept here.
        if let taken = try await shared.take(id, by: person, whose: email) {
            let joined: JoinedView
            switch try await shared.join(taken) {
            case .first(let wallet): joined = JoinedView(wallet)
            case .second(let folder): joined = JoinedView(folder)
            }
            try await effects.run { transaction in
                try await shared.finish(taken, whose: email, in: transaction)
            }
            return .ok(joined)
        }
        let response: Response<JoinedView>
        response = try await effects.answer(
            request.idempotency,
            refusing: FamilyStore.constraints
        ) { transaction in
            let isToFamily = try await families.answer(
                id,
                isAccepted: true,
                by: person,
                whose: email,
                in: transaction
            )
            if isToFamily {
                let family = try await FamilyStore.view(for: person.id, transaction)
                return .ok(JoinedView(family))
            }
            let group = try await invitations.answer(
                id,
                isAccepted: true,
                by: person,
                whose: email,
                in: transaction
            )
            let membership = try await Membership.find(person.id, in: group, transaction)
            return .ok(JoinedView(membership.group.view))
        }
        // A child has the account at once, where the ledger answers, else a little later.
        if let family = try? await families.find(for: person.id), family.role == .child {
            try? await allowances.finish(of: person.id, in: family.id)
        }
        return response
    }
}

/// Does not join.
struct RejectInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.reject
    let effects: KeyedEffects
    let people: PeopleStore
    let invitations: InvitationStore
    let shared: SharedInvitationStore
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: Invitation.self)
        let person = try await people.person(caller.user)
        let email = try await invitations.provedEmail(of: person)
        return try await effects.answer(request.idempotency) { transaction in
            let isShared = try await shared.reject(id, by: person, whose: email, in: transaction)
            if isShared { return .noContent }
            let isToFamily = try await families.answer(
                id,
                isAccepted: false,
                by: person,
                whose: email,
                in: transaction
            )
            if !isToFamily {
                _ = try await invitations.answer(
                    id,
                    isAccepted: false,
                    by: person,
                    whose: email,
                    in: transaction
                )
            }
            return .noContent
        }
    }
}
