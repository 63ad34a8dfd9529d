import WalletProtocol

/// The names of columns in the files of an app that states both sides of each row.
struct SidesVocabulary {
    /// What a column says of a row.
    enum Role: CaseIterable {
        case title, amount, currency, day, category, type, payer, description
    }

    let format: GroupImportFormat
    /// Names of columns, in lower case.
    let names: [Role: Set<String>]
    /// What stands before a person's name in the columns of who paid.
    let payers: [String]
    /// What stands before a person's name in the columns of who bears.
    let bearers: [String]
    /// Columns that a file must have.
    let needed: [Role]
    /// Before the currency of a group, which stands in parentheses: the amounts in it.
    var converted: [String] = []

    func role(_ name: String) -> Role? {
        Role.allCases.first { names[$0]?.contains(name) == true }
    }

    /// English, French, German and Dutch.
    static let tricount = SidesVocabulary(
        format: .tricount,
        names: [
            .title: [
                "title", "titre", "intitulé", "titel", "bezeichnung", "beschreibung",
                "omschrijving", "beschrijving",
            ],
            .amount: ["amount", "montant", "betrag", "bedrag"],
            .currency: ["currency", "devise", "währung", "valuta", "munteenheid"],
            .day: [
                "date & time", "date & heure", "date et heure", "date", "datum & uhrzeit",
                "datum und uhrzeit", "datum & zeit", "datum und zeit", "datum & tijd",
                "datum en tijd", "datum",
            ],
            .category: ["category", "catégorie", "kategorie", "categorie"],
            .type: [
                "transaction type", "type de transaction", "type", "transaktionstyp",
                "transaktionsart", "art der transaktion", "typ", "art", "transactietype",
                "type transactie", "soort transactie", "soort",
            ],
            .payer: ["paid by", "payé par", "bezahlt von", "gezahlt von", "betaald door"],
        ],
        payers: ["paid by ", "payé par ", "bezahlt von ", "gezahlt von ", "betaald door "],
        bearers: [
            "impacted to ", "impacté à ", "paid for ", "payé pour ", "pour ", "bezahlt für ",
            "gezahlt für ", "für ", "anteil von ", "auswirkung auf ", "betaald voor ", "voor ",
            "aandeel van ", "impact op ",
        ],
        needed: [.title, .amount, .day],
        converted: ["amount in ", "montant en ", "montant dans ", "betrag in ", "bedrag in "]
    )

    /// The layout with what was paid by and for each person, which states no sum.
    static let sesterce = SidesVocabulary(
        format: .sesterce,
        names: [
            .title: ["title", "description"], .currency: ["currency"], .day: ["date"],
            .category: ["category"],
        ],
        payers: ["paid by "],
        bearers: ["paid for "],
        needed: [.title, .day]
    )

    /// Our own table of a group's expenses.
    static let ezwallet = SidesVocabulary(
        format: .ezwallet,
        names: [
            .title: [GroupTableColumns.name], .amount: [GroupTableColumns.amount],
            .currency: [GroupTableColumns.currency], .day: [GroupTableColumns.date],
            .category: [GroupTableColumns.category], .type: [GroupTableColumns.kind],
            .description: [GroupTableColumns.description],
        ],
        payers: [GroupTableColumns.paidBy],
        bearers: [GroupTableColumns.shareOf],
        needed: [.title, .amount, .currency, .day, .type]
    )
}

/// The columns of our own table of a group's expenses; two for each person follow them.
package enum GroupTableColumns {
    static let date = "date"
    static let kind = "kind"
    static let name = "name"
    static let currency = "currency"
    static let amount = "amount"
    static let category = "category"
    static let description = "description"

    /// In their order.
    ///
    /// The currency stands before the amount, which tells it from Splitwise's.
    package static let all = [
        date, kind, name, currency, amount, category, description, "tags",
    ]

    /// Before the name of a person: what they paid.
    package static let paidBy = "paid by "
    /// Before the name of a person: what they bear.
    package static let shareOf = "share of "

    /// The kind of a row that is a payment between two people.
    package static let settlement = "settlement"
}
