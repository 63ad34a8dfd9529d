extension StatementWords {
    static let persian = StatementWords(
        language: "fa",
        isRightToLeft: true,
        title: "صورت‌حساب",
        account: "حساب",
        owner: "صاحب حساب",
        period: "دوره",
        opening: "ماندهٔ اول دوره",
        credits: "واریزها",
        debits: "برداشت‌ها",
        closing: "ماندهٔ پایان دوره",
        date: "تاریخ",
        text: "شرح",
        amount: "مبلغ",
        balance: "مانده",
        nothing: "در این دوره تراکنشی نیست.",
        made: "تهیه‌شده در {}",
        page: "صفحهٔ {}"
    )
}
