package import WalletProtocol

/// A side of an entry: what an account gets.
package struct JournalPosting: Sendable, Hashable {
    /// The account, the topmost first.
    package var account: [String]
    /// Minor units.
    package var amount: Int128
    package var currency: Currency
    /// What the other side of an exchange has for all of it: a magnitude.
    package var cost: Total?

    /// All of it.
    package init(_ account: [String], _ amount: Int128, _ currency: Currency, cost: Total? = nil) {
        self.account = account
        self.amount = amount
        self.currency = currency
        self.cost = cost
    }
}

/// An entry of a journal; its sides sum to zero, at their costs.
package struct JournalEntryText: Sendable {
    package var day: Day
    /// What other programs know it by; empty: nothing.
    package var code: String
    package var payee: String
    package var note: String
    /// Further things about it: name and value.
    package var tags: [(name: String, value: String)]
    package var postings: [JournalPosting]

    /// All of it.
    package init(
        day: Day,
        code: String = "",
        payee: String,
        note: String = "",
        tags: [(name: String, value: String)] = [],
        postings: [JournalPosting]
    ) {
        self.day = day
        self.code = code
        self.payee = payee
        self.note = note
        self.tags = tags
        self.postings = postings
    }
}

/// A plain-text journal, as `hledger` and `ledger` read it.
///
/// An account's name ends at two spaces or a tab, a colon parts it, and `;` begins a comment. So
/// white space of every kind becomes one space, and what the syntax takes for its own becomes what
/// it does not: people read these names, and no program has to undo it.
/// Source: hledger 1.25, «Journal format»; Ledger 3.3, «Journal Format».
package struct JournalText {
    private var declared: Set<Currency> = []

    /// Nothing is written yet.
    package init() {}

    /// Entries in their order, each currency declared before its first amount.
    package mutating func append(_ entries: [JournalEntryText]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(entries.count * 240)
        for entry in entries {
            for posting in entry.postings {
                declare(posting.currency, in: &out)
                if let cost = posting.cost { declare(cost.currency, in: &out) }
            }
            Self.append(entry, to: &out)
        }
        return out
    }

    /// Declares a currency with its digits, or `1.234` could be a thousand.
    ///
    /// Without digits there is no form that both programs read, and no point in an amount.
    private mutating func declare(_ currency: Currency, in out: inout [UInt8]) {
        guard declared.insert(currency).inserted else { return }
        out.append(contentsOf: "commodity \(currency.code)\n".utf8)
        if currency.exponent > 0 {
            let digits = String(repeating: "0", count: currency.exponent)
            out.append(contentsOf: "    format 1000.\(digits) \(currency.code)\n".utf8)
        }
        out.append(0x0a)
    }

    private static func append(_ entry: JournalEntryText, to out: inout [UInt8]) {
        let words = [entry.payee, entry.note].map { line($0) }.filter { !$0.isEmpty }
        // A mark and a code, or a payee that begins as these do would be taken for one.
        out.append(contentsOf: "\(entry.day) * (\(entry.code)) ".utf8)
        out.append(contentsOf: words.joined(separator: " | ").utf8)
        out.append(0x0a)
        for (name, value) in entry.tags {
            out.append(contentsOf: "    ; \(name): \(comment(value))\n".utf8)
        }
        for posting in entry.postings {
            let amount = decimalText(posting.amount, exponent: posting.currency.exponent)
            out.append(contentsOf: "    \(account(posting.account))  \(amount) ".utf8)
            out.append(contentsOf: posting.currency.code.utf8)
            if let cost = posting.cost {
                out.append(contentsOf: " @@ \(cost.amount) \(cost.currency.code)".utf8)
            }
            out.append(0x0a)
        }
        out.append(0x0a)
    }

    /// An account's full name.
    package static func account(_ parts: [String]) -> String {
        parts.map { part($0) }.joined(separator: ":")
    }

    /// A name as a part of an account's.
    package static func part(_ name: String) -> String {
        let text = replaced(name) { scalar in
            switch scalar {
            case ":": "-"
            case ";": ","
            // A posting that begins with one of them does not count.
            case "[", "{": "("
            case "]", "}": ")"
            case "|", "\\": "/"
            case "\"": "'"
            default: scalar
            }
        }
        return text.isEmpty ? "Unnamed" : text
    }

    /// A payee or a note: `|` parts the two, `;` begins a comment.
    private static func line(_ text: String) -> String {
        replaced(text) { scalar in
            switch scalar {
            case ";": ","
            case "|": "/"
            default: scalar
            }
        }
    }

    /// A tag's value: a comma ends it, brackets and names with colons would be dates and tags.
    private static func comment(_ text: String) -> String {
        replaced(text) { scalar in
            switch scalar {
            case ",", ";": " "
            case ":": "-"
            case "[": "("
            case "]": ")"
            default: scalar
            }
        }
    }

    /// On one line, with single spaces, and each other scalar as `safe` has it.
    private static func replaced(
        _ text: String,
        _ safe: (Unicode.Scalar) -> Unicode.Scalar
    ) -> String {
        var scalars = String.UnicodeScalarView()
        var endsWithSpace = true
        for scalar in text.unicodeScalars {
            let shown = isSpace(scalar) ? " " : safe(scalar)
            if shown == " ", endsWithSpace { continue }
            scalars.append(shown)
            endsWithSpace = shown == " "
        }
        if endsWithSpace, !scalars.isEmpty { scalars.removeLast() }
        return String(scalars)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
            || scalar == "\u{feff}"
    }
}
