import Postgres
import ServiceKit
import WalletProtocol

/// Finds how much of which debt is settled by an amount in a currency in which nothing is open.
///
/// The ledger is asked before anything is locked: what is open is compared again when the
/// settlement is written.
struct SettlementConversion {
    let database: Database
    let rates: RateLedger

    /// The settlement, with what it settles at the day's rate where it does not say.
    /// - Throws: 422 where several currencies are open, `rate-unavailable`, `amount-too-small`.
    func settling(
        _ body: NewSettlement,
        in group: ID<Group>,
        by user: ID<User>,
        today: Day
    ) async throws -> NewSettlement {
        guard let paid = body.amount, body.settles == nil else { return body }
        let membership = try await Membership.find(user, in: group, database)
        let (one, other) = (body.memberID ?? membership.member, body.withMemberID)
        let open = try await SettlementStore.open(
            between: one,
            and: other,
            in: membership.group,
            database
        ).compactMap { $0.largest(between: one, and: other)?.amount }
        guard let debt = open.first, !open.contains(where: { $0.currency == paid.currency }) else {
            return body
        }
        guard open.count == 1 else {
            throw APIError.field(
                "/settles",
                .required,
                "is required: \(open.saying(nothingIn: paid.currency))"
            )
        }
        let converted = try await rates.convert(
            [Total(paid)],
            [body.date ?? today],
            debt.currency
        )
        guard let found = converted.first ?? nil, found.rate != nil else {
            throw APIError(.rateUnavailable)
        }
        let units = Int64(clamping: found.amount.minorUnits)
        guard units > 0 else { throw APIError(.amountTooSmall) }
        return NewSettlement(
            memberID: body.memberID,
            withMemberID: other,
            amount: paid,
            settles: Money(minorUnits: units, debt.currency),
            date: body.date,
            fromAccountID: body.fromAccountID,
            accountID: body.accountID
        )
    }
}
