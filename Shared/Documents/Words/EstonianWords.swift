extension StatementWords {
    static let estonian = StatementWords(
        language: "et",
        title: "Konto väljavõte",
        account: "Konto",
        owner: "Omanik",
        period: "Periood",
        opening: "Algsaldo",
        credits: "Sissetulekud",
        debits: "Väljaminekud",
        closing: "Lõppsaldo",
        date: "Kuupäev",
        text: "Selgitus",
        amount: "Summa",
        balance: "Saldo",
        nothing: "Sel perioodil tehinguid ei ole.",
        made: "Koostatud {}",
        page: "Lk {}"
    )
}
