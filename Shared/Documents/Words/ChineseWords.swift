extension StatementWords {
    static let chinese = StatementWords(
        language: "zh",
        title: "账户对账单",
        account: "账户",
        owner: "户名",
        period: "期间",
        opening: "期初余额",
        credits: "收入",
        debits: "支出",
        closing: "期末余额",
        date: "日期",
        text: "摘要",
        amount: "金额",
        balance: "余额",
        nothing: "此期间没有交易。",
        made: "生成日期：{}",
        page: "第 {} 页"
    )
}
