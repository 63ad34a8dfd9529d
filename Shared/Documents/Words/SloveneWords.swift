extension StatementWords {
    static let slovene = StatementWords(
        language: "sl",
        title: "Izpisek računa",
        account: "Račun",
        owner: "Imetnik",
        period: "Obdobje",
        opening: "Začetno stanje",
        credits: "Prilivi",
        debits: "Odlivi",
        closing: "Končno stanje",
        date: "Datum",
        text: "Opis",
        amount: "Znesek",
        balance: "Stanje",
        nothing: "V tem obdobju ni transakcij.",
        made: "Izdelano {}",
        page: "Stran {}"
    )
}
