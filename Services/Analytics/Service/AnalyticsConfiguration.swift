import ServiceKit

/// The settings of analytics.
enum AnalyticsVariables {
    static let usersMin = Variable(
        "EZWALLET_INSIGHTS_USERS_MIN",
        "distinct users below which a figure of everybody is suppressed",
        kind: .integer(3...100_000),
        default: "10"
    )

    static let all: [Variable] = [usersMin]
}
