extension StatementWords {
    static let norwegian = StatementWords(
        language: "nb",
        title: "Kontoutskrift",
        account: "Konto",
        owner: "Kontohaver",
        period: "Periode",
        opening: "Inngående saldo",
        credits: "Inn",
        debits: "Ut",
        closing: "Utgående saldo",
        date: "Dato",
        text: "Beskrivelse",
        amount: "Beløp",
        balance: "Saldo",
        nothing: "Ingen transaksjoner i denne perioden.",
        made: "Laget {}",
        page: "Side {}"
    )
}
