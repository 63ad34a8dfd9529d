extension StatementWords {
    static let polish = StatementWords(
        language: "pl",
        title: "Wyciąg z konta",
        account: "Konto",
        owner: "Posiadacz",
        period: "Okres",
        opening: "Saldo początkowe",
        credits: "Wpływy",
        debits: "Wydatki",
        closing: "Saldo końcowe",
        date: "Data",
        text: "Opis",
        amount: "Kwota",
        balance: "Saldo",
        nothing: "Brak operacji w tym okresie.",
        made: "Sporządzono {}",
        page: "Strona {}"
    )
}
