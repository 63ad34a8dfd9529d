extension StatementWords {
    static let danish = StatementWords(
        language: "da",
        title: "Kontoudtog",
        account: "Konto",
        owner: "Kontohaver",
        period: "Periode",
        opening: "Startsaldo",
        credits: "Indbetalinger",
        debits: "Udbetalinger",
        closing: "Slutsaldo",
        date: "Dato",
        text: "Beskrivelse",
        amount: "Beløb",
        balance: "Saldo",
        nothing: "Ingen posteringer i denne periode.",
        made: "Dannet {}",
        page: "Side {}"
    )
}
