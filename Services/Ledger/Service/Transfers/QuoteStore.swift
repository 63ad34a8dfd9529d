import IBANs
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Fixes prices of transfers.
struct QuoteStore {
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool
    let registry: IBANRegistry
    /// After how many days a rate makes no price any more; nil: never.
    let rateDaysMax: Int?

    static let seconds: Int64 = 60

    /// Who pays whom, and in what; of a deposit that is to be opened there is no payee yet.
    fileprivate struct Sides {
        let payer: AccountReference
        let payee: AccountReference?
        let target: Currency
    }

    /// A price as it is about to be kept.
    struct Quotation {
        fileprivate let user: ID<User>
        fileprivate let sides: Sides
        fileprivate let amounts: (debit: Int64, credit: Int64)?
        fileprivate let rate: ExchangeRate?

        /// Whose account is paid.
        var payee: ID<User>? { sides.payee?.owner }
    }

    /// The price of a moment; without an amount it is the rate alone.
    /// - Throws: what a transfer at that price would be refused for.
    func price(_ body: NewQuote, for user: ID<User>) async throws -> Quotation {
        let sides = try await sides(of: body, for: user)
        let (from, target) = (sides.payer, sides.target)
        let rate = try await currentRate(from: from.currency, to: target)
        var amounts: (debit: Int64, credit: Int64)?
        if let amount = body.amount {
            let conversion = Conversion(from: from.currency, to: target)
            let found = try conversion.amounts(of: amount, at: rate)
            guard from.kind == .wallet || from.available >= found.debit else {
                throw APIError.insufficientFunds(
                    available: Money(minorUnits: from.available, from.currency)
                )
            }
            amounts = found
        }
        return Quotation(user: user, sides: sides, amounts: amounts, rate: rate)
    }

    /// Keeps a price until it expires.
    func keep(_ quotation: Quotation, in transaction: Transaction) async throws -> QuoteView {
        let (sides, amounts) = (quotation.sides, quotation.amounts)
        let (from, target) = (sides.payer, sides.target)
        let id = ID<Quote>.new()
        let expiresAt = Instant.now().adding(seconds: Self.seconds)
        let stored = quotation.rate.map(StoredRate.init)
        try await transaction.execute(
            TransferStatements.insertQuote,
            id,
            quotation.user,
            from.id,
            sides.payee?.id,
            sides.payee == nil ? target.code : nil,
            amounts?.debit,
            amounts?.credit,
            stored?.numerator,
            stored?.denominator,
            stored?.day,
            stored?.publisher,
            expiresAt
        )
        return QuoteView(
            id: id,
            fromAccountID: from.id,
            payee: sides.payee.map { masked($0.ownerName) },
            currency: target,
            amount: amounts.map { Money(minorUnits: $0.debit, from.currency) },
            converted: amounts.map { Money(minorUnits: $0.credit, target) },
            rate: quotation.rate?.view,
            fee: .zero(from.currency),
            expiresAt: expiresAt
        )
    }

    private func sides(of body: NewQuote, for user: ID<User>) async throws -> Sides {
        let targets = [body.toIBAN != nil, body.toAccountID != nil, body.toCurrency != nil]
        guard targets.filter(\.self).count == 1 else {
            throw APIError.field("/toIban", .required, "one of toIban, toAccountId, toCurrency")
        }
        if let currency = body.toCurrency {
            let payer = try await Parties.payer(body.fromAccountID, of: user, in: database)
            guard !payer.isClosed else { throw APIError(.accountClosed) }
            return Sides(payer: payer, payee: nil, target: currency)
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
        return Sides(payer: parties.from, payee: parties.to, target: parties.to.currency)
    }

    /// The newest row's; nil within one currency.
    /// - Throws: `rate-unavailable`, `rate-stale`.
    private func currentRate(
        from source: Currency,
        to target: Currency
    ) async throws -> ExchangeRate? {
        guard source != target else { return nil }
        let history = try await rates.history(on: blocking)
        return try history.moving(from: source, to: target, daysMax: rateDaysMax)
    }
}

extension APIError {
    /// `insufficient-funds` with the money that is available.
    fileprivate static func insufficientFunds(available: Money) -> APIError {
        APIError(
            .insufficientFunds,
            "\(available) is available: send less, or put money into the account first.",
            members: JSONTree(written: available).map { [JSONMember("available", $0)] } ?? []
        )
    }
}
