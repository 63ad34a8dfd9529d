/// A moment: microseconds of UTC since 1970, written as RFC 3339.
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let microseconds: Int64

    /// The moment so many microseconds after 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The moment so many seconds after 1970, held at the ends of 64 bits.
    public init(secondsSince1970 seconds: Int64) {
        self = Instant(microseconds: 0).adding(seconds: seconds)
    }

    /// The first microsecond of the year 1.
    static let writtenMin: Int64 = -62_135_596_800_000_000
    /// The last microsecond of the year 9999.
    static let writtenMax: Int64 = 253_402_300_799_999_999

    /// The system's clock.
    ///
    /// Code that decides takes its time as a parameter.
    public static func now() -> Instant { Instant(microseconds: systemMicroseconds()) }

    /// Whole seconds since 1970, rounded down.
    public var secondsSince1970: Int64 { floorDivide(microseconds, 1_000_000) }

    /// The moment so many seconds later, held at the ends of 64 bits.
    public func adding(seconds: Int64) -> Instant {
        let (more, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return adding(microseconds: overflow ? (seconds > 0 ? .max : .min) : more)
    }

    /// The moment so many microseconds later, held at the ends of 64 bits.
    public func adding(microseconds more: Int64) -> Instant {
        let (sum, overflow) = microseconds.addingReportingOverflow(more)
        return Instant(microseconds: overflow ? (more > 0 ? .max : .min) : sum)
    }

    /// Microseconds from here to `other`.
    ///
    /// Wraps: only where they lie more than 290,000 years apart, as nothing in the calendar does.
    public func microseconds(to other: Instant) -> Int64 { other.microseconds &- microseconds }

    /// By time.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The moment written as RFC 3339: any offset, up to 9 digits of a second, no leap second.
    ///
    /// None where the offset leads out of the years 1 to 9999: it could not be written again.
    public init?(_ text: some StringProtocol) {
        self.init(Array(text.utf8)[...])
    }

    init?(_ text: ArraySlice<UInt8>) {
        var at = text.startIndex + 19
        guard text.count >= 20, text.count <= 35,
            let day = Day(text[text.startIndex..<text.startIndex + 10]),
            text[at - 9] == UInt8(ascii: "T"),
            let clock = Instant.seconds(text[at - 8..<at], withSeconds: true)
        else { return nil }
        var fraction = 0
        if text[at] == UInt8(ascii: ".") {
            let digits = text[(at + 1)...].prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard digits.count <= 9, let value = number(digits) else { return nil }
            fraction = value * Int(powersOfTen[9 - digits.count]) / 1_000
            at = digits.endIndex
        }
        guard let offset = Instant.offset(text[at...]) else { return nil }
        let seconds = Int64(day.daysSince1970) * 86_400 + Int64(clock - offset)
        self.init(microseconds: seconds * 1_000_000 + Int64(fraction))
        guard (Self.writtenMin...Self.writtenMax).contains(microseconds) else { return nil }
    }

    /// `hh:mm:ss` or `hh:mm` as seconds.
    private static func seconds(_ text: ArraySlice<UInt8>, withSeconds: Bool) -> Int? {
        let at = text.startIndex
        guard text.count == (withSeconds ? 8 : 5), text[at + 2] == UInt8(ascii: ":"),
            let hours = number(text[at..<at + 2]), hours < 24,
            let minutes = number(text[at + 3..<at + 5]), minutes < 60
        else { return nil }
        guard withSeconds else { return hours * 3_600 + minutes * 60 }
        guard text[at + 5] == UInt8(ascii: ":"), let seconds = number(text[at + 6..<at + 8]),
            seconds < 60
        else { return nil }
        return hours * 3_600 + minutes * 60 + seconds
    }

    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        switch text.first {
        case UInt8(ascii: "Z"): text.count == 1 ? 0 : nil
        case UInt8(ascii: "+"): seconds(text.dropFirst(), withSeconds: false)
        case UInt8(ascii: "-"): seconds(text.dropFirst(), withSeconds: false).map { -$0 }
        default: nil
        }
    }

    /// RFC 3339 in UTC, with no, three or six digits of a second: as many as it has.
    public var text: String {
        var writer = JSONWriter()
        writer.appendInstant(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Instant: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}
