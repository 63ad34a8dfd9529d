extension StatementWords {
    static let croatian = StatementWords(
        language: "hr",
        title: "Izvod po računu",
        account: "Račun",
        owner: "Vlasnik",
        period: "Razdoblje",
        opening: "Početno stanje",
        credits: "Priljevi",
        debits: "Odljevi",
        closing: "Završno stanje",
        date: "Datum",
        text: "Opis",
        amount: "Iznos",
        balance: "Stanje",
        nothing: "U ovom razdoblju nema transakcija.",
        made: "Izrađeno {}",
        page: "Stranica {}"
    )
}
