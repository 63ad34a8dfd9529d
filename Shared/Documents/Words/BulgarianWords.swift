extension StatementWords {
    static let bulgarian = StatementWords(
        language: "bg",
        title: "Извлечение по сметка",
        account: "Сметка",
        owner: "Титуляр",
        period: "Период",
        opening: "Начално салдо",
        credits: "Постъпления",
        debits: "Плащания",
        closing: "Крайно салдо",
        date: "Дата",
        text: "Описание",
        amount: "Сума",
        balance: "Салдо",
        nothing: "Няма движения за този период.",
        made: "Изготвено на {}",
        page: "Страница {}"
    )
}
