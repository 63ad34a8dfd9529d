extension StatementWords {
    static let italian = StatementWords(
        language: "it",
        title: "Estratto conto",
        account: "Conto",
        owner: "Intestatario",
        period: "Periodo",
        opening: "Saldo iniziale",
        credits: "Entrate",
        debits: "Uscite",
        closing: "Saldo finale",
        date: "Data",
        text: "Descrizione",
        amount: "Importo",
        balance: "Saldo",
        nothing: "Nessun movimento in questo periodo.",
        made: "Emesso il {}",
        page: "Pagina {}"
    )
}
