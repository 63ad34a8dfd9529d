extension StatementWords {
    static let catalan = StatementWords(
        language: "ca",
        title: "Extracte de compte",
        account: "Compte",
        owner: "Titular",
        period: "Període",
        opening: "Saldo inicial",
        credits: "Entrades",
        debits: "Sortides",
        closing: "Saldo final",
        date: "Data",
        text: "Descripció",
        amount: "Import",
        balance: "Saldo",
        nothing: "No hi ha moviments en aquest període.",
        made: "Emès el {}",
        page: "Pàgina {}"
    )
}
