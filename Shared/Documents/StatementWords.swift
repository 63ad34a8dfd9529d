/// The words of a statement, in the languages that the suite speaks.
struct StatementWords: Sendable {
    let title: String
    let account: String
    let iban: String
    let owner: String
    let period: String
    let opening: String
    let credits: String
    let debits: String
    let closing: String
    let date: String
    let text: String
    let amount: String
    let balance: String
    let nothing: String
    let made: String
    /// `Page 3`.
    let page: String

    static let english = StatementWords(
        title: "Account statement",
        account: "Account",
        iban: "IBAN",
        owner: "Holder",
        period: "Period",
        opening: "Opening balance",
        credits: "Money in",
        debits: "Money out",
        closing: "Closing balance",
        date: "Date",
        text: "Description",
        amount: "Amount",
        balance: "Balance",
        nothing: "No transactions in this period.",
        made: "Made on",
        page: "Page"
    )

    static let italian = StatementWords(
        title: "Estratto conto",
        account: "Conto",
        iban: "IBAN",
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
        made: "Emesso il",
        page: "Pagina"
    )

    /// English where it is not written in theirs.
    static func of(_ language: String) -> StatementWords {
        language.lowercased().hasPrefix("it") ? italian : english
    }

    /// The language of the words themselves.
    static func language(for wanted: String) -> String {
        wanted.lowercased().hasPrefix("it") ? "it" : "en"
    }
}
