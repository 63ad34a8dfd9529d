extension StatementWords {
    static let portuguese = StatementWords(
        language: "pt",
        title: "Extrato de conta",
        account: "Conta",
        owner: "Titular",
        period: "Período",
        opening: "Saldo inicial",
        credits: "Entradas",
        debits: "Saídas",
        closing: "Saldo final",
        date: "Data",
        text: "Descrição",
        amount: "Valor",
        balance: "Saldo",
        nothing: "Sem movimentos neste período.",
        made: "Emitido em {}",
        page: "Página {}"
    )
}
