extension StatementWords {
    static let french = StatementWords(
        language: "fr",
        title: "Relevé de compte",
        account: "Compte",
        owner: "Titulaire",
        period: "Période",
        opening: "Solde initial",
        credits: "Entrées",
        debits: "Sorties",
        closing: "Solde final",
        date: "Date",
        text: "Description",
        amount: "Montant",
        balance: "Solde",
        nothing: "Aucune opération sur cette période.",
        made: "Établi le {}",
        page: "Page {}"
    )
}
