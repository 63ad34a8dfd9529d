/// How a zone goes on after its last listed change: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// Source: POSIX.1-2017, 8.3 (`TZ`), with RFC 8536's hours of -167 to 167.
struct ZoneRule: Sendable, Hashable {
    private let standard: Int
    /// What is different in summer; nil: nothing.
    private let summer: Summer?

    private struct Summer: Hashable {
        let offset: Int
        let start: Moment
        let end: Moment
    }

    /// A moment of every year by its clock.
    private struct Moment: Hashable {
        enum Day: Hashable {
            /// The last, or the n-th, such weekday of a month; 0 is Sunday.
            case weekday(month: Int, week: Int, day: Int)
            /// 1 to 365, without 29 February.
            case ofCommonYear(Int)
            /// 0 to 365.
            case ofYear(Int)
        }
        let day: Day
        let seconds: Int

        /// Seconds since 1970 by the clock of that place.
        func local(year: Int) -> Int {
            let first = CivilDate.days(year: year, month: 1, day: 1)
            let number: Int
            switch day {
            case .weekday(let month, let week, let day):
                let start = CivilDate.days(year: year, month: month, day: 1)
                let next = CivilDate.days(
                    year: month == 12 ? year + 1 : year,
                    month: month % 12 + 1,
                    day: 1
                )
                // 1970-01-01 was a Thursday.
                let weekday = ((start + 4) % 7 + 7) % 7
                var found = start + (day - weekday + 7) % 7 + (week - 1) * 7
                if found >= next { found -= 7 }
                number = found
            case .ofCommonYear(let day):
                let isLeap = CivilDate.days(year: year + 1, month: 1, day: 1) - first == 366
                number = first + day - 1 + (isLeap && day >= 60 ? 1 : 0)
            case .ofYear(let day): number = first + day
            }
            return number * 86_400 + seconds
        }
    }

    /// Nil where the text is no rule; of an empty one there is nothing to go on with.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard Self.skipName(&rest), let west = Self.time(&rest, hoursMax: 24) else { return nil }
        standard = -west
        guard !rest.isEmpty else {
            summer = nil
            return
        }
        guard Self.skipName(&rest) else { return nil }
        var offset = standard + 3_600
        if rest.first != UInt8(ascii: ",") {
            guard let west = Self.time(&rest, hoursMax: 24) else { return nil }
            offset = -west
        }
        guard let start = Self.moment(&rest), let end = Self.moment(&rest), rest.isEmpty else {
            return nil
        }
        summer = Summer(offset: offset, start: start, end: end)
    }

    /// Seconds east of UTC at an instant.
    func offset(at seconds: Int) -> Int {
        guard let summer else { return standard }
        let days = CivilDate.floorDivide(seconds + standard, 86_400)
        let year = CivilDate.date(days: days).year
        let start = summer.start.local(year: year) - standard
        let end = summer.end.local(year: year) - summer.offset
        // South of the equator summer spans the turn of the year.
        let isSummer =
            start < end
            ? seconds >= start && seconds < end : seconds >= start || seconds < end
        return isSummer ? summer.offset : standard
    }

    /// When the offset changes after one instant and up to another, ascending.
    func changes(after start: Int, to end: Int) -> [Int] {
        guard let summer, start < end else { return [] }
        let years = [start, end].map {
            CivilDate.date(days: CivilDate.floorDivide($0, 86_400)).year
        }
        let all = (years[0] - 1...years[1] + 1).flatMap { year in
            [
                summer.start.local(year: year) - standard,
                summer.end.local(year: year) - summer.offset,
            ]
        }
        return all.filter { $0 > start && $0 <= end }.sorted()
    }

    // MARK: Reading

    /// Letters, or anything between `<` and `>`.
    private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if rest.first == UInt8(ascii: "<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let name = rest.prefix { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        rest = rest.dropFirst(name.count)
        return !name.isEmpty
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private static func time(_ rest: inout ArraySlice<UInt8>, hoursMax: Int) -> Int? {
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard let hours = number(&rest), hours <= hoursMax else { return nil }
        var seconds = hours * 3_600
        for unit in [60, 1] where rest.first == UInt8(ascii: ":") {
            rest = rest.dropFirst()
            guard let part = number(&rest), part < 60 else { return nil }
            seconds += part * unit
        }
        return isNegative ? -seconds : seconds
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// `,Mm.w.d`, `,Jn` or `,n`, each with `/time` where it is not 2 o'clock.
    private static func moment(_ rest: inout ArraySlice<UInt8>) -> Moment? {
        guard rest.first == UInt8(ascii: ",") else { return nil }
        rest = rest.dropFirst()
        guard let day = day(&rest) else { return nil }
        guard rest.first == UInt8(ascii: "/") else { return Moment(day: day, seconds: 7_200) }
        rest = rest.dropFirst()
        guard let seconds = time(&rest, hoursMax: 167) else { return nil }
        return Moment(day: day, seconds: seconds)
    }

    private static func day(_ rest: inout ArraySlice<UInt8>) -> Moment.Day? {
        switch rest.first {
        case UInt8(ascii: "J"):
            rest = rest.dropFirst()
            return number(&rest).flatMap { (1...365).contains($0) ? .ofCommonYear($0) : nil }
        case UInt8(ascii: "M"):
            var parts: [Int] = []
            for _ in 0..<3 {
                rest = rest.dropFirst()
                guard let part = number(&rest) else { return nil }
                parts.append(part)
            }
            guard (1...12).contains(parts[0]), (1...5).contains(parts[1]), parts[2] < 7 else {
                return nil
            }
            return .weekday(month: parts[0], week: parts[1], day: parts[2])
        default: return number(&rest).flatMap { $0 < 366 ? .ofYear($0) : nil }
        }
    }
}
