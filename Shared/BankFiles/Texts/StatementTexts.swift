/// The name and the description that a row gets from what a bank wrote.
package struct StatementTexts: Hashable {
    /// Never blank.
    let name: String
    /// What the name does not say.
    let description: String?

    /// The first of `names` that is not blank is the name, else the memo, the note, `last`.
    ///
    /// The memo is the description unless the name says all of it already; the note, such as the
    /// number of a cheque, is added to it.
    init(names: [String?], memo: String?, note: String? = nil, last: String? = nil) {
        let name = names.lazy.compactMap { $0.flatMap(StatementTexts.name) }.first
        let memo = memo.flatMap {
            FileText.line($0, scalarsMax: StatementLimits.descriptionMax)
        }
        let chosen =
            name ?? memo.flatMap(StatementTexts.name) ?? note ?? last.flatMap(StatementTexts.name)
            ?? "Unnamed"
        self.name = chosen
        let parts = [memo, note].compactMap { $0 }.filter { $0 != chosen }
        description =
            parts.isEmpty
            ? nil
            : FileText.line(
                parts.joined(separator: "; "),
                scalarsMax: StatementLimits.descriptionMax
            )
    }

    private static func name(_ text: String) -> String? {
        FileText.line(text, scalarsMax: StatementLimits.nameMax)
    }

    /// The bank's id; nil when it is blank, or so long that a cut could make two the same.
    static func reference(_ text: String?) -> String? {
        guard let text,
            let line = FileText.line(text, scalarsMax: StatementLimits.referenceMax + 1),
            line.unicodeScalars.count <= StatementLimits.referenceMax
        else { return nil }
        return line
    }

    /// An account's number as it is compared: capitals and digits, without the rest; nil when it is
    /// too short to tell accounts apart.
    package static func accountNumber(_ text: String?) -> String? {
        guard let text else { return nil }
        let kept = FileText.capitals(text.utf8.prefix(100)).filter {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
        }
        guard (5...64).contains(kept.count), kept.contains(where: { (0x31...0x39).contains($0) })
        else { return nil }
        return String(decoding: kept, as: UTF8.self)
    }

    /// The payer's id of a payment; nil where banks say that there is none.
    static func endToEnd(_ text: String?) -> String? {
        guard let line = text.flatMap({ FileText.line($0, scalarsMax: 70) }) else {
            return nil
        }
        return isNothing(line) || line.utf8.count < 6 ? nil : line
    }

    /// The text, unless it is what ISO 20022 has banks write where nothing was given.
    static func given(_ text: String?) -> String? {
        guard let text else { return nil }
        let isNothing =
            text.utf8.count < 64 && accountLetters(text).elementsEqual("NOTPROVIDED".utf8)
        return isNothing ? nil : text
    }

    private static func accountLetters(_ text: String) -> [UInt8] {
        FileText.capitals(text.utf8).filter {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
        }
    }

    /// Whether it is what banks write where there is nothing to tell.
    static func isNothing(_ text: String) -> Bool {
        let letters = FileText.capitals(text.utf8.prefix(64)).filter {
            (0x41...0x5A).contains($0)
        }
        let nothing = ["NOTPROVIDED", "NONREF", "NONE", "NOREF", "NA"]
        return nothing.contains { letters.elementsEqual($0.utf8) }
    }
}
