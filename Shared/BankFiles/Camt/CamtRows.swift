import WalletProtocol

/// What an entry comes to: rows, or why there is none.
struct CamtRows {
    private(set) var rows: [StatementRow] = []
    private(set) var faults: [StatementFault] = []
    private(set) var notes: [StatementFault] = []
    private let entry: CamtNode
    private let currency: Currency

    private struct Unread: Error {
        let line: Int
        let detail: String
    }

    init(_ read: CamtEntry, in currency: Currency) {
        entry = read.node
        self.currency = currency
        let status = entry["Sts/Cd", "Sts/Prtry", "Sts"]?.trimmed.uppercased() ?? "BOOK"
        guard status == "BOOK" else {
            let detail = "an entry that is not booked (\(FileText.quoted(status))) is left out"
            notes = [StatementFault(line: entry.line, detail: detail)]
            return
        }
        do throws(Unread) {
            rows = try rows(read.transactions)
        } catch {
            faults = [StatementFault(line: error.line, detail: error.detail)]
        }
    }

    private func rows(_ transactions: [CamtNode]) throws(Unread) -> [StatementRow] {
        let (day, amount) = (try bookedDay(), try signedAmount())
        if transactions.count > 1, let parts = split(transactions, of: amount) {
            return zip(transactions, parts).map { row(day, $1, $0, isPart: true) }
        }
        return [row(day, amount, transactions.count == 1 ? transactions[0] : nil, isPart: false)]
    }

    private func bookedDay() throws(Unread) -> Day {
        guard let written = entry["BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm"] else {
            throw Unread(line: entry.line, detail: "the entry has no day (BookgDt)")
        }
        guard let day = CamtRows.day(written.trimmed) else {
            let text = FileText.quoted(written.text)
            throw Unread(line: written.line, detail: "\(text) is no day")
        }
        return day
    }

    /// What the account gets or gives.
    ///
    /// The side is that of this entry: of a reversal, too.
    private func signedAmount() throws(Unread) -> Int64 {
        guard let written = entry["Amt"] else {
            throw Unread(line: entry.line, detail: "the entry has no amount (Amt)")
        }
        if let code = written.currency, code.uppercased() != currency.code {
            let text = FileText.quoted(code)
            throw Unread(
                line: written.line,
                detail: "the entry is in \(text), not in \(currency.code)"
            )
        }
        guard let sign = CamtRows.sign(entry["CdtDbtInd"]) else {
            throw Unread(line: entry.line, detail: "the entry has no side (CdtDbtInd)")
        }
        do throws(AmountFault) {
            return sign * (try CamtRows.amount(written.text, in: currency))
        } catch {
            throw Unread(line: written.line, detail: error.detail(written.text, currency))
        }
    }

    /// The amounts of a batch's transactions; nil unless all are told, in the account's currency,
    /// and make the entry's.
    private func split(_ transactions: [CamtNode], of whole: Int64) -> [Int64]? {
        var amounts: [Int64] = []
        var sum: Int64 = 0
        for transaction in transactions {
            guard let written = transaction["Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt"],
                written.currency.map({ $0.uppercased() == currency.code }) ?? true,
                let amount = try? CamtRows.amount(written.text, in: currency)
            else { return nil }
            let sign = CamtRows.sign(transaction["CdtDbtInd"]) ?? (whole < 0 ? -1 : 1)
            let (next, isOver) = sum.addingReportingOverflow(sign * amount)
            guard !isOver else { return nil }
            sum = next
            amounts.append(sign * amount)
        }
        return sum == whole ? amounts : nil
    }

    private func row(
        _ day: Day,
        _ amount: Int64,
        _ transaction: CamtNode?,
        isPart: Bool
    ) -> StatementRow {
        let details = transaction ?? CamtNode(line: entry.line)
        let isReversal = entry["RvslInd"].map { ["true", "1"].contains($0.trimmed) } ?? false
        // Who sent money stands as debtor; when it is sent back, the sides are still the first's.
        let isIn = (amount > 0) != isReversal
        let (near, far) = isIn ? ("Dbtr", "Cdtr") : ("Cdtr", "Dbtr")
        let parties = "RltdPties"
        let name = details[
            "\(parties)/\(near)/Nm",
            "\(parties)/\(near)/Pty/Nm",
            "\(parties)/Ultmt\(near)/Nm",
            "\(parties)/Ultmt\(near)/Pty/Nm",
            "\(parties)/TradgPty/Nm"
        ]
        let number = details[
            "\(parties)/\(near)Acct/Id/IBAN",
            "\(parties)/\(near)Acct/Id/Othr/Id"
        ]
        // Our own statements have the name there, and cut a long description without spaces.
        let isOwn = entry["BkTxCd/Prtry/Issr"]?.trimmed == CamtStatement.issuer
        let own = isOwn ? entry["AddtlNtryInf"]?.text : nil
        let told = details.remittance.compactMap(StatementTexts.given)
        let memo =
            told.isEmpty
            ? details["RmtInf/Strd/AddtlRmtInf", "RmtInf/Strd/CdtrRefInf/Ref", "AddtlTxInf"]?.text
                ?? (isOwn ? nil : entry["AddtlNtryInf"]?.text)
            : told.joined(separator: isOwn ? "" : " ")
        let texts = StatementTexts(
            names: [own, StatementTexts.given(name?.text)],
            memo: StatementTexts.given(memo),
            note: isReversal ? "Reversal" : nil,
            last: StatementTexts.given(entry["AddtlNtryInf"]?.text)
                ?? details["\(parties)/\(far)/Nm", "\(parties)/\(far)/Pty/Nm"]?.text
        )
        return StatementRow(
            line: isPart ? details.line : entry.line,
            day: day,
            amount: amount,
            name: texts.name,
            description: texts.description,
            reference: reference(details, isPart: isPart),
            counterparty: number.flatMap { StatementTexts.accountNumber($0.text) },
            endToEnd: StatementTexts.endToEnd(details["Refs/EndToEndId"]?.text),
            identity: [details["Refs/EndToEndId"]?.trimmed, texts.name, texts.description]
                .compactMap { $0 }.joined(separator: "\u{1}")
        )
    }

    /// The bank's id.
    ///
    /// An entry's own reference may be its place in the file, when it is short.
    private func reference(_ details: CamtNode, isPart: Bool) -> String? {
        let own = details["Refs/AcctSvcrRef", "Refs/TxId"]?.text
        let whole = entry["AcctSvcrRef"]?.text
        let place = entry["NtryRef"].flatMap { $0.trimmed.utf8.count >= 6 ? $0.text : nil }
        guard isPart else { return StatementTexts.reference(whole ?? own ?? place) }
        let part = own ?? details["Refs/EndToEndId", "Refs/InstrId"]?.text
        let parts = [whole ?? place, part].compactMap { $0 }
        return parts.isEmpty ? nil : StatementTexts.reference(parts.joined(separator: "/"))
    }

    /// The calendar day of a date, or of a date and time as written: its offset is not applied.
    static func day(_ text: String) -> Day? {
        let day = text.utf8.prefix(10)
        let rest = text.utf8.dropFirst(10)
        // `2024-02-29Z` and `2024-02-29+01:00` are days of XML Schema too.
        guard day.count == 10, rest.first.map({ "TZ+-".utf8.contains($0) }) ?? true
        else { return nil }
        return Day(String(decoding: day, as: UTF8.self))
    }

    static func sign(_ side: CamtValue?) -> Int64? {
        switch side?.trimmed.uppercased() {
        case "CRDT": 1
        case "DBIT": -1
        default: nil
        }
    }

    /// A decimal of XML Schema that is not below zero.
    static func amount(_ text: String, in currency: Currency) throws(AmountFault) -> Int64 {
        let digits = FileText.line(text, scalarsMax: 100) ?? ""
        guard digits.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }),
            !digits.isEmpty, digits.utf8.count(where: { $0 == UInt8(ascii: ".") }) <= 1
        else { throw .malformed }
        return try StatementAmounts.ofx(digits, in: currency)
    }
}
