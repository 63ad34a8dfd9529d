import WalletProtocol

/// Makes one statement of each account out of those that an OFX file has of it.
///
/// A file may have one for each month. An account is known by its bank, its number, its kind and
/// its currency: banks give savings the number of the account beside them.
enum OFXStatements {
    private struct Key: Hashable {
        let bank: String?
        let number: String?
        let kind: String?
        let currency: Currency
    }

    static func statements(
        of accounts: [OFXAccount],
        assuming assumed: Currency
    ) -> [BankStatement] {
        var order: [Key] = []
        var groups: [Key: [OFXAccount]] = [:]
        var refused: [BankStatement] = []
        for account in accounts {
            let key = Key(
                bank: plain(account.bank),
                number: plain(account.number),
                kind: plain(account.kind)?.uppercased(),
                currency: account.named ?? assumed
            )
            if let refusal = account.currencyRefusal {
                refused.append(OFXStatements.refused(account, refusal))
            } else {
                if groups[key] == nil { order.append(key) }
                groups[key, default: []].append(account)
            }
        }
        return order.map { statement(of: groups[$0] ?? [], in: $0.currency) } + refused
    }

    fileprivate static func plain(_ value: OFXValue?) -> String? {
        value.flatMap { FileText.line($0.text, scalarsMax: 64) }
    }

    private static func refused(
        _ account: OFXAccount,
        _ refusal: StatementFault
    ) -> BankStatement {
        BankStatement(
            format: .ofx,
            accountNumber: plain(account.number),
            currency: nil,
            rows: [],
            faults: [],
            opening: nil,
            closing: nil,
            from: account.from,
            to: account.to,
            refusal: refusal,
            bank: plain(account.bank),
            kind: plain(account.kind)?.uppercased()
        )
    }

    /// The rows of them all, and the balance that is told last.
    ///
    /// What two of them overlap in is there once, as far as the bank's ids tell.
    private static func statement(
        of accounts: [OFXAccount],
        in currency: Currency
    ) -> BankStatement {
        var rows: [StatementRow] = []
        var faults: [StatementFault] = []
        var notes: [StatementFault] = []
        var seen: [SeenRow: Int] = [:]
        var last: (day: Day?, closing: Int64?)?
        for account in accounts {
            var own: [SeenRow: Int] = [:]
            let read = account.read(in: currency)
            faults += read.faults
            notes += read.notes
            for row in read.rows {
                guard accounts.count > 1, let reference = row.reference else {
                    rows.append(row)
                    continue
                }
                let key = SeenRow(day: row.day, amount: row.amount, reference: reference)
                own[key, default: 0] += 1
                if own[key, default: 0] > seen[key, default: 0] {
                    seen[key] = own[key]
                    rows.append(row)
                }
            }
            let closing = account.closing(in: currency, &notes)
            if case .failure(let fault) = closing { notes.append(fault.fault) }
            let day = account.asOf ?? account.to ?? read.rows.lazy.map(\.day).max()
            if let before = last, let old = before.day, let day, day < old { continue }
            last = (day, try? closing.get())
        }
        let days = rows.map(\.day)
        let to = accounts.compactMap(\.to).max()
        return BankStatement(
            format: .ofx,
            accountNumber: plain(accounts.first?.number),
            currency: accounts.lazy.compactMap(\.named).first,
            rows: rows,
            faults: faults,
            opening: faults.isEmpty ? last?.closing.flatMap { opening($0, rows) } : nil,
            closing: last?.closing,
            from: accounts.compactMap(\.from).min() ?? (accounts.count > 1 ? days.min() : nil),
            to: to ?? (accounts.count > 1 ? days.max() : nil),
            notes: notes,
            bank: plain(accounts.first?.bank),
            kind: plain(accounts.first?.kind)?.uppercased()
        )
    }

    private struct SeenRow: Hashable {
        let day: Day
        let amount: Int64
        let reference: String
    }

    private static func opening(_ closing: Int64, _ rows: [StatementRow]) -> Int64? {
        var balance = closing
        for row in rows {
            let (difference, overflow) = balance.subtractingReportingOverflow(row.amount)
            guard !overflow else { return nil }
            balance = difference
        }
        return balance
    }
}

extension OFXAccount {
    /// CURDEF, else what its first row that names a currency says.
    private var writtenCurrency: OFXValue? { currency ?? rows.lazy.compactMap(\.symbol).first }

    /// What the statement is in, where it says so.
    var named: Currency? { writtenCurrency.flatMap { Currency($0.text.uppercased()) } }

    /// Why it cannot be taken: a currency that ISO 4217 does not know as money.
    var currencyRefusal: StatementFault? {
        guard let written = writtenCurrency, named == nil else { return nil }
        let text = FileText.quoted(written.text)
        return StatementFault(line: written.line, detail: "\(text) is no currency")
    }

    func read(
        in currency: Currency
    ) -> (rows: [StatementRow], faults: [StatementFault], notes: [StatementFault]) {
        var read: [StatementRow] = []
        var faults: [StatementFault] = []
        var notes: [StatementFault] = []
        for row in rows {
            switch row.read(in: currency, &notes) {
            case .success(let row): read.append(row)
            case .failure(let fault): faults.append(fault.fault)
            }
        }
        return (read, faults, notes)
    }

    /// The balance after its rows; nil where none is told, a failure where it is no amount, or of
    /// no day: then banks tell zero for none.
    func closing(
        in currency: Currency,
        _ notes: inout [StatementFault]
    ) -> Result<Int64?, Row.Unread> {
        guard let stated = balance ?? (hasDebts ? nil : cash) else { return .success(nil) }
        if asOf == nil, let noDay {
            let detail = "the balance is left out: \(FileText.quoted(noDay.text)) is no day"
            return .failure(Row.Unread(noDay.line, detail))
        }
        do throws(AmountFault) {
            return .success(try stated.minorUnits(in: currency, &notes))
        } catch {
            let detail = "the balance is left out: \(error.detail(stated.text, currency))"
            return .failure(Row.Unread(stated.line, detail))
        }
    }
}
