extension StatementWords {
    static let finnish = StatementWords(
        language: "fi",
        title: "Tiliote",
        account: "Tili",
        owner: "Tilinomistaja",
        period: "Kausi",
        opening: "Alkusaldo",
        credits: "Panot",
        debits: "Otot",
        closing: "Loppusaldo",
        date: "Päivä",
        text: "Selite",
        amount: "Määrä",
        balance: "Saldo",
        nothing: "Ei tapahtumia tällä kaudella.",
        made: "Laadittu {}",
        page: "Sivu {}"
    )
}
