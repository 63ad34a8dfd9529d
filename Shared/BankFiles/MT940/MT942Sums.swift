import WalletProtocol

/// What an interim report (MT942) tells in place of balances: how much came in and went out.
struct MT942Sums {
    private var credits: (amount: String, line: Int)?
    private var debits: (amount: String, line: Int)?

    /// Takes `:34F:EURD500,`, a limit, or `:90C:12EUR340,50`, a number of rows and their sum; gives
    /// the currency.
    mutating func take(_ field: MT940Field) -> String? {
        let bytes = Array((field.lines.first ?? "").utf8)[...].drop { isDigit($0) }
        let letters = bytes.prefix(3)
        guard letters.count == 3, letters.allSatisfy({ isCapital($0) }) else { return nil }
        let amount = String(decoding: bytes.dropFirst(3), as: UTF8.self)
        switch field.tag {
        case "90C": credits = credits ?? (amount, field.line)
        case "90D": debits = debits ?? (amount, field.line)
        default: break
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Holds the sums against the rows; a report without any might be cut, and tells so.
    func tie(_ part: inout StatementPart, in currency: Currency) {
        part.notes.append(
            StatementFault(line: part.line, detail: "an interim report (MT942) tells no balances")
        )
        guard part.faults.isEmpty, part.notes.count == 1 else { return }
        for (stated, isIn) in [(credits, true), (debits, false)] {
            guard let stated, let told = try? StatementAmounts.ofx(stated.amount, in: currency)
            else { continue }
            // However many rows there are, their amounts do not fill 128 bits.
            let sum = part.rows.lazy.filter { ($0.amount > 0) == isIn }
                .reduce(Int128(0)) { $0 + Int128($1.amount) }
            guard sum.magnitude != UInt128(told.magnitude) else { continue }
            let side = isIn ? "come in" : "go out"
            part.balanceFault = StatementFault(
                line: stated.line,
                detail: "\(Money(minorUnits: told, currency)) are said to \(side), but the rows "
                    + "make \(Total(minorUnits: isIn ? sum : -sum, currency))"
            )
            return
        }
    }
}

extension StatementPart {
    /// The closing balance that the opening one and the rows make; none where a row is unread.
    mutating func completeClosing() {
        guard faults.isEmpty, var sum = opening?.amount else { return }
        for row in rows {
            let (next, isOver) = sum.addingReportingOverflow(row.amount)
            guard !isOver else { return }
            sum = next
        }
        closing = StatedBalance(amount: sum, line: line)
        let detail = "no closing balance (:62F:) is told: it follows from the rows"
        notes.append(StatementFault(line: line, detail: detail))
    }
}
