/// Texts of `:86:` in which words say what follows: `NAAM: …`, `TYT.: …`.
extension MT940Details {
    /// Reads such a text; false where it is none.
    mutating func readLabels(_ lines: [String]) -> Bool {
        readPolish(lines.joined()) || readDutchLabels(lines.joined(separator: "\n"))
    }

    private static let dutchLabels = [
        "IBAN", "BIC", "NAAM", "OMSCHRIJVING", "KENMERK", "MACHTIGING", "INCASSANT",
        "BETALINGSKENM.", "REK",
    ].flatMap { [$0, $0.prefix(1) + $0.dropFirst().lowercased()] }

    /// `SEPA OVERBOEKING IBAN: … BIC: … NAAM: … OMSCHRIJVING: …`, as ABN AMRO has it, in lines that
    /// break anywhere; `REK: …/NAAM: …` and the purpose on lines of its own, as Knab has it.
    private mutating func readDutchLabels(_ text: String) -> Bool {
        let parts = MT940Details.parts(of: text, MT940Details.dutchLabels) { "\($0): " }
        let labels = Set(parts.map { $0.mark.uppercased() })
        guard labels.contains("NAAM"), !labels.isDisjoint(with: ["IBAN", "REK", "OMSCHRIJVING"])
        else { return false }
        for (mark, value) in parts {
            switch mark.uppercased() {
            case "": kind = kind ?? FileText.line(value, scalarsMax: StatementLimits.nameMax)
            case "IBAN", "REK":
                counterparty =
                    counterparty
                    ?? MT940Details.accountNumber(in: value)
                    ?? StatementTexts.accountNumber(value)
            case "NAAM":
                let end = labels.contains("REK") ? value.firstIndex(of: "\n") : nil
                let whole = value[..<(end ?? value.endIndex)]
                name =
                    name ?? FileText.line(String(whole), scalarsMax: StatementLimits.nameMax)
                if let end { add(String(value[end...])) }
            case "OMSCHRIJVING": add(value)
            default: break
            }
        }
        return true
    }

    /// `…; OD: name; TYT.: purpose; …` and `DLA:`, as mBank has it.
    private mutating func readPolish(_ text: String) -> Bool {
        var values: [String: String] = [:]
        for part in text.split(separator: ";", maxSplits: 32) {
            let part = part.drop { $0 == " " }
            for label in ["OD:", "DLA:", "TYT.:"] where part.hasPrefix(label) {
                values[label] = values[label] ?? String(part.dropFirst(label.utf8.count))
            }
        }
        guard let purpose = values["TYT.:"], let payee = values["OD:"] ?? values["DLA:"] else {
            return false
        }
        name = name ?? FileText.line(payee, scalarsMax: StatementLimits.nameMax)
        counterparty = counterparty ?? MT940Details.accountNumber(in: text)
        add(purpose)
        return true
    }

    /// The text behind the other side's number and its name, where `:61:` has told the name and
    /// the text repeats both, as ASN and SNS do; nil where it does not.
    func rest(behind name: String) -> String? {
        guard let purpose, let number = counterparty,
            let told = FileText.line(name, scalarsMax: StatementLimits.nameMax)
        else { return nil }
        let bytes = Array(purpose.utf8)
        guard bytes.starts(with: number.utf8) else { return nil }
        let behind = bytes[number.utf8.count...].drop { $0 == 0x20 }
        guard FileText.capitals(behind).starts(with: FileText.capitals(told.utf8)) else {
            return nil
        }
        return String(decoding: behind.dropFirst(told.utf8.count), as: UTF8.self)
    }
}
