extension StatementWords {
    static let hindi = StatementWords(
        language: "hi",
        title: "खाता विवरण",
        account: "खाता",
        owner: "खाताधारक",
        period: "अवधि",
        opening: "प्रारंभिक शेष",
        credits: "जमा",
        debits: "निकासी",
        closing: "अंतिम शेष",
        date: "तारीख",
        text: "विवरण",
        amount: "राशि",
        balance: "शेष",
        nothing: "इस अवधि में कोई लेन-देन नहीं।",
        made: "{} को बनाया गया",
        page: "पृष्ठ {}"
    )
}
