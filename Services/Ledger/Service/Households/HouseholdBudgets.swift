import Postgres
import ServiceKit
import WalletProtocol

/// The family's envelopes in a month.
struct GetHouseholdBudget: Handler {
    static let endpoint = HouseholdBudgets.get
    let households: HouseholdStore

    func handle(
        _ request: Request<HouseholdMonthQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<HouseholdBudget> {
        .ok(try await households.budget(in: request.query.month, for: caller.user.id))
    }
}

/// Puts something into an envelope of the family's, or takes it out.
struct AllocateHouseholdBudget: Handler {
    static let endpoint = HouseholdBudgets.allocate
    let effects: KeyedEffects
    let households: HouseholdStore

    func handle(
        _ request: Request<NoQuery, NewHouseholdAllocation>,
        as caller: Caller
    ) async throws -> Response<HouseholdAllocationView> {
        let (body, user) = (request.body, caller.user.id)
        let envelope = try request.path.id(of: HouseholdEnvelope.self)
        return try await effects.run(request.idempotency) { keyed in
            let place = try await households.asParent(user)
            return try await households.read(place, for: user) { reader, transaction in
                try await keyed.answer(in: transaction) {
                    let month = try reader.month(body.month)
                    _ = try await HouseholdStore.find(envelope, of: reader.family, transaction)
                    let parts = [HouseholdPart(envelope: envelope, amount: body.amount)]
                    let found = try await reader.allocate(parts, in: month, for: user, transaction)
                    let view = HouseholdAllocationView(
                        budget: found[0],
                        alerts: found[0].available.isNegative ? [.negative] : []
                    )
                    return .created(view, at: "/v1/families/me/budget?month=\(month.text)")
                }
            }
        }
    }
}

/// Moves something from one envelope of the family's to another; the first may fall below nothing.
struct TransferHouseholdBudget: Handler {
    static let endpoint = HouseholdBudgets.transfer
    let effects: KeyedEffects
    let households: HouseholdStore

    func handle(
        _ request: Request<NoQuery, NewHouseholdTransfer>,
        as caller: Caller
    ) async throws -> Response<HouseholdTransferView> {
        let (body, user) = (request.body, caller.user.id)
        return try await effects.run(request.idempotency) { keyed in
            let place = try await households.asParent(user)
            return try await households.read(place, for: user) { reader, transaction in
                try await keyed.answer(in: transaction) {
                    let month = try reader.month(body.month)
                    let parts = try await reader.parts(of: body, transaction)
                    let found = try await reader.allocate(parts, in: month, for: user, transaction)
                    let view = HouseholdTransferView(
                        from: found[0],
                        to: found[1],
                        alerts: found[0].available.isNegative ? [.negative] : []
                    )
                    return .created(view, at: "/v1/families/me/budget?month=\(month.text)")
                }
            }
        }
    }
}

/// What is put into an envelope, or taken out.
struct HouseholdPart {
    let envelope: ID<HouseholdEnvelope>
    let amount: Money
}

extension HouseholdReader {
    /// The month asked for, or the running one.
    /// - Throws: 422 for one that nobody lives in.
    func month(_ asked: Month?) throws(APIError) -> Month {
        let month = asked ?? today.month
        guard BudgetCalendar.planned.contains(month.year) else {
            throw .field("/month", .outOfRange, "is no month that can be planned")
        }
        return month
    }

    /// What a transfer takes, and gives.
    /// - Throws: 422 where either envelope is none of the family's, or both are the same.
    func parts(
        of body: NewHouseholdTransfer,
        _ transaction: Transaction
    ) async throws -> [HouseholdPart] {
        let named = [
            ("/fromEnvelopeId", body.fromEnvelopeID), ("/toEnvelopeId", body.toEnvelopeID),
        ]
        // In the order of ids, so that no two transfers wait for each other.
        for (pointer, id) in named.sorted(by: { $0.1 < $1.1 }) {
            guard try await transaction.queryOne(HouseholdStatements.find, family, id) != nil else {
                throw APIError.field(pointer, .unknownReference, "is none of the family's")
            }
        }
        guard body.fromEnvelopeID != body.toEnvelopeID else {
            throw APIError.field("/toEnvelopeId", .invalidValue, "is the one that gives")
        }
        let taken = Money(minorUnits: -body.amount.minorUnits, body.amount.currency)
        return [
            HouseholdPart(envelope: body.fromEnvelopeID, amount: taken),
            HouseholdPart(envelope: body.toEnvelopeID, amount: body.amount),
        ]
    }

    /// Puts something into some envelopes, each of which is locked.
    /// - Returns: these as they are now, in their order.
    func allocate(
        _ parts: [HouseholdPart],
        in month: Month,
        for user: ID<User>,
        _ transaction: Transaction
    ) async throws -> [HouseholdEnvelopeMonth] {
        for part in parts {
            guard part.amount.currency == currency else { throw APIError(.currencyMismatch) }
            try await transaction.execute(
                HouseholdFigureStatements.allocate,
                part.envelope,
                month.firstDay,
                Int128(part.amount.minorUnits)
            )
        }
        let all = try await envelopes(in: month, for: user, transaction)
        let found = parts.compactMap { part in all.first { $0.envelope.id == part.envelope } }
        guard found.count == parts.count else { throw APIError(.internalError) }
        for one in found { try await note(one, cause: .transfer, in: transaction) }
        return found
    }
}
