import ServiceKit
import WalletProtocol

/// Sets a limit for a group; any member may.
struct MakeThreshold: Handler {
    static let endpoint = WalletProtocol.Thresholds.make
    let effects: KeyedEffects
    let people: PeopleStore
    let thresholds: ThresholdStore

    func handle(
        _ request: Request<NoQuery, NewThreshold>,
        as caller: Caller
    ) async throws -> Response<ThresholdView> {
        let person = try await people.person(caller.user)
        return try await effects.answer(request.idempotency) { transaction in
            let made = try await thresholds.make(
                request.body,
                for: request.path.id(),
                by: person.id,
                today: person.day(at: .now()),
                zone: person.timeZone,
                in: transaction
            )
            return .created(made).tagged(made.tag)
        }
    }
}

/// A group's limits, with what has been spent.
struct ListThresholds: Handler {
    static let endpoint = WalletProtocol.Thresholds.list
    let people: PeopleStore
    let thresholds: ThresholdStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ThresholdView>> {
        let person = try await people.person(caller.user)
        return .ok(
            try await thresholds.list(
                request.query,
                of: request.path.id(),
                for: person.id,
                today: person.day(at: .now())
            )
        )
    }
}

/// Changes a limit; any member may.
struct ChangeThreshold: Handler {
    static let endpoint = WalletProtocol.Thresholds.change
    let people: PeopleStore
    let thresholds: ThresholdStore

    func handle(
        _ request: Request<NoQuery, ThresholdChange>,
        as caller: Caller
    ) async throws -> Response<ThresholdView> {
        let person = try await people.person(caller.user)
        let changed = try await thresholds.change(
            request.path.id("thresholdId"),
            of: request.path.id(),
            request.body,
            by: person,
            today: person.day(at: .now()),
            ifMatch: request.ifMatch
        )
        return .ok(changed).tagged(changed.tag)
    }
}

/// Takes a limit away; any member may.
struct RemoveThreshold: Handler {
    static let endpoint = WalletProtocol.Thresholds.remove
    let thresholds: ThresholdStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await thresholds.remove(
            request.path.id("thresholdId"),
            from: request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
