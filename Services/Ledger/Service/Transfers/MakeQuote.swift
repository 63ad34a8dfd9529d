import BankFiles
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
        let targets = [body.toIBAN != nil, body.toAccountID != nil, body.toCurrency != nil]
        guard targets.filter(\.self).count == 1 else {
            throw APIError.field("/toIban", .required, "one of toIban, toAccountId, toCurrency")
        }
        let from: AccountReference
        var payee: AccountReference?
        if body.toCurrency == nil {
            let parties = try await Parties.find(
                from: body.fromAccountID,
                toAccount: body.toAccountID,
                toIBAN: body.toIBAN,
                for: user,
                in: database,
                registry
            )
            try parties.checkState()
            (from, payee) = (parties.from, parties.to)
        } else {
            from = try await Parties.payer(body.fromAccountID, of: user, in: database)
            guard !from.isClosed else { throw APIError(.accountClosed) }
        }
        let target = body.toCurrency ?? payee?.currency ?? from.currency
        let rate = try await currentRate(from: from.currency, to: target)
        let conversion = Conversion(from: from.currency, to: target)
        var amounts: (debit: Int64, credit: Int64)?
        if let amount = body.amount {
            let found = try conversion.amounts(of: amount, at: rate)
            guard from.kind == .wallet || from.available >= found.debit else {
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
            from.id,
            payee?.id,
            payee == nil ? target.code : nil,
            amounts?.debit,
            amounts?.credit,
            stored?.numerator,
            stored?.denominator,
            stored?.day,
            stored?.publisher,
            expiresAt
        )
        return .created(
            QuoteView(
                id: id,
                fromAccountID: from.id,
                payee: payee.map { masked($0.ownerName) },
                currency: target,
                amount: amounts.map { Money(minorUnits: $0.debit, from.currency) },
                converted: amounts.map { Money(minorUnits: $0.credit, target) },
                rate: rate?.view,
                fee: .zero(from.currency),
                expiresAt: expiresAt
            )
        )
    }

    /// The newest row's; nil within one currency.
    private func currentRate(
        from source: Currency,
        to target: Currency
    ) async throws -> ExchangeRate? {
        guard source != target else { return nil }
        let history = try await rates.history(on: blocking)
        do throws(RateError) {
            return try history.required(from: source, to: target, on: .utc(.now()))
        } catch { throw APIError(error) }
    }
}
