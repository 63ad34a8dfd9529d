extension StatementWords {
    static let arabic = StatementWords(
        language: "ar",
        isRightToLeft: true,
        title: "كشف حساب",
        account: "الحساب",
        owner: "صاحب الحساب",
        period: "الفترة",
        opening: "الرصيد الافتتاحي",
        credits: "المبالغ الواردة",
        debits: "المبالغ الصادرة",
        closing: "الرصيد الختامي",
        date: "التاريخ",
        text: "الوصف",
        amount: "المبلغ",
        balance: "الرصيد",
        nothing: "لا توجد معاملات في هذه الفترة.",
        made: "صدر في {}",
        page: "صفحة {}"
    )
}
