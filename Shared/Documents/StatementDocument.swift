/// A statement's head as it is set; sums are exact decimals, days are ISO 8601.
public struct PrintedTitle: Sendable, Hashable {
    /// Whose account.
    public var owner: String
    /// The account's name.
    public var account: String
    /// Its number, where it has one.
    public var iban: String
    /// ISO 4217.
    public var currency: String
    /// Digits behind the point.
    public var digits: Int
    /// The first day.
    public var from: String
    /// The last day.
    public var to: String
    /// When it was made, as an instant of RFC 3339.
    public var madeAt: String
    /// The day that it was then for its reader, ISO 8601.
    public var madeOn: String
    /// The language of headings, dates and sums, BCP 47.
    public var language: String
    /// How its reader writes days, such as `dd/MM/yyyy`; empty: as the language does.
    public var datePattern = ""
    /// The balance before the first day.
    public var opening: String
    /// What came in.
    public var credits: String
    /// What went out.
    public var debits: String
    /// The balance after the last day.
    public var closing: String

    /// All of it.
    public init(
        owner: String,
        account: String,
        iban: String,
        currency: String,
        digits: Int,
        from: String,
        to: String,
        madeAt: String,
        madeOn: String,
        language: String,
        opening: String,
        credits: String,
        debits: String,
        closing: String
    ) {
        self.owner = owner
        self.account = account
        self.iban = iban
        self.currency = currency
        self.digits = digits
        self.from = from
        self.to = to
        self.madeAt = madeAt
        self.madeOn = madeOn
        self.language = language
        self.opening = opening
        self.credits = credits
        self.debits = debits
        self.closing = closing
    }

    var texts: [String] {
        [
            owner, account, iban, currency, String(digits), from, to, madeAt, madeOn, language,
            opening, credits, debits, closing, datePattern,
        ]
    }

    init?(texts: [String]) {
        guard texts.count == 15, let digits = Int(texts[4]) else { return nil }
        self.init(
            owner: texts[0],
            account: texts[1],
            iban: texts[2],
            currency: texts[3],
            digits: digits,
            from: texts[5],
            to: texts[6],
            madeAt: texts[7],
            madeOn: texts[8],
            language: texts[9],
            opening: texts[10],
            credits: texts[11],
            debits: texts[12],
            closing: texts[13]
        )
        datePattern = texts[14]
    }
}

/// A statement's line as it is set.
public struct PrintedLine: Sendable, Hashable {
    /// The day, ISO 8601.
    public var day: String
    /// What it was.
    public var name: String
    /// More about it, and the other side's number.
    public var details: String
    /// An exact decimal, signed.
    public var amount: String
    /// The balance after it.
    public var balance: String

    /// All of it.
    public init(day: String, name: String, details: String, amount: String, balance: String) {
        self.day = day
        self.name = name
        self.details = details
        self.amount = amount
        self.balance = balance
    }

    static let fields = 5
    var texts: [String] { [day, name, details, amount, balance] }

    init(texts: ArraySlice<String>) {
        let at = texts.startIndex
        self.init(
            day: texts[at],
            name: texts[at + 1],
            details: texts[at + 2],
            amount: texts[at + 3],
            balance: texts[at + 4]
        )
    }
}

/// What goes between the service and the process that sets: a length of four bytes, highest first,
/// a kind, and the content.
enum DocumentFrame {
    /// What is within.
    ///
    /// To the process: a title, rows, the end; or a whole report. From it: bytes of the document,
    /// and that it is ready for more.
    enum Kind: UInt8 { case title = 1, rows, end, bytes, ready, report }

    /// No frame is longer.
    static let bytesMax = 64 << 20

    static func make(_ kind: Kind, _ content: [UInt8] = []) -> [UInt8] {
        length(content.count) + [kind.rawValue] + content
    }

    static func make(_ kind: Kind, _ texts: some Sequence<String>) -> [UInt8] {
        var content: [UInt8] = []
        for text in texts {
            content.append(contentsOf: length(text.utf8.count))
            content.append(contentsOf: text.utf8)
        }
        return make(kind, content)
    }

    static func texts(_ content: [UInt8]) -> [String] {
        var texts: [String] = []
        var at = 0
        while at + 4 <= content.count {
            let count = number(content[at..<at + 4])
            at += 4
            guard at + count <= content.count else { break }
            texts.append(String(decoding: content[at..<at + count], as: UTF8.self))
            at += count
        }
        return texts
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func length(_ count: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }
}
