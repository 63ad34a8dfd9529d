extension StatementWords {
    static let japanese = StatementWords(
        language: "ja",
        title: "取引明細書",
        account: "口座",
        owner: "口座名義",
        period: "期間",
        opening: "開始残高",
        credits: "入金",
        debits: "出金",
        closing: "終了残高",
        date: "日付",
        text: "摘要",
        amount: "金額",
        balance: "残高",
        nothing: "この期間の取引はありません。",
        made: "作成日 {}",
        page: "{} ページ"
    )
}
