extension StatementWords {
    static let swedish = StatementWords(
        language: "sv",
        title: "Kontoutdrag",
        account: "Konto",
        owner: "Kontohavare",
        period: "Period",
        opening: "Ingående saldo",
        credits: "Insättningar",
        debits: "Uttag",
        closing: "Utgående saldo",
        date: "Datum",
        text: "Beskrivning",
        amount: "Belopp",
        balance: "Saldo",
        nothing: "Inga transaktioner under perioden.",
        made: "Skapat {}",
        page: "Sida {}"
    )
}
