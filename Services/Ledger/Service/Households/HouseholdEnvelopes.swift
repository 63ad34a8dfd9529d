import ServiceKit
import WalletProtocol

/// Makes an envelope of the family's.
struct MakeHouseholdEnvelope: Handler {
    static let endpoint = HouseholdEnvelopes.make
    let effects: KeyedEffects
    let households: HouseholdStore

    func handle(
        _ request: Request<NoQuery, NewHouseholdEnvelope>,
        as caller: Caller
    ) async throws -> Response<HouseholdEnvelopeView> {
        try await effects.run(
            request.idempotency,
            refusing: HouseholdStore.constraints
        ) { keyed in
            let place = try await households.asParent(caller.user.id)
            return try await keyed.answer { transaction in
                let row = try await households.make(request.body, in: place, transaction)
                let path = "/v1/families/me/budget/envelopes/\(row.id.text)"
                return .created(row.view(with: []), at: path).tagged(String(row.version))
            }
        }
    }
}

/// The family's envelopes, by name.
struct ListHouseholdEnvelopes: Handler {
    static let endpoint = HouseholdEnvelopes.list
    let households: HouseholdStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<HouseholdEnvelopeView>> {
        .ok(try await households.list(for: caller.user.id))
    }
}

/// Changes an envelope of the family's.
struct ChangeHouseholdEnvelope: Handler {
    static let endpoint = HouseholdEnvelopes.change
    let households: HouseholdStore

    func handle(
        _ request: Request<NoQuery, HouseholdEnvelopeChange>,
        as caller: Caller
    ) async throws -> Response<HouseholdEnvelopeView> {
        let changed = try await households.change(
            request.path.id(),
            request.body,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(changed.view).tagged(String(changed.version))
    }
}

/// Deletes an envelope of the family's.
struct RemoveHouseholdEnvelope: Handler {
    static let endpoint = HouseholdEnvelopes.remove
    let households: HouseholdStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await households.remove(
            request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}

/// Counts a category of the caller's in an envelope of the family's.
struct PutCategoryIntoHouseholdEnvelope: Handler {
    static let endpoint = HouseholdEnvelopes.putCategory
    let households: HouseholdStore

    func handle(
        _ request: Request<HouseholdCategoryQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await households.put(
            request.path.id("categoryId"),
            into: request.path.id(),
            from: request.query.month,
            by: caller.user.id
        )
        return .noContent
    }
}

/// Counts it there no more.
struct TakeCategoryOutOfHouseholdEnvelope: Handler {
    static let endpoint = HouseholdEnvelopes.takeCategory
    let households: HouseholdStore

    func handle(
        _ request: Request<HouseholdCategoryQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await households.put(
            request.path.id("categoryId"),
            into: request.path.id(),
            isTaken: true,
            from: request.query.month,
            by: caller.user.id
        )
        return .noContent
    }
}

/// Takes a parent's categories out, for groups.
struct LeaveHousehold: Handler {
    static let endpoint = InternalHouseholds.leave
    let households: HouseholdStore

    func handle(
        _ request: Request<HouseholdLeaving, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await households.leave(
            request.path.id("userId"),
            request.path.id("familyId"),
            since: request.query.joinedAt
        )
        return .noContent
    }
}

/// Deletes a family's budget, for groups.
struct EndHousehold: Handler {
    static let endpoint = InternalHouseholds.end
    let households: HouseholdStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await households.end(request.path.id("familyId"))
        return .noContent
    }
}
