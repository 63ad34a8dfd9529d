import WalletProtocol

extension QIFAccount {
    /// Its statement.
    ///
    /// A first row called «Opening Balance» is the balance before the others: Quicken writes it so,
    /// with the account's name in brackets.
    func statement(_ style: QIFStyle) -> BankStatement {
        var read: [StatementRow] = []
        var faults: [StatementFault] = []
        var opening: Int64?
        var number = name
        for (index, row) in rows.enumerated() {
            if index == 0, QIFAccount.isOpening(row) {
                number = number ?? QIFAccount.account(row["L"])
                opening = row.amount.flatMap { try? style.amount($0) }
                if opening != nil { continue }
            }
            switch row.read(style) {
            case .success(let row): read.append(row)
            case .failure(let fault): faults.append(fault.fault)
            }
        }
        let closing = faults.isEmpty ? opening.flatMap { QIFAccount.sum($0, read) } : nil
        let days = read.map(\.day)
        return BankStatement(
            format: .qif,
            accountNumber: number,
            currency: nil,
            rows: read,
            faults: faults,
            opening: closing == nil ? nil : opening,
            closing: closing,
            from: days.min(),
            to: days.max(),
            notes: style.notes,
            kind: kind
        )
    }

    private static func isOpening(_ row: QIFRow) -> Bool {
        FileText.capitals((row["P"] ?? "").utf8).elementsEqual("OPENING BALANCE".utf8)
            && account(row["L"]) != nil
    }

    /// `[Checking]` is an account.
    static func account(_ category: String?) -> String? {
        guard let category, category.hasPrefix("["), category.hasSuffix("]") else { return nil }
        return FileText.line(String(category.dropFirst().dropLast()), scalarsMax: 64)
    }

    private static func sum(_ opening: Int64, _ rows: [StatementRow]) -> Int64? {
        var balance = opening
        for row in rows {
            let (sum, isOver) = balance.addingReportingOverflow(row.amount)
            guard !isOver else { return nil }
            balance = sum
        }
        return balance
    }
}

extension QIFRow {
    struct Unread: Error {
        let fault: StatementFault

        init(_ line: Int, _ detail: String) {
            fault = StatementFault(line: line, detail: detail)
        }
    }

    /// The row, or what is wrong with it.
    func read(_ style: QIFStyle) -> Result<StatementRow, Unread> {
        guard let written = self["D"] else {
            return .failure(Unread(line, "the row has no day (D)"))
        }
        guard let day = style.day(written) else {
            return .failure(Unread(line, "\(FileText.quoted(written)) is no day"))
        }
        guard let text = amount else {
            return .failure(Unread(line, "the row has no amount (T)"))
        }
        do throws(AmountFault) {
            let category = self["L"] ?? splits.first
            let texts = StatementTexts(
                names: [self["P"]],
                memo: self["M"] ?? (splits.isEmpty ? nil : splits.joined(separator: "; ")),
                note: checkNumber.map { "Check \($0)" },
                last: category
            )
            return .success(
                StatementRow(
                    line: line,
                    day: day,
                    amount: try style.amount(text),
                    name: texts.name,
                    description: texts.description,
                    reference: nil,
                    identity: [self["N"], texts.name, texts.description].compactMap { $0 }
                        .joined(separator: "\u{1}")
                )
            )
        } catch {
            return .failure(Unread(line, error.detail(text, style.currency)))
        }
    }

    /// `N` is a cheque's number, or a word such as `ATM`.
    private var checkNumber: String? {
        guard let text = self["N"], let number = FileText.line(text, scalarsMax: 20),
            number.utf8.allSatisfy({ isDigit($0) }), number.contains(where: { $0 != "0" })
        else { return nil }
        return number
    }
}
