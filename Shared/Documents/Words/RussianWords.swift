extension StatementWords {
    static let russian = StatementWords(
        language: "ru",
        title: "Выписка по счёту",
        account: "Счёт",
        owner: "Владелец",
        period: "Период",
        opening: "Входящий остаток",
        credits: "Поступления",
        debits: "Списания",
        closing: "Исходящий остаток",
        date: "Дата",
        text: "Описание",
        amount: "Сумма",
        balance: "Остаток",
        nothing: "За этот период операций нет.",
        made: "Составлена {}",
        page: "Страница {}"
    )
}
