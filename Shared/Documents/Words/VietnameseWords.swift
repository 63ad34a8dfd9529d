extension StatementWords {
    static let vietnamese = StatementWords(
        language: "vi",
        title: "Sao kê tài khoản",
        account: "Tài khoản",
        owner: "Chủ tài khoản",
        period: "Kỳ sao kê",
        opening: "Số dư đầu kỳ",
        credits: "Tiền vào",
        debits: "Tiền ra",
        closing: "Số dư cuối kỳ",
        date: "Ngày",
        text: "Diễn giải",
        amount: "Số tiền",
        balance: "Số dư",
        nothing: "Không có giao dịch trong kỳ này.",
        made: "Lập ngày {}",
        page: "Trang {}"
    )
}
