extension StatementWords {
    static let german = StatementWords(
        language: "de",
        title: "Kontoauszug",
        account: "Konto",
        owner: "Inhaber",
        period: "Zeitraum",
        opening: "Anfangssaldo",
        credits: "Eingänge",
        debits: "Ausgänge",
        closing: "Endsaldo",
        date: "Datum",
        text: "Beschreibung",
        amount: "Betrag",
        balance: "Saldo",
        nothing: "Keine Umsätze in diesem Zeitraum.",
        made: "Erstellt am {}",
        page: "Seite {}"
    )
}
