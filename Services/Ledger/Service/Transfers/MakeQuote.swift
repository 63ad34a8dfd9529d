import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Fixes the price of a transfer for a minute, and tells whom it goes to.
struct MakeQuote: Handler {
    static let endpoint = Transfers.quote
    let database: Database
    let people: People
    let rates: RateStore
    let blocking: BlockingPool
    let registry: IBANRegistry

    static let seconds: Int64 = 60

    func handle(
        _ request: Request<NoQuery, NewQuote>,
        as caller: Caller
    ) async throws -> Response<QuoteView> {
        let user = caller.user.id
        _ = try await people.person(user)
        let body = request.body
        guard (body.toIBAN == nil) != (body.toAccountID == nil) else {
            throw APIError.field("/toIban", .required, "either toIban or toAccountId")
        }
        let parties = try await Parties.find(
            from: body.fromAccountID,
            toAccount: body.toAccountID,
            toIBAN: body.toIBAN,
            for: user,
            in: database,
            registry
        )
        try parties.checkState()
        let rate = try await currentRate(between: parties)
        var amounts: (debit: Int64, credit: Int64)?
        if let amount = body.amount {
            let found = try parties.amounts(of: amount, at: rate)
            guard parties.from.kind == .wallet || parties.from.available >= found.debit else {
                throw APIError(.insufficientFunds)
            }
            amounts = found
        }
        let id = ID<Quote>.new()
        let expiresAt = Instant.now().adding(seconds: Self.seconds)
        let stored = rate.map(StoredRate.init)
        try await database.execute(
            TransferStatements.insertQuote,
            id,
            user,
            parties.from.id,
            parties.to.id,
            amounts?.debit,
            amounts?.credit,
            stored?.numerator,
            stored?.denominator,
            stored?.day,
            expiresAt
        )
        return .created(
            QuoteView(
                id: id,
                fromAccountID: parties.from.id,
                payee: masked(parties.to.ownerName),
                currency: parties.to.currency,
                amount: amounts.map { Money(minorUnits: $0.debit, parties.from.currency) },
                converted: amounts.map { Money(minorUnits: $0.credit, parties.to.currency) },
                rate: rate?.view,
                fee: .zero(parties.from.currency),
                expiresAt: expiresAt
            )
        )
    }

    /// The newest row's; nil within one currency.
    private func currentRate(between parties: Parties) async throws -> ExchangeRate? {
        let (source, target) = (parties.from.currency, parties.to.currency)
        guard source != target else { return nil }
        let history = try await rates.history(on: blocking)
        do throws(RateError) {
            return try history.required(from: source, to: target, on: .utc(.now()))
        } catch { throw APIError(error) }
    }
}
