extension StatementWords {
    static let czech = StatementWords(
        language: "cs",
        title: "Výpis z účtu",
        account: "Účet",
        owner: "Majitel",
        period: "Období",
        opening: "Počáteční zůstatek",
        credits: "Příjmy",
        debits: "Výdaje",
        closing: "Konečný zůstatek",
        date: "Datum",
        text: "Popis",
        amount: "Částka",
        balance: "Zůstatek",
        nothing: "V tomto období nejsou žádné pohyby.",
        made: "Vyhotoveno {}",
        page: "Strana {}"
    )
}
