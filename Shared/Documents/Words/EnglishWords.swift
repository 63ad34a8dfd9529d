extension StatementWords {
    static let english = StatementWords(
        language: "en",
        title: "Account statement",
        account: "Account",
        owner: "Holder",
        period: "Period",
        opening: "Opening balance",
        credits: "Money in",
        debits: "Money out",
        closing: "Closing balance",
        date: "Date",
        text: "Description",
        amount: "Amount",
        balance: "Balance",
        nothing: "No transactions in this period.",
        made: "Made on {}",
        page: "Page {}"
    )
}
