import ServiceKit
import WalletProtocol

/// Who is in a group.
struct ListMembers: Handler {
    static let endpoint = GroupMembers.list
    let members: MemberStore

    func handle(
        _ request: Request<MemberQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<MemberView>> {
        .ok(try await members.list(request.query, of: request.path.id(), for: caller.user.id))
    }
}

/// Adds somebody without an account.
struct AddGuest: Handler {
    static let endpoint = GroupMembers.add
    let effects: KeyedEffects
    let members: MemberStore

    func handle(
        _ request: Request<NoQuery, NewGuest>,
        as caller: Caller
    ) async throws -> Response<MemberView> {
        let group = try request.path.id(of: Group.self)
        return try await effects.answer(request.idempotency) { transaction in
            let made = try await members.add(
                request.body,
                to: group,
                by: caller.user.id,
                in: transaction
            )
            return .created(made.view).tagged(String(made.version))
        }
    }
}

/// Gives a member another role, or a guest another name.
struct ChangeMember: Handler {
    static let endpoint = GroupMembers.change
    let members: MemberStore

    func handle(
        _ request: Request<NoQuery, MemberChange>,
        as caller: Caller
    ) async throws -> Response<MemberView> {
        let changed = try await members.change(
            request.path.id("memberId"),
            request.body,
            of: request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(changed.view).tagged(String(changed.version))
    }
}

/// Ends a membership: one's own (`me`), or another's.
struct RemoveMember: Handler {
    static let endpoint = GroupMembers.remove
    let members: MemberStore

    func handle(
        _ request: Request<LeavingQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await members.end(
            request.path.idUnlessMe("memberId"),
            in: request.path.id(),
            by: caller.user.id,
            isForced: request.query.isForced,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
