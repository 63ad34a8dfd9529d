extension StatementWords {
    static let korean = StatementWords(
        language: "ko",
        title: "거래 명세서",
        account: "계좌",
        owner: "예금주",
        period: "기간",
        opening: "시작 잔액",
        credits: "입금",
        debits: "출금",
        closing: "종료 잔액",
        date: "날짜",
        text: "내용",
        amount: "금액",
        balance: "잔액",
        nothing: "이 기간에는 거래가 없습니다.",
        made: "작성일 {}",
        page: "{}페이지"
    )
}
