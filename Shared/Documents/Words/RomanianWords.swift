extension StatementWords {
    static let romanian = StatementWords(
        language: "ro",
        title: "Extras de cont",
        account: "Cont",
        owner: "Titular",
        period: "Perioada",
        opening: "Sold inițial",
        credits: "Intrări",
        debits: "Ieșiri",
        closing: "Sold final",
        date: "Data",
        text: "Descriere",
        amount: "Suma",
        balance: "Sold",
        nothing: "Nicio tranzacție în această perioadă.",
        made: "Întocmit la {}",
        page: "Pagina {}"
    )
}
