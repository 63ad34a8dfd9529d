/// Amounts that are to be shown in one currency.
public struct ConversionOrder: JSONObject, Hashable {
    public let currency: Currency
    public let amounts: [Total]
    public let days: [Day]?

    public init(currency: Currency, amounts: [Total], days: [Day]? = nil) {
        self.currency = currency
        self.amounts = amounts
        self.days = days
    }

    /// How many are converted at once.
    public static let amountsMax = 10_000

    public static let json = Object(
        ConversionOrder.init,
        Field("currency", \.currency, about: "Into which."),
        Field("amounts", \.amounts, .count(0...amountsMax), about: "What, in any currency."),
        Field(
            "days",
            \.days,
            .count(0...amountsMax),
            about: "Of each the day whose rate counts, one for each amount; today where left out."
        )
    )
}

/// One of them, where there is a rate.
public struct ConversionOutcome: JSONObject, Hashable {
    public let converted: ConvertedAmount?

    public init(converted: ConvertedAmount?) { self.converted = converted }

    public static let json = Object(
        ConversionOutcome.init,
        Field("converted", \.converted, about: "Absent where there is no rate.")
    )
}

/// What the ledger converts for other services.
public enum InternalRates {
    /// At the rates of the newest row on or before the day; in the order of the amounts.
    public static let convert = Endpoint<NoQuery, ConversionOrder, Page<ConversionOutcome>>(
        "convertAmounts",
        .put,
        "/internal/conversions",
        of: .ledger,
        for: .internalService,
        bodyLimit: 1 << 20,
        summary: "Convert amounts for show"
    )
}
