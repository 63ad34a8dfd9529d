import WalletProtocol

/// What is wrong with a written amount.
enum AmountFault: Error, Hashable {
    /// No number.
    case malformed
    /// Digits below the currency's minor unit.
    case tooFine
    /// More than an amount that is sent may be (`Money.sentMax`).
    case tooLarge
    /// In a currency of its own.
    case otherCurrency

    /// The reason, to be shown to the user.
    func detail(_ text: String, _ currency: Currency) -> String {
        let text = FileText.quoted(text)
        return switch self {
        case .malformed: "\(text) is no amount"
        case .tooFine: "\(text) has more decimals than \(currency.code)"
        case .tooLarge: "\(text) is too large"
        case .otherCurrency: "\(text) is not in \(currency.code)"
        }
    }
}

/// A number as a statement writes it: sign and currency read, separators not yet understood.
struct WrittenAmount: Hashable {
    /// Whether a minus or parentheses stand around it.
    private(set) var isNegative = false
    /// The currency beside it, where it is one's code or the sign of one alone.
    private(set) var currency: Currency?
    /// The currencies that its sign may be of: `$`.
    private(set) var candidates: [String] = []
    /// Whether a sign stands there, or `CR` or `DR`.
    private(set) var isSigned = false
    /// Digits, `.`, `,`, and `'` for every other separator of groups.
    private(set) var body: [UInt8] = []

    /// Whether all its digits are 0.
    var isZero: Bool { body.allSatisfy { !isDigit($0) || $0 == 0x30 } }

    /// The number in a field; nil when there is none.
    init?(_ text: String) {
        if takeDigits(text.utf8) { return }
        var words: [String.UnicodeScalarView] = [.init()]
        var signs = 0
        var parentheses = 0
        var isSpaceDue = false
        // `12,-` and `12.–`: no cents.
        var isFractionDashed = false
        for written in text.unicodeScalars.prefix(100) {
            let scalar = ForeignDigits.ascii(written)
            let isAfterMark = body.last.map { $0 == 0x2C || $0 == 0x2E } ?? false
            switch scalar {
            case "-", "\u{2212}", "\u{2013}", "\u{2014}":
                guard isAfterMark, body.count > 1, !isSpaceDue, words.count == 1 || isFractionDashed
                else { break }
                if words.count == 1 { words.append(.init()) }
                isFractionDashed = true
                continue
            default: isFractionDashed = false
            }
            switch scalar {
            // Marks of direction are around Arabic and Hebrew.
            case "\u{200E}", "\u{200F}", "\u{61C}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                continue
            case "0"..."9":
                guard words.count == 1 else { return nil }
                if isSpaceDue { body.append(UInt8(ascii: "'")) }
                isSpaceDue = false
                body.append(UInt8(scalar.value))
            case ".", ",", "'", "\u{2019}", "`":
                if words.count > 1 || (body.isEmpty && !words[0].isEmpty) {
                    words[words.count - 1].append(scalar)
                    continue
                }
                guard !isSpaceDue else { return nil }
                body.append(scalar == "." || scalar == "," ? UInt8(scalar.value) : 0x27)
            case " ", "\t", "\u{A0}", "\u{2009}", "\u{202F}":
                isSpaceDue = !body.isEmpty && words.count == 1
                if !words[words.count - 1].isEmpty { words[words.count - 1].append(" ") }
            case "-", "\u{2212}", "\u{2013}":
                isNegative = true
                signs += 1
                if !body.isEmpty && words.count == 1 { words.append(.init()) }
            case "+":
                signs += 1
                if !body.isEmpty && words.count == 1 { words.append(.init()) }
            case "(":
                guard body.isEmpty else { return nil }
                parentheses += 1
            case ")":
                guard !body.isEmpty else { return nil }
                parentheses += 3
                if words.count == 1 { words.append(.init()) }
            default:
                if !body.isEmpty && words.count == 1 { words.append(.init()) }
                words[words.count - 1].append(scalar)
            }
        }
        guard body.contains(where: { isDigit($0) }), signs + min(parentheses, 1) <= 1,
            parentheses == 0 || parentheses == 4, text.unicodeScalars.count <= 100
        else { return nil }
        if parentheses == 4 { isNegative = true }
        isSigned = signs > 0 || parentheses == 4
        guard takeWords(words.flatMap { $0.split(separator: " ") }) else { return nil }
    }

    /// Takes what stands beside the number: a currency, and the side it is on, each once at most.
    private mutating func takeWords(_ words: [Substring.UnicodeScalarView]) -> Bool {
        var sides = 0
        for word in words where !word.isEmpty {
            let word = String(String.UnicodeScalarView(word))
            if let isOut = WrittenAmount.sides[word.lowercased()] {
                guard !isSigned else { return false }
                isNegative = isOut
                sides += 1
                continue
            }
            guard currency == nil, candidates.isEmpty, take(word) else { return false }
        }
        guard sides <= 1 else { return false }
        isSigned = isSigned || sides == 1
        return true
    }

    /// Takes a sign, digits and marks: what most amounts are.
    private mutating func takeDigits(_ text: String.UTF8View) -> Bool {
        guard text.count <= 40, let first = text.first else { return false }
        let isMinus = first == UInt8(ascii: "-")
        let rest = isMinus || first == UInt8(ascii: "+") ? text.dropFirst() : text[...]
        guard rest.first.map({ isDigit($0) }) == true,
            rest.last.map({ isDigit($0) }) == true,
            rest.allSatisfy({ isDigit($0) || $0 == 0x2E || $0 == 0x2C || $0 == 0x27 })
        else { return false }
        body = Array(rest)
        isNegative = isMinus
        isSigned = rest.count < text.count
        return true
    }

    /// Words that say the side, and whether it is money out.
    private static let sides = ["cr": false, "dr": true, "db": true]

    /// Takes a word beside the number for its currency; false when it is none.
    private mutating func take(_ word: String) -> Bool {
        if let known = Currency(word.uppercased()) {
            currency = known
            return true
        }
        guard let codes = CurrencySigns.codes(of: word) else { return false }
        candidates = codes
        return true
    }

    /// The minor units, when `decimal` (`.` or `,`) stands before the fraction; what is finer is
    /// refused, or rounded half even.
    func minorUnits(
        decimal: UInt8,
        in currency: Currency,
        isRounding: Bool = false
    ) throws(AmountFault) -> Int64 {
        guard isIn(currency) else { throw .otherCurrency }
        let point = body.firstIndex(of: decimal) ?? body.endIndex
        guard let whole = WrittenAmount.ungrouped(body[..<point]) else { throw .malformed }
        var fraction = body[point...].dropFirst()
        guard fraction.allSatisfy({ isDigit($0) }) else { throw .malformed }
        var isUp = false
        if isRounding, fraction.count > currency.exponent {
            let rest = fraction.dropFirst(currency.exponent)
            fraction = fraction.prefix(currency.exponent)
            isUp = WrittenAmount.roundsUp(rest, after: fraction.last ?? whole.last ?? 0x30)
        }
        while fraction.count > currency.exponent {
            guard fraction.removeLast() == UInt8(ascii: "0") else { throw .tooFine }
        }
        var value: Int64 = 0
        let padding = repeatElement(UInt8(ascii: "0"), count: currency.exponent - fraction.count)
        for digits in [whole, Array(fraction), Array(padding)] {
            for digit in digits {
                let (product, high) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(Int64(digit & 0x0F))
                if high || carry { throw .tooLarge }
                value = sum
            }
        }
        if isUp {
            let (sum, isOver) = value.addingReportingOverflow(1)
            if isOver { throw .tooLarge }
            value = sum
        }
        return isNegative ? -value : value
    }

    /// Whether the digits that are left out are more than a half, or a half after an odd digit.
    private static func roundsUp(_ rest: ArraySlice<UInt8>, after digit: UInt8) -> Bool {
        guard let first = rest.first else { return false }
        if first != UInt8(ascii: "5") { return first > UInt8(ascii: "5") }
        return rest.dropFirst().contains { $0 != UInt8(ascii: "0") } || digit & 1 == 1
    }

    /// Whether what stands beside it is of the currency, or nothing is.
    func isIn(_ currency: Currency) -> Bool {
        if let own = self.currency, own != currency { return false }
        return candidates.isEmpty || candidates.contains(currency.code)
    }

    /// Rounds half to even where four decimals or more are told, as in `-10.1234`.
    ///
    /// Nil where there is nothing to round; three decimals may be a group of thousands.
    func rounded(decimal: UInt8, in currency: Currency) throws(AmountFault) -> Int64? {
        guard let point = body.firstIndex(of: decimal) else { return nil }
        let fraction = body[(point + 1)...]
        guard fraction.count > max(3, currency.exponent),
            fraction.allSatisfy({ isDigit($0) }),
            fraction.dropFirst(currency.exponent).contains(where: { $0 != 0x30 })
        else { return nil }
        return try minorUnits(decimal: decimal, in: currency, isRounding: true)
    }

    /// The digits of a whole number in groups: the first of one to three digits, those between of
    /// two (India) or three, the last of three, one separator all along.
    private static func ungrouped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard let separator = text.first(where: { !isDigit($0) }) else { return Array(text) }
        let groups = text.split(separator: separator, omittingEmptySubsequences: false)
        for (index, group) in groups.enumerated() {
            let sizes = index == 0 ? 1...3 : index == groups.count - 1 ? 3...3 : 2...3
            guard sizes.contains(group.count), group.allSatisfy({ isDigit($0) })
            else { return nil }
        }
        return Array(groups.joined())
    }
}

/// How the amounts of a file are written.
enum StatementAmounts {
    /// An amount of OFX: a sign, digits, a point or a comma; groups only where both are there.
    static func ofx(
        _ text: String,
        in currency: Currency,
        isRounding: Bool = false
    ) throws(AmountFault) -> Int64 {
        guard let first = text.utf8.first, first != UInt8(ascii: "("),
            text.utf8.dropFirst().allSatisfy({ isDigit($0) || ".,".utf8.contains($0) }),
            "+-.,0123456789".utf8.contains(first), let written = WrittenAmount(text)
        else { throw .malformed }
        let marks = written.body.filter { !isDigit($0) }
        // `1.234.567` may be a million or a mistake.
        if marks.count > 1 && Set(marks).count == 1 { throw .malformed }
        return try written.minorUnits(
            decimal: marks.last ?? UInt8(ascii: "."),
            in: currency,
            isRounding: isRounding
        )
    }

}

/// What a column of amounts tells of the mark before the fraction.
///
/// Each amount with `.` and `,`, with one of them before a count of digits other than three, or
/// with one twice is a vote.
struct DecimalVotes: Hashable {
    private static let point = UInt8(ascii: ".")
    private static let comma = UInt8(ascii: ",")
    private var points = 0
    private var commas = 0
    /// With three digits behind the one mark: a fraction, or thousands.
    private var unsurePoints = 0
    private var unsureCommas = 0
    private var unsureTens = 0
    private var unsureHundreds = 0

    /// A vote; nil where there is no mark to judge by.
    mutating func add(_ amount: WrittenAmount) {
        let (point, comma) = (Self.point, Self.comma)
        let body = amount.body
        guard let last = body.lastIndex(where: { $0 == point || $0 == comma }) else { return }
        let mark = body[last]
        let other = mark == point ? comma : point
        if body.contains(other) || body.contains(UInt8(ascii: "'")) {
            vote(mark)
        } else if body[..<last].contains(mark) {
            vote(other)
        } else if body.count - last - 1 != 3 || last > 3 || last == 0
            || (last == 1 && body[0] == UInt8(ascii: "0"))
        {
            vote(mark)
        } else {
            if mark == point { unsurePoints += 1 } else { unsureCommas += 1 }
            if body.last == 0x30 { unsureTens += 1 }
            if body.suffix(2).allSatisfy({ $0 == 0x30 }) { unsureHundreds += 1 }
        }
    }

    private mutating func vote(_ mark: UInt8) {
        if mark == Self.point { points += 1 } else { commas += 1 }
    }

    /// Whether an amount hangs on what has no vote.
    var isUnsure: Bool { unsurePoints + unsureCommas > 0 && points == commas }

    /// What the votes say; nil where they say nothing.
    var decided: UInt8? {
        points == commas ? nil : points > commas ? Self.point : Self.comma
    }

    /// What three digits that always end in 0, and not in 00, are: a fraction with a 0 too many.
    var padded: UInt8? {
        let unsure = unsurePoints + unsureCommas
        guard unsure >= 3, unsureTens == unsure, unsureHundreds * 2 < unsure,
            min(unsurePoints, unsureCommas) == 0
        else { return nil }
        return unsurePoints > 0 ? Self.point : Self.comma
    }

    /// Without a vote three digits after a mark are a group, unless the currency has three
    /// decimals.
    func guess(_ currency: Currency) -> UInt8 {
        let isPointMore = unsurePoints > unsureCommas
        if currency.exponent == 3 {
            return unsureCommas == 0 || isPointMore ? Self.point : Self.comma
        }
        return isPointMore ? Self.comma : Self.point
    }
}
