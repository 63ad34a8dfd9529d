/// Words in the fields of CSV files, in the languages that banks write them in.
enum CSVWords {
    /// Whether money comes in; nil where the text says neither.
    static func isIn(_ text: String) -> Bool? {
        switch StatementText.line(text, scalarsMax: 4) {
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
        "depense", "cargo", "gasto", "out", "outgoing", "withdrawal", "af", "minus",
    ]

    private static let ins: Set<String> = [
        "h", "c", "cr", "crdt", "credit", "credits", "haben", "gutschrift", "eingang", "einnahme",
        "a", "avere", "haber", "credito", "accredito", "entrata", "entrate", "entree", "recette",
        "abono", "ingreso", "in", "incoming", "deposit", "bij", "plus",
    ]

    /// Whether a row's status says that it is not booked, or never will be.
    static func isUnbooked(_ text: String) -> Bool {
        guard !text.isEmpty else { return false }
        return unbooked.contains(CSVColumns.plain(text))
    }

    private static let unbooked: Set<String> = [
        "pending", "processing", "authorised", "authorized", "not booked", "unbooked", "reverted",
        "declined", "rejected", "failed", "cancelled", "canceled", "expired", "pdng",
        "vorgemerkt", "umsatz vorgemerkt", "vormerkung", "offen", "ausstehend", "nicht gebucht",
        "abgelehnt", "non contabilizzato", "non contabilizzata", "da contabilizzare", "in sospeso",
        "in attesa", "rifiutato", "annullato", "en attente", "en cours", "a venir",
        "non comptabilise", "refuse", "annule", "pendiente", "en proceso", "no contabilizado",
        "rechazado", "rechazada", "anulado", "anulada", "retenido",
    ]
}
