import ServiceKit
import WalletProtocol

/// The settings of analytics.
enum AnalyticsVariables {
    static let usersMin = Variable(
        "EZWALLET_INSIGHTS_USERS_MIN",
        "distinct users below which a figure of everybody is suppressed",
        kind: .integer(3...100_000),
        default: "10"
    )
    static let hours = Variable(
        "EZWALLET_INSIGHTS_HOURS",
        "hours from one release of everybody's figures to the next, at least",
        kind: .integer(1...8_784),
        default: "24"
    )
    static let runningMonths = Variable(
        "EZWALLET_INSIGHTS_RUNNING_MONTHS",
        "whether a month is released while it runs, not only from the third day after its end; "
            + "of few users it hides most figures of the month for good",
        kind: .choice(["yes", "no"]),
        default: "no"
    )
    static let currencies = Variable(
        "EZWALLET_INSIGHTS_CURRENCIES",
        "currencies that everybody's figures can be asked in, by commas; a month is kept in `EUR` "
            + "where it is among them, else in the first, and told in others at the mean of its "
            + "rates",
        default: "EUR"
    )

    static let all: [Variable] = [usersMin, hours, runningMonths, currencies]
}

extension ReleaseSettings {
    /// - Throws: where a currency is none.
    init(_ settings: Settings) throws(ConfigurationError) {
        let names = Variable.names(in: settings.text(AnalyticsVariables.currencies))
        let currencies = names.compactMap { Currency($0) }
        guard currencies.count == names.count, !currencies.isEmpty else {
            throw ConfigurationError(
                faults: ["\(AnalyticsVariables.currencies.name): ISO 4217 codes are needed"]
            )
        }
        self.init(
            usersMin: settings.integer(AnalyticsVariables.usersMin),
            currencies: currencies,
            hours: settings.integer(AnalyticsVariables.hours),
            tellsRunningMonths: settings.text(AnalyticsVariables.runningMonths) == "yes"
        )
    }
}
