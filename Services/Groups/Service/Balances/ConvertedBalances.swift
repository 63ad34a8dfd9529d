import ServiceKit
import WalletProtocol

/// What groups asks of the ledger about rates.
struct RateLedger {
    /// Amounts as they are shown in a currency, each at the rate of a day or all of today; nil
    /// where there is no rate.
    var convert: ([Total], [Day]?, Currency) async throws -> [ConvertedAmount?]

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> RateLedger {
        RateLedger { amounts, days, currency in
            try await client.call(
                InternalRates.convert,
                query: NoQuery(),
                body: ConversionOrder(currency: currency, amounts: amounts, days: days)
            ).items.map(\.converted)
        }
    }
}

/// Balances in the group's currency, for show.
struct ConvertedBalances {
    /// Of each member who has any with a rate.
    private(set) var sums: [ID<Member>: Total] = [:]
    private(set) var rates: [Currency: RateView] = [:]
    /// How many have no rate, or cannot be asked for one now.
    private(set) var unconverted = 0

    /// Asks for rates only where there is another currency; a ledger that is away leaves them out.
    init(
        of balances: [BalanceRow],
        in currency: Currency,
        by ledger: RateLedger
    ) async throws(MoneyError) {
        let foreign = balances.filter { $0.amount.currency != currency }
        for own in balances where own.amount.currency == currency {
            try add(Total(own.amount), of: own.member)
        }
        unconverted = foreign.count
        var rest = foreign[...]
        while !rest.isEmpty {
            let some = rest.prefix(ConversionOrder.amountsMax)
            rest = rest.dropFirst(ConversionOrder.amountsMax)
            let asked = some.map { Total($0.amount) }
            guard let shown = try? await ledger.convert(asked, nil, currency) else { return }
            for (balance, converted) in zip(some, shown) {
                guard let converted else { continue }
                try add(converted.amount, of: balance.member)
                rates[balance.amount.currency] = converted.rate
                unconverted -= 1
            }
        }
    }

    private mutating func add(_ amount: Total, of member: ID<Member>) throws(MoneyError) {
        sums[member] = try sums[member]?.adding(amount) ?? amount
    }
}
