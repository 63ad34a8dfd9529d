/// Words by which exports tell rows apart.
enum GroupWords {
    /// Splitwise's category of payments, by language: English, German, French, Italian and
    /// Portuguese, Spanish, Dutch.
    private static let payments: Set<String> = [
        "payment", "zahlung", "paiement", "pagamento", "pago", "betaling",
    ]

    static func isPayment(_ category: String) -> Bool {
        payments.contains(category.lowercased())
    }

    /// What a row is by its type.
    enum Kind {
        case expense, income, transfer
    }

    /// The kinds of Tricount's and Sesterce's rows, in English, French, German and Dutch.
    private static let kinds: [Kind: Set<String>] = [
        .expense: [
            "expense", "dépense", "ausgabe", "ausgaben", "uitgave", "uitgaven",
        ],
        .income: [
            "income", "money received", "rentrée d'argent", "revenu", "einnahme", "einnahmen",
            "geldeingang", "inkomsten", "inkomst", "inkomen", "ontvangen geld", "geld ontvangen",
        ],
        .transfer: [
            "money transfer", "transfer", "reimbursement", "balance", "transfert d'argent",
            "transfert", "remboursement", "geldtransfer", "überweisung",
            "geldüberweisung", "umbuchung", "rückzahlung", "ausgleich", "geldoverdracht",
            "overdracht", "overschrijving", "geldoverschrijving", "overboeking", "terugbetaling",
        ],
    ]

    /// The kind that a word means; nil for a word that is not known.
    static func kind(_ word: String) -> Kind? {
        let word = word.lowercased()
        return kinds.first { $0.value.contains(word) }?.key
    }
}
