import Text

/// Words in the fields of CSV files, in the languages that banks write them in.
enum CSVWords {
    /// Whether money comes in; nil where the text says neither.
    static func isIn(_ text: String) -> Bool? {
        switch FileText.line(text, scalarsMax: 4) {
        case "+": return true
        case "-", "\u{2212}", "\u{2013}": return false
        default: break
        }
        let word = CSVColumns.plain(text)
        return ins.contains(word) ? true : outs.contains(word) ? false : nil
    }

    private static let outs: Set<String> = [
        "s", "d", "dr", "db", "dbit", "debit", "debits", "soll", "belastung", "lastschrift",
        "ausgang", "ausgabe", "dare", "debe", "debito", "addebito", "uscita", "uscite", "sortie",
        "depense", "cargo", "gasto", "out", "outgoing", "withdrawal", "af", "minus", "debet",
        "ut", "ud", "obciazenie", "wydatek", "wyplata", "vydaj", "odchozi", "terheles", "kiadas",
        "saida", "расход", "дебет", "списание", "sale", "payment out", "spend", "spending", "dbet",
    ]

    private static let ins: Set<String> = [
        "h", "c", "cr", "crdt", "credit", "credits", "haben", "gutschrift", "eingang", "einnahme",
        "a", "avere", "haber", "credito", "accredito", "entrata", "entrate", "entree", "recette",
        "abono", "ingreso", "in", "incoming", "deposit", "bij", "plus", "kredit", "inn", "ind",
        "uznanie", "wplyw", "wplata", "prijem", "prichozi", "jovairas", "bevetel", "entrada",
        "приход", "кредит", "зачисление", "refund", "payment in", "return",
    ]

    /// Whether a row's status says that it is not booked, or never will be.
    static func isUnbooked(_ text: String) -> Bool {
        guard !text.isEmpty else { return false }
        return unbooked.contains(CSVColumns.plain(text))
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

    private static let payments = [
        " payment received ", " payment thank you ", " autopay ", " automatic payment ",
        " online payment ", " zahlung erhalten ", " zahlung eingegangen ", " einzahlung ",
        " pagamento ricevuto ", " paiement recu ", " pago recibido ", " betaling ontvangen ",
    ]

    private static let unbooked: Set<String> = [
        "pending", "processing", "authorised", "authorized", "not booked", "unbooked", "reverted",
        "declined", "rejected", "failed", "cancelled", "canceled", "expired", "pdng",
        "vorgemerkt", "umsatz vorgemerkt", "vormerkung", "offen", "ausstehend", "nicht gebucht",
        "abgelehnt", "non contabilizzato", "non contabilizzata", "da contabilizzare", "in sospeso",
        "in attesa", "rifiutato", "annullato", "en attente", "en cours", "a venir",
        "non comptabilise", "refuse", "annule", "pendiente", "en proceso", "no contabilizado",
        "rechazado", "rechazada", "anulado", "anulada", "retenido", "oczekujaca", "odrzucona",
        "cekajici", "zamitnuto", "elutasitva", "fuggo", "pendente", "recusado", "reserverat",
        "reservation", "in behandeling", "geweigerd", "в обработке", "отклонено", "отменено",
    ]
}

extension Unicode.Scalar {
    /// Hyphens and dashes from U+2010 to U+2015.
    fileprivate var isDash: Bool { ("\u{2010}"..."\u{2015}").contains(self) }
}
