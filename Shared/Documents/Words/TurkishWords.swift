extension StatementWords {
    static let turkish = StatementWords(
        language: "tr",
        title: "Hesap ekstresi",
        account: "Hesap",
        owner: "Hesap sahibi",
        period: "Dönem",
        opening: "Açılış bakiyesi",
        credits: "Giren",
        debits: "Çıkan",
        closing: "Kapanış bakiyesi",
        date: "Tarih",
        text: "Açıklama",
        amount: "Tutar",
        balance: "Bakiye",
        nothing: "Bu dönemde işlem yok.",
        made: "Düzenleme tarihi: {}",
        page: "Sayfa {}"
    )
}
