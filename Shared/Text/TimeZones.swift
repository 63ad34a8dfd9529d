internal import CICU

// Safety: a calendar is opened and closed within one call; buffers are lent for its duration.

/// Time zones of the IANA database, as ICU carries it.
public enum TimeZones {
    /// Whether the database knows the name (`Europe/Rome`); offsets such as `GMT+2` are no names.
    public static func isKnown(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            name == "UTC" || name.contains("/")
        else { return false }
        let id = Array(name.utf16)
        var canonical = [UInt16](repeating: 0, count: 128)
        var status = U_ZERO_ERROR
        let count = unsafe ezwallet_canonical_time_zone(
            id,
            Int32(id.count),
            &canonical,
            Int32(canonical.count),
            &status
        )
        return status.rawValue <= 0 && count > 0
    }

    /// The calendar day of an instant in a zone; nil where the zone is not known.
    public static func civilDay(
        ofMicroseconds microseconds: Int64,
        in zone: String
    ) -> (year: Int, month: Int, day: Int)? {
        unsafe withCalendar(zone) { calendar, status in
            let millis = (microseconds >= 0 ? microseconds : microseconds - 999) / 1_000
            unsafe ezwallet_set_millis(calendar, Double(millis), &status)
            return unsafe (
                Int(ezwallet_calendar_year(calendar, &status)),
                Int(ezwallet_calendar_month(calendar, &status)),
                Int(ezwallet_calendar_day(calendar, &status))
            )
        }
    }

    /// The instant at which a day begins in a zone, in microseconds since 1970.
    ///
    /// Where a change of clocks skips midnight, the first instant that there is.
    public static func startOfDay(
        year: Int,
        month: Int,
        day: Int,
        in zone: String
    ) -> Int64? {
        unsafe withCalendar(zone) { calendar, status in
            unsafe ezwallet_set_day(
                calendar,
                Int32(clamping: year),
                Int32(clamping: month),
                Int32(clamping: day),
                &status
            )
            return unsafe Int64(ezwallet_get_millis(calendar, &status)) * 1_000
        }
    }

    private static func withCalendar<Value>(
        _ zone: String,
        _ body: (UnsafeMutablePointer<UCalendar?>, inout UErrorCode) -> Value
    ) -> Value? {
        guard isKnown(zone) else { return nil }
        let id = Array(zone.utf16)
        var status = U_ZERO_ERROR
        guard let calendar = unsafe ezwallet_open_calendar(id, Int32(id.count), &status) else {
            return nil
        }
        defer { unsafe ezwallet_close_calendar(calendar) }
        let value = unsafe body(calendar, &status)
        return status.rawValue <= 0 ? value : nil
    }
}
