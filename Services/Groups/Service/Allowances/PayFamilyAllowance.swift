import ServiceKit
import WalletProtocol

/// Pays a child an allowance, and again where it is to come again.
struct PayFamilyAllowance: Handler {
    static let endpoint = Families.pay
    let effects: KeyedEffects
    let people: PeopleStore
    let allowances: AllowanceStore
    let recurring: RecurringAllowanceStore

    func handle(
        _ request: Request<NoQuery, NewAllowance>,
        as caller: Caller
    ) async throws -> Response<AllowanceView> {
        let (child, body) = (try request.path.id("userId", of: User.self), request.body)
        let parent = try await people.person(caller.user)
        return try await effects.run(request.idempotency) { keyed in
            // What may be paid already is not refused: it would be paid again.
            if try await !allowances.hasBegun(under: request.idempotency) {
                let today = parent.day(at: .now())
                try await allowances.check(body, to: child, by: caller.user, today: today)
                if body.rule != nil { try await recurring.checkRoom(of: parent) }
            }
            let paid = try await allowances.pay(
                body,
                under: request.idempotency,
                to: child,
                by: caller.user
            )
            return try await keyed.answer { transaction in
                guard let rule = body.rule else { return .created(paid) }
                let made = try await recurring.add(
                    rule,
                    after: paid,
                    body,
                    by: parent,
                    isProved: caller.user.hasFreshProof,
                    in: transaction
                )
                return .created(made.map { paid.again($0) } ?? paid)
            }
        }
    }
}
