extension StatementWords {
    static let hebrew = StatementWords(
        language: "he",
        isRightToLeft: true,
        title: "תדפיס חשבון",
        account: "חשבון",
        owner: "בעל החשבון",
        period: "תקופה",
        opening: "יתרת פתיחה",
        credits: "זיכויים",
        debits: "חיובים",
        closing: "יתרת סגירה",
        date: "תאריך",
        text: "תיאור",
        amount: "סכום",
        balance: "יתרה",
        nothing: "אין תנועות בתקופה זו.",
        made: "הופק בתאריך {}",
        page: "עמוד {}"
    )
}
