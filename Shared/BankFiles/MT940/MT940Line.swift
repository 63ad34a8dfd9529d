import WalletProtocol

/// A statement line (`:61:`) as it is written.
///
/// `6!n[4!n]2a[1!a]15d1!a3!c16x[//16x]`, and on the next line `34x`. Source: SWIFT, MT940 field 61.
struct MT940Line: Hashable {
    /// The entry's day where it is told and is one, else the value's.
    let day: Day
    /// Whether money comes in; a reversal of a credit (`RC`) goes out.
    let isIn: Bool
    /// Expected (`EC`, `ED`): not booked.
    let isExpected: Bool
    let isReversal: Bool
    /// Digits and a comma.
    let amount: String
    /// Four characters: `NTRF`.
    let kind: String
    /// What the owner calls it.
    let ownerReference: String?
    /// What the bank calls it.
    let bankReference: String?
    /// What follows the references, and the supplementary details.
    let details: String

    /// What is wrong with a line.
    enum Fault: Error, Hashable {
        case noDay, badDay(String), noSide, noAmount
    }

    /// The line in its lines of text: a break that some system made inside the head is mended.
    init(_ lines: [String]) throws(Fault) {
        var head = Array((lines.first ?? "").utf8)
        var rest = lines.dropFirst()
        for _ in 0..<2 {
            guard !MT940Line.hasAmount(head), let next = rest.popFirst() else { break }
            head += Array(next.utf8)
        }
        try self.init(head, details: rest.joined(separator: " "))
    }

    private static func hasAmount(_ head: [UInt8]) -> Bool {
        guard let side = head.firstIndex(where: { "CD".utf8.contains($0) }) else { return false }
        return head[side...].contains { isDigit($0) }
    }

    private init(_ bytes: [UInt8], details: String) throws(Fault) {
        var rest = bytes[...].drop { $0 <= 0x20 }
        let digits = rest.prefix { isDigit($0) }
        rest = rest.dropFirst(digits.count)
        guard [6, 8, 10, 12].contains(digits.count) else { throw .noDay }
        let isLong = digits.count == 8 || digits.count == 12
        let value = digits.prefix(isLong ? 8 : 6)
        day = try MT940Line.day(value, entry: digits.dropFirst(value.count))
        rest = rest.drop { $0 <= 0x20 }
        let mark = rest.first.map { $0 & 0xDF } ?? 0
        isReversal = mark == UInt8(ascii: "R")
        isExpected = mark == UInt8(ascii: "E")
        if isReversal || isExpected { rest = rest.dropFirst() }
        switch rest.first.map({ $0 & 0xDF }) {
        case UInt8(ascii: "C"): isIn = !isReversal
        case UInt8(ascii: "D"): isIn = isReversal
        default: throw .noSide
        }
        rest = rest.dropFirst()
        // The third letter of the currency, or nothing.
        if let funds = rest.first, isLetter(funds) { rest = rest.dropFirst() }
        rest = rest.drop { $0 <= 0x20 }
        let amount = rest.prefix { isDigit($0) || $0 == 0x2C || $0 == 0x2E }
        guard amount.contains(where: isDigit) else { throw .noAmount }
        self.amount = String(decoding: amount, as: UTF8.self)
        rest = rest.dropFirst(amount.count)
        // `NTRF`; others than SWIFT's own begin with F or S, and some banks pad with spaces.
        let hasKind = rest.first.map { "NFS".utf8.contains($0) } ?? false
        kind = hasKind ? String(decoding: rest.prefix(4), as: UTF8.self) : ""
        if hasKind { rest = rest.dropFirst(4) }
        var references = MT940Line.split(rest)
        // Without a bank's reference some banks write a name behind the owner's 16 characters.
        if references.bank == nil, references.owner.count > 16 {
            references.more = references.owner.dropFirst(16)
            references.owner = references.owner.prefix(16)
        } else if let bank = references.bank, bank.count > 34 {
            references.more = bank.dropFirst(34)
            references.bank = bank.prefix(34)
        }
        ownerReference = MT940Line.reference(references.owner)
        bankReference = references.bank.flatMap(MT940Line.reference)
        let more = String(decoding: references.more, as: UTF8.self)
        self.details = more.isEmpty ? details : details.isEmpty ? more : "\(more) \(details)"
    }

    private static func split(
        _ text: ArraySlice<UInt8>
    ) -> (owner: ArraySlice<UInt8>, bank: ArraySlice<UInt8>?, more: ArraySlice<UInt8>) {
        var index = text.startIndex
        while index + 1 < text.endIndex {
            if text[index] == UInt8(ascii: "/"), text[index + 1] == UInt8(ascii: "/") {
                return (text[..<index], text[(index + 2)...], [])
            }
            index += 1
        }
        return (text, nil, [])
    }

    private static func reference(_ text: ArraySlice<UInt8>) -> String? {
        let written = StatementTexts.reference(String(decoding: text, as: UTF8.self))
        let nothing = ["NONREF", "KREF+", "EREF", "EREF+", "PREF", "PREF+", "NOREF", "X", "+"]
        return written.flatMap { nothing.contains($0.uppercased()) ? nil : $0 }
    }

    /// The entry's day, in the year nearest to the value's; the value's where the entry has none.
    private static func day(
        _ value: ArraySlice<UInt8>,
        entry: ArraySlice<UInt8>
    ) throws(Fault) -> Day {
        let valueDay = StatementDates.mt940(value)
        if entry.count == 4 {
            let yearDigits = value.count == 8 ? value.prefix(4) : value.prefix(2)
            let written = yearDigits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            let year = value.count == 8 ? written : StatementDates.fullYear(written)
            let around = (year - 1)...(year + 1)
            let month = entry.prefix(2).reduce(0) { $0 * 10 + Int($1 - 0x30) }
            let day = entry.suffix(2).reduce(0) { $0 * 10 + Int($1 - 0x30) }
            let days = around.compactMap { Day(year: $0, month: month, day: day) }
            guard let valueDay else {
                if let same = days.first(where: { $0.parts.year == year }) { return same }
                throw .badDay(String(decoding: value, as: UTF8.self))
            }
            let nearest = days.min { abs($0.days(to: valueDay)) < abs($1.days(to: valueDay)) }
            if let nearest { return nearest }
        }
        guard let valueDay else { throw .badDay(String(decoding: value, as: UTF8.self)) }
        return valueDay
    }
}

/// A balance (`:60F:`, `:62F:` and their kin): `1!a6!n3!a15d`.
struct MT940Balance: Hashable {
    let isIn: Bool
    let day: Day?
    /// Absent in some closing balances: then it is that of the opening one.
    let currency: String?
    let amount: String

    /// nil for what is none.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...].drop { $0 <= 0x20 }
        switch rest.first.map({ $0 & 0xDF }) {
        case UInt8(ascii: "C"): isIn = true
        case UInt8(ascii: "D"): isIn = false
        default: return nil
        }
        rest = rest.dropFirst()
        let digits = rest.prefix(6).prefix { isDigit($0) }
        guard digits.count == 6 else { return nil }
        day = StatementDates.mt940(digits)
        rest = rest.dropFirst(6)
        let letters = rest.prefix(3).prefix { isLetter($0) }
        guard letters.isEmpty || letters.count == 3 else { return nil }
        currency =
            letters.isEmpty ? nil : String(decoding: FileText.capitals(letters), as: UTF8.self)
        rest = rest.dropFirst(letters.count).drop { $0 <= 0x20 }
        let amount = rest.prefix { isDigit($0) || $0 == 0x2C || $0 == 0x2E }
        let tail = rest.dropFirst(amount.count)
        guard amount.contains(where: isDigit), tail.allSatisfy({ $0 <= 0x20 }) else { return nil }
        self.amount = String(decoding: amount, as: UTF8.self)
    }
}

extension StatementDates {
    /// The day of `YYMMDD` or `YYYYMMDD`.
    ///
    /// Banks count every month as 30 days, and write 30 February for its last.
    static func mt940(_ digits: ArraySlice<UInt8>) -> Day? {
        guard digits.count == 6 || digits.count == 8, digits.allSatisfy(isDigit) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        let year = digits.count == 8 ? number / 10_000 : fullYear(number / 10_000)
        let (month, day) = (number / 100 % 100, number % 100)
        if month == 2, day == 29 || day == 30 {
            return Day(year: year, month: month, day: day)
                ?? Day(year: year, month: month, day: 29)
                ?? Day(year: year, month: month, day: 28)
        }
        return Day(year: year, month: month, day: day)
    }

    /// Of two digits.
    static func fullYear(_ year: Int) -> Int { year < 80 ? 2_000 + year : 1_900 + year }
}
