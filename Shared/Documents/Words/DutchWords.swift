extension StatementWords {
    static let dutch = StatementWords(
        language: "nl",
        title: "Rekeningafschrift",
        account: "Rekening",
        owner: "Rekeninghouder",
        period: "Periode",
        opening: "Beginsaldo",
        credits: "Bijgeschreven",
        debits: "Afgeschreven",
        closing: "Eindsaldo",
        date: "Datum",
        text: "Omschrijving",
        amount: "Bedrag",
        balance: "Saldo",
        nothing: "Geen transacties in deze periode.",
        made: "Gemaakt op {}",
        page: "Pagina {}"
    )
}
