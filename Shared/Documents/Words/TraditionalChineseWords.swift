extension StatementWords {
    static let traditionalChinese = StatementWords(
        language: "zh-Hant",
        title: "帳戶對帳單",
        account: "帳戶",
        owner: "戶名",
        period: "期間",
        opening: "期初餘額",
        credits: "收入",
        debits: "支出",
        closing: "期末餘額",
        date: "日期",
        text: "摘要",
        amount: "金額",
        balance: "餘額",
        nothing: "此期間沒有交易。",
        made: "製作日期：{}",
        page: "第 {} 頁"
    )
}
