extension StatementWords {
    static let spanish = StatementWords(
        language: "es",
        title: "Extracto de cuenta",
        account: "Cuenta",
        owner: "Titular",
        period: "Periodo",
        opening: "Saldo inicial",
        credits: "Entradas",
        debits: "Salidas",
        closing: "Saldo final",
        date: "Fecha",
        text: "Descripción",
        amount: "Importe",
        balance: "Saldo",
        nothing: "No hay movimientos en este periodo.",
        made: "Emitido el {}",
        page: "Página {}"
    )
}
