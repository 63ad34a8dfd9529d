extension StatementWords {
    static let ukrainian = StatementWords(
        language: "uk",
        title: "Виписка з рахунку",
        account: "Рахунок",
        owner: "Власник",
        period: "Період",
        opening: "Початковий залишок",
        credits: "Надходження",
        debits: "Списання",
        closing: "Кінцевий залишок",
        date: "Дата",
        text: "Опис",
        amount: "Сума",
        balance: "Залишок",
        nothing: "За цей період операцій немає.",
        made: "Складено {}",
        page: "Сторінка {}"
    )
}
