import Text

/// Words in the fields of CSV files, in the languages that banks write them in.
enum CSVWords {
    /// What a row's status says.
    enum Booking {
        /// Nothing, or that it is booked.
        case booked
        /// That it is not booked, or never will be.
        case unbooked
        /// Something that nobody knows.
        case unknown
    }

    /// Whole texts first, then single words, of which «not» may stand before one.
    static func booking(_ text: String) -> Booking {
        let words = CSVVocabulary.shipped
        let plain = CSVColumns.plain(text)
        if words.has(plain, .booked) || isNothing(text) { return .booked }
        if words.has(plain, .unbooked) { return .unbooked }
        let parts = plain.split(separator: " ").map(String.init)
        let isBooked = parts.contains { words.has($0, .booked) }
        if parts.contains(where: { words.has($0, .unbooked) }) {
            return isBooked ? .unknown : .unbooked
        }
        guard isBooked else { return .unknown }
        return parts.contains { words.has($0, .not) } ? .unbooked : .booked
    }

    /// What texts say; the few that there are in a column are looked at once each.
    struct Memory<Meaning> {
        private let meaning: (String) -> Meaning
        private var known: [String: Meaning] = [:]

        init(of meaning: @escaping (String) -> Meaning) {
            self.meaning = meaning
        }

        mutating func recall(_ text: String) -> Meaning {
            if let known = known[text] { return known }
            let meaning = meaning(text)
            if known.count < 100 { known[text] = meaning }
            return meaning
        }
    }

    /// Whether a field says that nothing is there: blank, a dash, `n/a`.
    static func isNothing(_ text: String) -> Bool {
        guard let text = FileText.line(text, scalarsMax: 5)?.lowercased() else { return true }
        return isDash(text) || ["n/a", "na", "nil", "none", "null"].contains(text)
    }

    /// Whether a field has dashes alone.
    static func isDash(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "-" || $0 == "\u{2212}" || $0.isDash }
    }

    /// Whether a text tells of what pays a card off.
    static func isPayment(_ text: String) -> Bool {
        let plain = " " + CSVColumns.plain(text) + " "
        return payments.contains { plain.utf8.range(of: $0) != nil }
    }

    private static let payments = CSVVocabulary.shipped.words(.payment).map { " \($0) " }
}

extension Unicode.Scalar {
    /// Hyphens and dashes from U+2010 to U+2015.
    fileprivate var isDash: Bool { ("\u{2010}"..."\u{2015}").contains(self) }
}
