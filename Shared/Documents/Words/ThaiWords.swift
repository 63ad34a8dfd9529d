extension StatementWords {
    static let thai = StatementWords(
        language: "th",
        title: "รายการเดินบัญชี",
        account: "บัญชี",
        owner: "ชื่อบัญชี",
        period: "ช่วงเวลา",
        opening: "ยอดยกมา",
        credits: "เงินเข้า",
        debits: "เงินออก",
        closing: "ยอดคงเหลือสิ้นงวด",
        date: "วันที่",
        text: "รายละเอียด",
        amount: "จำนวนเงิน",
        balance: "ยอดคงเหลือ",
        nothing: "ไม่มีรายการในช่วงเวลานี้",
        made: "จัดทำเมื่อ {}",
        page: "หน้า {}"
    )
}
