/// A calendar day of the proleptic Gregorian calendar, 0001-01-01 to 9999-12-31.
public struct Day: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    public let daysSince1970: Int32

    /// The day so many days after 1970-01-01; nil outside the years 1 to 9999.
    public init?(daysSince1970 days: Int) {
        guard days >= -719_162 && days <= 2_932_896 else { return nil }
        daysSince1970 = Int32(days)
    }

    private init(unchecked days: Int) {
        daysSince1970 = Int32(days)
    }

    /// The day with these parts; nil when there is none.
    public init?(year: Int, month: Int, day: Int) {
        guard let month = Month(year: year, month: month), day >= 1, day <= month.dayCount
        else { return nil }
        self.init(unchecked: Day.days(month.year, month.month, day))
    }

    /// The day written `YYYY-MM-DD`; nil else.
    public init?(_ text: some StringProtocol) {
        self.init(Array(text.utf8)[...])
    }

    init?(_ text: ArraySlice<UInt8>) {
        let at = text.startIndex
        guard text.count == 10, text[at + 4] == UInt8(ascii: "-"),
            text[at + 7] == UInt8(ascii: "-"), let year = number(text[at..<at + 4]),
            let month = number(text[at + 5..<at + 7]), let day = number(text[at + 8..<at + 10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The UTC day of an instant.
    public init?(utc instant: Instant) {
        self.init(daysSince1970: Int(floorDivide(instant.microseconds, 86_400_000_000)))
    }

    /// Year, month and day of the month.
    public var parts: (year: Int, month: Int, day: Int) {
        // Howard Hinnant, "chrono-compatible low-level date algorithms": eras of 400 years.
        let shifted = Int(daysSince1970) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The month it is in.
    public var month: Month {
        let (year, month, _) = parts
        return Month(uncheckedYear: year, month: month)
    }

    /// Monday 1 to Sunday 7 (ISO 8601).
    public var weekday: Int { (Int(daysSince1970) + 719_162) % 7 + 1 }

    /// The day so many days later; nil outside the years 1 to 9999.
    public func adding(days: Int) -> Day? {
        let (sum, overflow) = Int(daysSince1970).addingReportingOverflow(days)
        return overflow ? nil : Day(daysSince1970: sum)
    }

    /// The same day so many months later, or that month's last: 31 January and one is 28 February.
    public func adding(months: Int) -> Day? {
        guard let target = month.adding(months) else { return nil }
        return Day(year: target.year, month: target.month, day: min(parts.day, target.dayCount))
    }

    /// Days from here to `other`.
    public func days(to other: Day) -> Int { Int(other.daysSince1970) - Int(daysSince1970) }

    /// Midnight UTC at its start.
    public var startUTC: Instant { Instant(microseconds: Int64(daysSince1970) * 86_400_000_000) }

    /// `YYYY-MM-DD`.
    public var text: String {
        var writer = JSONWriter()
        writer.appendDay(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// By time.
    public static func < (left: Day, right: Day) -> Bool {
        left.daysSince1970 < right.daysSince1970
    }

    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Day: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

/// A calendar month, 0001-01 to 9999-12.
public struct Month: Hashable, Comparable, Sendable {
    /// The year, 1 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int

    /// The month with these parts; nil when there is none.
    public init?(year: Int, month: Int) {
        guard year >= 1 && year <= 9_999 && month >= 1 && month <= 12 else { return nil }
        self.init(uncheckedYear: year, month: month)
    }

    init(uncheckedYear year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    /// The month written `YYYY-MM`; nil else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 7, bytes[4] == UInt8(ascii: "-"), let year = number(bytes[0..<4]),
            let month = number(bytes[5..<7])
        else { return nil }
        self.init(year: year, month: month)
    }

    /// `YYYY-MM`.
    public var text: String { String(firstDay.text.prefix(7)) }

    /// How many days it has.
    public var dayCount: Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Its first day.
    public var firstDay: Day { day(1) }

    /// Its last day.
    public var lastDay: Day { day(dayCount) }

    private func day(_ number: Int) -> Day {
        // Cannot fire: every month of the calendar has its first day and its last (`dayCount`).
        guard let day = Day(year: year, month: month, day: number) else {
            preconditionFailure("a month without day \(number)")
        }
        return day
    }

    /// The month so many months later; nil outside the years 1 to 9999.
    public func adding(_ months: Int) -> Month? {
        let (index, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
        guard !overflow, index >= 12 else { return nil }
        return Month(year: index / 12, month: index % 12 + 1)
    }

    /// By time.
    public static func < (left: Month, right: Month) -> Bool {
        (left.year, left.month) < (right.year, right.month)
    }
}

extension Month: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

/// The number that all of these digits make; nil when there is anything else, or nothing.
func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    var value = 0
    for byte in digits {
        // Wraps: what stands before the digits comes out above them.
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int(digit)
    }
    return value
}

/// Division that rounds towards minus infinity.
func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
}
