extension StatementWords {
    static let hungarian = StatementWords(
        language: "hu",
        title: "Számlakivonat",
        account: "Számla",
        owner: "Számlatulajdonos",
        period: "Időszak",
        opening: "Nyitó egyenleg",
        credits: "Jóváírások",
        debits: "Terhelések",
        closing: "Záró egyenleg",
        date: "Dátum",
        text: "Leírás",
        amount: "Összeg",
        balance: "Egyenleg",
        nothing: "Ebben az időszakban nem volt tranzakció.",
        made: "Készült: {}",
        page: "{}. oldal"
    )
}
