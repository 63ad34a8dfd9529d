import Text
public import WalletProtocol

extension Day {
    /// The first moment of the day in a time zone; of an unknown one in UTC.
    public func start(in zone: String) -> Instant {
        let (year, month, day) = parts
        return TimeZones.startOfDay(year: year, month: month, day: day, in: zone)
            .map { Instant(microseconds: $0) } ?? startUTC
    }
}
