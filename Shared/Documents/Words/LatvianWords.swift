extension StatementWords {
    static let latvian = StatementWords(
        language: "lv",
        title: "Konta izraksts",
        account: "Konts",
        owner: "Īpašnieks",
        period: "Periods",
        opening: "Sākuma atlikums",
        credits: "Ieņēmumi",
        debits: "Izdevumi",
        closing: "Beigu atlikums",
        date: "Datums",
        text: "Apraksts",
        amount: "Summa",
        balance: "Atlikums",
        nothing: "Šajā periodā darījumu nav.",
        made: "Sagatavots {}",
        page: "{}. lapa"
    )
}
