import WalletProtocol

/// Reads the accounts of an MT940 file in any bank's dialect, or of an interim report (MT942).
///
/// Each message must have its account, its opening and its closing balance, or its account is
/// refused: without them nobody could tell a cut file from a whole one. A closing one that is
/// missing before the message's end follows from the rows. An interim report, which its floor limit
/// (`:34F:`) tells, has sums (`:90C:`, `:90D:`) in their place. Intermediate balances
/// (`:62M:`, `:60M:`) tie the pages of a statement as final ones tie the statements.
/// Source: SWIFT, Category 9, MT940 and MT942; the German banks' DFÜ agreement, annex 3, chapter 8.
func readMT940(
    _ bytes: [UInt8],
    assuming currency: Currency
) throws(UnreadableStatement) -> [StatementPart] {
    var fields = MT940Fields(FileText.utf8(bytes, charset: .undeclared))
    var reader = MT940Reader(assuming: currency)
    while let field = fields.next() { try reader.take(field) }
    let parts = reader.finish()
    guard !parts.isEmpty else {
        throw .unreadable(line: 1, detail: "no statement (:20:) is in the file")
    }
    return parts
}

/// Builds statements from the fields.
struct MT940Reader {
    private let assumed: Currency
    private var parts: [StatementPart] = []
    private var part: StatementPart?
    private var row: (line: MT940Field, texts: [MT940Field])?
    private var rowCount = 0
    private var isClosed = false
    /// Whether the message's end was there.
    private var isEnded = false
    private var interim: MT942Sums?

    init(assuming currency: Currency) {
        assumed = currency
    }

    mutating func take(_ field: MT940Field) throws(UnreadableStatement) {
        switch field.tag {
        case MT940Field.end:
            endRow()
            isEnded = part != nil
        case "34F", "90C", "90D":
            endRow()
            begin(field)
            takeSum(field)
        case "20":
            endPart(isFollowed: true)
            part = StatementPart(line: field.line)
        case "25", "25P": takeAccount(field)
        case "60", "60F", "60M": takeOpening(field)
        case "61":
            endRow()
            begin(field)
            if isClosed {
                part?.refuse(field.line, "a row stands behind the closing balance")
            }
            rowCount += 1
            guard rowCount <= StatementLimits.rowsMax else {
                throw .unreadable(line: field.line, detail: "the file has more than 200,000 rows")
            }
            row = (field, [])
        // Balances of later days stand behind the closing one: the message is whole.
        case "64", "64F", "64M", "65", "65F", "65M":
            endRow()
            isEnded = part != nil
        // Behind the closing balance it is about the whole.
        case "86", "NS":
            if let count = row?.texts.count, count < MT940Details.textsMax {
                row?.texts.append(field)
            }
        case "62", "62F", "62M":
            endRow()
            begin(field)
            takeClosing(field)
        default: break
        }
        guard parts.count + (part == nil ? 0 : 1) <= StatementLimits.statementsMax else {
            throw .tooManyStatements(field.line)
        }
    }

    /// Everything that was read.
    mutating func finish() -> [StatementPart] {
        endPart()
        return parts
    }

    /// What begins without `:20:`, as parts of files do.
    private mutating func begin(_ field: MT940Field) {
        if part == nil { part = StatementPart(line: field.line) }
    }

    private mutating func takeAccount(_ field: MT940Field) {
        endRow()
        begin(field)
        guard part?.opening == nil, part?.rows.isEmpty ?? true, part?.faults.isEmpty ?? true else {
            part?.refuse(field.line, "an account (:25:) stands inside a statement")
            return
        }
        var number = FileText.line(field.lines.first ?? "", scalarsMax: 64) ?? ""
        // Some banks add the currency: `NL71RABO0123456789 EUR`, `1291.99.348EUR`.
        let end = number.suffix(3)
        let before = number.dropLast(3).last
        if Currency(end) != nil, let before, before.isNumber || before == " " || before == "/" {
            number = String(number.dropLast(3))
            while let last = number.last, last == " " || last == "/" { number.removeLast() }
        }
        part?.accountNumber = number.isEmpty ? nil : number
    }

    private mutating func takeOpening(_ field: MT940Field) {
        endRow()
        // The next page of one message: its account is that of the page before.
        if let old = part, old.opening != nil {
            endPart(isFollowed: true)
            part = StatementPart(line: field.line)
            part?.accountNumber = old.accountNumber
        }
        begin(field)
        guard let balance = MT940Balance(field.lines.joined()) else {
            let text = FileText.quoted(field.lines.joined())
            part?.refuse(field.line, "\(text) is no opening balance")
            return
        }
        if let code = balance.currency {
            takeCurrency(code, field)
        }
        part?.from = balance.day
        let opening = stated(balance, field)
        part?.opening = opening
    }

    private mutating func takeClosing(_ field: MT940Field) {
        isClosed = true
        guard let balance = MT940Balance(field.lines.joined()) else {
            let text = FileText.quoted(field.lines.joined())
            part?.refuse(field.line, "\(text) is no closing balance")
            return
        }
        if let code = balance.currency, let currency = part?.currency, code != currency.code {
            part?.refuse(field.line, "the closing balance is not in \(currency.code)")
            return
        }
        part?.to = balance.day
        let closing = stated(balance, field)
        part?.closing = closing
    }

    private mutating func stated(_ balance: MT940Balance, _ field: MT940Field) -> StatedBalance? {
        let currency = part?.currency ?? assumed
        do throws(AmountFault) {
            let amount = try StatementAmounts.ofx(balance.amount, in: currency)
            return StatedBalance(amount: balance.isIn ? amount : -amount, line: field.line)
        } catch {
            part?.refuse(field.line, error.detail(balance.amount, currency))
            return nil
        }
    }

    private mutating func takeCurrency(_ code: String, _ field: MT940Field) {
        part?.currency = Currency(code)
        guard part?.currency == nil else { return }
        part?.isCurrencyUnknown = true
        part?.refuse(field.line, "\(FileText.quoted(code)) is no currency")
    }

    /// A sum of an interim report, or its limit, which names the currency.
    private mutating func takeSum(_ field: MT940Field) {
        guard part?.opening == nil else { return }
        var sums = interim ?? MT942Sums()
        if let code = sums.take(field), part?.currency == nil { takeCurrency(code, field) }
        interim = sums
    }

    private mutating func endPart(isFollowed: Bool = false) {
        endRow()
        let isWhole = isEnded || isFollowed
        let sums = interim
        (isClosed, isEnded, interim) = (false, false, nil)
        guard var done = part else { return }
        part = nil
        if done.accountNumber == nil {
            done.refuse(done.line, "the statement names no account (:25:)")
        }
        if let sums, done.opening == nil, done.closing == nil {
            done.message = .report
            sums.tie(&done, in: done.currency ?? assumed)
        } else if done.opening == nil {
            done.refuse(done.line, "the statement has no opening balance (:60F:)")
        } else if done.closing == nil, isWhole {
            done.completeClosing()
        }
        if done.closing == nil, sums == nil || done.opening != nil {
            done.refuse(done.line, "the statement has no closing balance (:62F:)")
        }
        // Days of balances are now and then wrong: what they span holds the rows at least.
        let days = done.rows.map(\.day)
        done.from = [done.from, days.min()].compactMap { $0 }.min()
        done.to = [done.to, days.max()].compactMap { $0 }.max()
        parts.append(done)
    }

    private mutating func endRow() {
        guard let (field, texts) = row else { return }
        row = nil
        let currency = part?.currency ?? assumed
        do throws(MT940Line.Fault) {
            let line = try MT940Line(field.lines)
            guard !line.isExpected else {
                part?.notes.append(
                    StatementFault(line: field.line, detail: "an expected row is left out")
                )
                return
            }
            do throws(AmountFault) {
                let amount = try StatementAmounts.ofx(line.amount, in: currency)
                let row = made(line, line.isIn ? amount : -amount, field, texts)
                part?.rows.append(row)
            } catch {
                fault(field, error.detail(line.amount, currency))
            }
        } catch {
            switch error {
            case .noDay: fault(field, "the row has no day")
            case .badDay(let text): fault(field, "\(FileText.quoted(text)) is no day")
            case .noSide: fault(field, "the row is neither a credit (C) nor a debit (D)")
            case .noAmount: fault(field, "the row has no amount")
            }
        }
    }

    private mutating func fault(_ field: MT940Field, _ detail: String) {
        part?.faults.append(StatementFault(line: field.line, detail: detail))
    }

    private func made(
        _ line: MT940Line,
        _ amount: Int64,
        _ field: MT940Field,
        _ texts: [MT940Field]
    ) -> StatementRow {
        let details = MT940Details(texts)
        let own = part?.accountNumber.flatMap { StatementTexts.accountNumber($0) }
        let found =
            details.counterparty
            ?? MT940Details.accountNumber(in: "\(line.ownerReference ?? "") \(line.details)")
        let rest = details.name == nil ? details.rest(behind: line.details) : nil
        let words = StatementTexts(
            names: rest == nil ? [details.name, details.kind] : [line.details],
            memo: rest ?? details.purpose ?? line.details,
            note: line.isReversal ? "Reversal" : nil,
            last: line.ownerReference ?? line.kind
        )
        return StatementRow(
            line: field.line,
            day: line.day,
            amount: amount,
            name: words.name,
            description: words.description,
            reference: line.bankReference,
            counterparty: found == own ? nil : found,
            endToEnd: details.endToEnd,
            identity: [line.ownerReference, words.name, words.description].compactMap { $0 }
                .joined(separator: "\u{1}")
        )
    }
}
