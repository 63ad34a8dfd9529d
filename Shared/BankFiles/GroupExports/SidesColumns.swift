import WalletProtocol

/// The columns of a file that states both sides of each row, by their names.
struct SidesColumns {
    private(set) var roles: [SidesVocabulary.Role: Int] = [:]
    /// By the names of people.
    private(set) var paid: [String: Int] = [:]
    private(set) var borne: [(name: String, column: Int)] = []
    private(set) var converted: (column: Int, currency: Currency)?
    private let vocabulary: SidesVocabulary

    init(_ header: [String], _ vocabulary: SidesVocabulary) {
        self.vocabulary = vocabulary
        var others: [String: Int] = [:]
        for (index, field) in header.enumerated() {
            let written = FileText.line(field, scalarsMax: 200) ?? ""
            let name = written.lowercased()
            if let role = vocabulary.role(name) {
                if roles[role] == nil { roles[role] = index }
            } else if let person = SidesColumns.person(written, name, vocabulary.payers) {
                if paid[person] == nil { paid[person] = index }
            } else if let person = SidesColumns.person(written, name, vocabulary.bearers) {
                borne.append((person, index))
            } else if converted == nil,
                vocabulary.converted.contains(where: { name.hasPrefix($0) }),
                let currency = SidesColumns.currency(written)
            {
                converted = (index, currency)
            } else {
                others[written] = index
            }
        }
        if borne.isEmpty, vocabulary.format == .tricount { findBearers(among: others) }
    }

    private static func person(
        _ written: String,
        _ name: String,
        _ prefixes: [String]
    ) -> String? {
        guard let prefix = prefixes.first(where: { name.hasPrefix($0) }) else { return nil }
        return String(written.dropFirst(prefix.count))
    }

    /// `(EUR)` at the end.
    private static func currency(_ name: String) -> Currency? {
        guard name.hasSuffix(")") else { return nil }
        return Currency(name.dropLast().suffix(3))
    }

    /// Finds bearers by the shape of their columns: the same word before each person who has paid.
    ///
    /// So another translation of that word is read, too. Each row proves it, for both sides have to
    /// sum to its amount.
    private mutating func findBearers(among others: [String: Int]) {
        let people = paid.sorted { $0.value < $1.value }.map(\.key)
        guard people.count > 1, let first = people.first else { return }
        for heading in others.keys.sorted() where heading.hasSuffix(" " + first) {
            let word = heading.dropLast(first.count)
            let columns = people.compactMap { others[word + $0] }
            guard columns.count == people.count else { continue }
            borne = zip(people, columns).map { ($0, $1) }
            return
        }
    }

    /// Whether all that a file of the app needs is there.
    var isComplete: Bool {
        let isPaid = roles[.payer] != nil || !paid.isEmpty
        guard vocabulary.needed.allSatisfy({ roles[$0] != nil }), !borne.isEmpty, isPaid
        else { return false }
        return vocabulary.format != .tricount || roles[.currency] != nil || converted != nil
    }
}
