extension StatementWords {
    static let slovak = StatementWords(
        language: "sk",
        title: "Výpis z účtu",
        account: "Účet",
        owner: "Majiteľ",
        period: "Obdobie",
        opening: "Počiatočný zostatok",
        credits: "Príjmy",
        debits: "Výdavky",
        closing: "Konečný zostatok",
        date: "Dátum",
        text: "Popis",
        amount: "Suma",
        balance: "Zostatok",
        nothing: "V tomto období nie sú žiadne pohyby.",
        made: "Vyhotovené {}",
        page: "Strana {}"
    )
}
