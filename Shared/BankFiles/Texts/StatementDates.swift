import WalletProtocol

/// The days of OFX and of CSV.
enum StatementDates {
    /// The calendar day of an OFX date and time, as written: its offset is not applied.
    ///
    /// `YYYYMMDD[HH[MM[SS]]][.XXX][[offset[:zone]]]`; some banks write `:XXX` for the fraction.
    /// Source: OFX 2.2, section 3.2.8.2.
    static func ofx(_ text: String) -> Day? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 8, let year = digits(bytes[0..<4]), let month = digits(bytes[4..<6]),
            let day = digits(bytes[6..<8])
        else { return nil }
        var rest = bytes[8...]
        let time = rest.prefix { isDigit($0) }
        guard [0, 2, 4, 6].contains(time.count) else { return nil }
        rest = rest.dropFirst(time.count)
        if let mark = rest.first, ".,:".utf8.contains(mark) {
            let fraction = rest.dropFirst().prefix { isDigit($0) }
            guard (1...9).contains(fraction.count) else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
        }
        rest = rest.drop { $0 == 0x20 }
        if rest.first == UInt8(ascii: "[") {
            guard rest.last == UInt8(ascii: "]"), rest.count <= 40 else { return nil }
            rest = []
        }
        return rest.isEmpty ? Day(year: year, month: month, day: day) : nil
    }

    /// Which of two numbers before the year is the day.
    enum Order: Hashable, Sendable {
        /// `31/12/2024`.
        case dayFirst
        /// `12/31/2024`.
        case monthFirst
        /// `24/12/31`; four digits in front are a year in any order.
        case yearFirst
    }

    /// What a column of days tells of their order.
    struct Evidence: Hashable {
        /// What a row decides; nil where none does.
        var order: Order?
        /// The number, from 0, of the first that could be read both ways.
        var doubtful: Int?
        /// Whether the order is the likelier of two.
        var isUnsure = false
    }

    /// The order that rows decide, and whether one hangs on it.
    ///
    /// A first part over 12 anywhere makes it day first, else a second part over 12 month first.
    /// Days with dots are day first, or year first, and do not count. Where years have two digits
    /// they may stand in front: `ShortYears`.
    static func evidence(of column: some Sequence<String>, asOf today: Day? = nil) -> Evidence {
        var evidence = Evidence()
        var years = ShortYears()
        var isDecided = false
        for (index, text) in column.enumerated() {
            guard let parts = Parts(ForeignDigits.ascii(text)), !parts.isYearFirst else { continue }
            years.add(parts, index)
            guard !isDecided, parts.separator != UInt8(ascii: ".") else { continue }
            if parts.first > 12 {
                evidence.order = .dayFirst
                isDecided = true
            } else if parts.second > 12 {
                evidence.order = .monthFirst
            } else if evidence.doubtful == nil, parts.first != parts.second {
                evidence.doubtful = index
            }
        }
        guard let found = years.verdict(otherwise: evidence.order ?? .dayFirst, asOf: today) else {
            return evidence
        }
        if found.order == .yearFirst {
            (evidence.order, evidence.doubtful) = (.yearFirst, nil)
        }
        if !found.isSure { (evidence.isUnsure, evidence.doubtful) = (true, found.index) }
        return evidence
    }

    /// The day that a spreadsheet counts so: from 30 December 1899, of 1970 to 2099.
    private static func counted(_ text: String) -> Day? {
        let number = text.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard number.count == 5, let count = digits(Array(number)[...]),
            (25_569...73_050).contains(count),
            text.utf8.dropFirst(6).allSatisfy(isDigit)
        else { return nil }
        return Day(daysSince1970: count - 25_569)
    }

    /// The day of a CSV field, its time of day left out; nil when it is none.
    static func csv(_ text: String, order: Order) -> Day? {
        let text = ForeignDigits.ascii(text)
        guard let parts = Parts(text) else { return counted(text) ?? MonthNames.day(text) }
        if parts.isYearFirst {
            return Day(year: parts.first, month: parts.second, day: parts.third)
        }
        if order == .yearFirst {
            return Day(year: 2_000 + parts.first, month: parts.second, day: parts.third % 100)
        }
        let isMonthFirst = order == .monthFirst && parts.separator != UInt8(ascii: ".")
        return Day(
            year: parts.third,
            month: isMonthFirst ? parts.first : parts.second,
            day: isMonthFirst ? parts.second : parts.first
        )
    }

    /// Three numbers of a written day.
    struct Parts {
        let first: Int
        let second: Int
        let third: Int
        let separator: UInt8
        let isYearFirst: Bool
        /// Whether all three have two digits.
        private(set) var isShort = false

        init?(_ text: String) {
            var bytes = Array(text.utf8.prefix(64).drop { $0 <= 0x20 })
            CSVDates.simplify(&bytes)
            // What follows a space, a `T` or a comma is a time of day.
            if let end = bytes.firstIndex(where: { $0 <= 0x20 || " T,".utf8.contains($0) }) {
                bytes.removeSubrange(end...)
            }
            if bytes.count == 8, let whole = digits(bytes[...]) {
                self.init(whole / 10_000, whole / 100 % 100, whole % 100, 0, isYearFirst: true)
                return
            }
            guard let mark = bytes.firstIndex(where: { !isDigit($0) }),
                "./-".utf8.contains(bytes[mark]) || (mark == 4 && bytes[mark] == 0x3A)
            else { return nil }
            var fields = bytes.split(separator: bytes[mark], omittingEmptySubsequences: false)
            // `31.12.` with the year left out is no day, but `31.12.2024.` is one.
            if fields.count == 4, fields[3].isEmpty { fields.removeLast() }
            guard fields.count == 3, let first = digits(fields[0]),
                let second = digits(fields[1]), fields[1].count <= 2, let third = digits(fields[2])
            else { return nil }
            if fields[0].count == 4, fields[2].count <= 2 {
                self.init(first, second, third, bytes[mark], isYearFirst: true)
                return
            }
            guard fields[0].count <= 2, fields[2].count == 4 || fields[2].count == 2
            else { return nil }
            let century = fields[2].count == 4 ? 0 : third < 70 ? 2_000 : 1_900
            self.init(first, second, century + third, bytes[mark], isYearFirst: false)
            isShort = fields.allSatisfy { $0.count == 2 }
        }

        private init(
            _ first: Int,
            _ second: Int,
            _ third: Int,
            _ separator: UInt8,
            isYearFirst: Bool
        ) {
            self.first = first
            self.second = second
            self.third = third
            self.separator = separator
            self.isYearFirst = isYearFirst
        }
    }
}

/// The number that these digits, at most eight, make.
private func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard !bytes.isEmpty, bytes.count <= 8, bytes.allSatisfy(isDigit) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
}
