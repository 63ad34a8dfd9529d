import WalletProtocol

/// A value and where it stands.
struct OFXValue: Hashable {
    let text: String
    let line: Int
}

/// The elements of one STMTTRN that are read, as written; of each the first.
struct OFXRow {
    let line: Int
    private(set) var posted: OFXValue?
    private(set) var amount: OFXValue?
    private(set) var symbol: OFXValue?
    private(set) var id: OFXValue?
    private(set) var name: OFXValue?
    private(set) var longName: OFXValue?
    private(set) var payee: OFXValue?
    private(set) var memo: OFXValue?
    private(set) var check: OFXValue?
    private(set) var kind: OFXValue?
    private(set) var other: OFXValue?

    init(line: Int) {
        self.line = line
    }

    /// Takes a leaf of the row.
    mutating func take(_ name: String, in parent: String, _ value: OFXValue) {
        switch (parent, name) {
        case ("STMTTRN", "DTPOSTED"): posted = posted ?? value
        case ("STMTTRN", "TRNAMT"): amount = amount ?? value
        case ("STMTTRN", "FITID"): id = id ?? value
        case ("STMTTRN", "NAME"): self.name = self.name ?? value
        case ("STMTTRN", "EXTDNAME"): longName = longName ?? value
        case ("STMTTRN", "MEMO"): memo = memo ?? value
        case ("STMTTRN", "CHECKNUM"): check = check ?? value
        case ("STMTTRN", "TRNTYPE"): kind = kind ?? value
        case ("PAYEE", "NAME"): payee = payee ?? value
        case ("BANKACCTTO", "ACCTID"), ("CCACCTTO", "ACCTID"): other = other ?? value
        // CURRENCY says what the amount is in; ORIGCURRENCY only what it was before.
        case ("CURRENCY", "CURSYM"): symbol = symbol ?? value
        default: break
        }
    }
}

/// One statement of the file, before its currency is known to its rows.
struct OFXAccount {
    let line: Int
    private(set) var currency: OFXValue?
    private(set) var bank: OFXValue?
    private(set) var number: OFXValue?
    private(set) var kind: OFXValue?
    private(set) var balance: OFXValue?
    /// Of which day the balance is.
    private(set) var asOf: Day?
    /// What is told for that day, and is none: then there is no such balance.
    private(set) var noDay: OFXValue?
    private(set) var cash: OFXValue?
    private(set) var from: Day?
    private(set) var to: Day?
    private(set) var hasDebts = false
    var rows: [Row] = []

    init(line: Int) {
        self.line = line
    }

    /// Takes a leaf outside the rows.
    mutating func take(_ name: String, in parent: String, _ value: OFXValue) {
        switch (parent, name) {
        case ("STMTRS", "CURDEF"), ("CCSTMTRS", "CURDEF"), ("INVSTMTRS", "CURDEF"):
            currency = currency ?? value
        case ("BANKACCTFROM", "ACCTID"), ("CCACCTFROM", "ACCTID"), ("INVACCTFROM", "ACCTID"):
            number = number ?? value
        case ("BANKACCTFROM", "BANKID"), ("INVACCTFROM", "BROKERID"): bank = bank ?? value
        case ("BANKACCTFROM", "ACCTTYPE"): kind = kind ?? value
        case ("LEDGERBAL", "DTASOF"), ("INVSTMTRS", "DTASOF"):
            asOf = asOf ?? StatementDates.ofx(value.text)
            if asOf == nil { noDay = noDay ?? value }
        case ("BANKTRANLIST", "DTSTART"), ("INVTRANLIST", "DTSTART"):
            from = from ?? StatementDates.ofx(value.text)
        case ("BANKTRANLIST", "DTEND"), ("INVTRANLIST", "DTEND"):
            to = to ?? StatementDates.ofx(value.text)
        case ("LEDGERBAL", "BALAMT"): balance = balance ?? value
        case ("INVBAL", "AVAILCASH"): cash = cash ?? value
        // With debts or short sales the available cash is not what the rows add up to.
        case ("INVBAL", "MARGINBALANCE"), ("INVBAL", "SHORTBALANCE"):
            hasDebts = hasDebts || value.text.contains { "123456789".contains($0) }
        default: break
        }
    }

    /// One row, its texts cleaned.
    struct Row {
        let line: Int
        let posted: OFXValue?
        let day: Day?
        let amount: OFXValue?
        let symbol: OFXValue?
        let name: String
        let description: String?
        let reference: String?
        let counterparty: String?

        init(_ row: OFXRow) {
            line = row.line
            posted = row.posted
            day = row.posted.flatMap { StatementDates.ofx($0.text) }
            amount = row.amount
            symbol = row.symbol
            // Others use it for the number of any document.
            let isCheck = row.kind?.text.uppercased() == "CHECK"
            let check = isCheck ? row.check.flatMap { Row.checkNumber($0.text) } : nil
            let texts = StatementTexts(
                names: [Row.name(row), row.name?.text, row.payee?.text, row.longName?.text],
                memo: row.memo?.text,
                note: check.map { "Check \($0)" },
                last: row.kind?.text
            )
            name = texts.name
            description = texts.description
            reference = StatementTexts.reference(row.id?.text)
            counterparty = StatementTexts.accountNumber(row.other?.text)
        }

        /// The long name, where the short one, of at most 32 characters, is cut from it.
        private static func name(_ row: OFXRow) -> String? {
            guard let long = row.longName?.text, let short = row.name?.text,
                long.utf8.starts(with: short.utf8)
            else { return nil }
            return long
        }

        /// Banks write 0 for what is no cheque.
        private static func checkNumber(_ text: String) -> String? {
            guard let number = FileText.line(text, scalarsMax: 20) else { return nil }
            return number.contains { $0 != "0" } ? number : nil
        }
    }
}

extension OFXAccount.Row {
    struct Unread: Error {
        let fault: StatementFault

        init(_ line: Int, _ detail: String) {
            fault = StatementFault(line: line, detail: detail)
        }
    }

    /// The row, or what is wrong with it; what is rounded is noted.
    func read(
        in currency: Currency,
        _ notes: inout [StatementFault]
    ) -> Result<StatementRow, Unread> {
        guard let posted else { return .failure(Unread(line, "the row has no day (DTPOSTED)")) }
        guard let day else {
            let text = FileText.quoted(posted.text)
            return .failure(Unread(posted.line, "\(text) is no day"))
        }
        guard let amount else { return .failure(Unread(line, "the row has no amount (TRNAMT)")) }
        if let symbol, symbol.text.uppercased() != currency.code {
            let text = FileText.quoted(symbol.text)
            return .failure(Unread(symbol.line, "the row is in \(text), not in \(currency.code)"))
        }
        do throws(AmountFault) {
            let row = StatementRow(
                line: line,
                day: day,
                amount: try amount.minorUnits(in: currency, &notes),
                name: name,
                description: description,
                reference: reference,
                counterparty: counterparty
            )
            return .success(row)
        } catch {
            return .failure(Unread(amount.line, error.detail(amount.text, currency)))
        }
    }
}

extension OFXValue {
    /// An amount; one with more decimals than the currency is rounded half even, with a note.
    func minorUnits(
        in currency: Currency,
        _ notes: inout [StatementFault]
    ) throws(AmountFault) -> Int64 {
        do {
            return try StatementAmounts.ofx(text, in: currency)
        } catch .tooFine {
            let rounded = try StatementAmounts.ofx(text, in: currency, isRounding: true)
            let taken = Money(minorUnits: rounded, currency).description
            let detail = "\(AmountFault.tooFine.detail(text, currency)): \(taken) is taken"
            notes.append(StatementFault(line: line, detail: detail))
            return rounded
        }
    }
}
