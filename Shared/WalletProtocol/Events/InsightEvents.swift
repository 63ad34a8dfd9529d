/// Everybody's figures of a month are there to be asked for: which month, and no figure of it.
///
/// Told once a month, to nobody in particular.
public struct InsightsMonthReleased: EventBody, Hashable {
    /// `wallet.insights-month.released.v1`.
    public static let eventType = "wallet.insights-month.released.v1"
    public let month: Month

    public init(month: Month) { self.month = month }

    public static let json = Object(
        InsightsMonthReleased.init,
        Field("month", \.month, about: "The month.")
    )
}
