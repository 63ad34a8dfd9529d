import WalletProtocol

/// A value and where it stands; with the currency where it is an amount.
struct CamtValue {
    let text: String
    let line: Int
    let currency: String?

    /// Without white space around it.
    var trimmed: String { FileText.line(text, scalarsMax: 140) ?? "" }
}

/// The values of one node, by their place in it: `BookgDt/Dt`.
struct CamtNode {
    let line: Int
    private var values: [String: CamtValue] = [:]
    /// What the payment is for, in lines of text.
    private(set) var remittance: [String] = []

    init(line: Int) {
        self.line = line
    }

    mutating func take(_ value: CamtValue, at place: String) {
        if place == "RmtInf/Ustrd" {
            if remittance.count < 64 { remittance.append(value.text) }
        } else if values[place] == nil {
            values[place] = value
        }
    }

    /// The first that is there and not blank.
    subscript(places: String...) -> CamtValue? {
        for place in places {
            if let value = values[place], !value.trimmed.isEmpty { return value }
        }
        return nil
    }
}

/// An entry while it is read.
struct CamtEntry {
    var node: CamtNode
    /// The transaction that is being read.
    var current: CamtNode?
    private(set) var transactions: [CamtNode] = []

    init(line: Int) {
        node = CamtNode(line: line)
    }

    mutating func endTransaction() {
        guard let done = current else { return }
        transactions.append(done)
        current = nil
    }
}

/// A statement while it is read.
struct CamtPart {
    private var node: CamtNode
    var balance: CamtNode?
    var entry: CamtEntry?
    private var balances: [CamtNode] = []
    private var entries: [CamtRows] = []
    /// The first that a balance is in.
    private var balanceCode: String?

    init(line: Int) {
        node = CamtNode(line: line)
    }

    /// Takes a value where it belongs: to the innermost node that is open.
    mutating func take(_ value: CamtValue, at place: String) {
        if entry != nil {
            if entry?.current != nil {
                entry?.current?.take(value, at: place)
            } else {
                entry?.node.take(value, at: place)
            }
        } else if balance != nil {
            balance?.take(value, at: place)
        } else {
            node.take(value, at: place)
        }
    }

    /// - Throws: `.unreadable`, for more balances than a statement can have use for.
    mutating func endBalance() throws(UnreadableStatement) {
        guard let done = balance else { return }
        balance = nil
        guard balances.count < 1_000 else {
            throw .unreadable(
                line: done.line,
                detail: "the statement has more than 1,000 balances"
            )
        }
        balances.append(done)
        balanceCode = balanceCode ?? done["Amt"]?.currency?.uppercased()
    }

    mutating func endEntry(assuming assumed: Currency) {
        guard let done = entry else { return }
        entry = nil
        // In the statement's currency where it is told by now: the account stands before entries.
        entries.append(CamtRows(done, in: currencyCode.flatMap { Currency($0) } ?? assumed))
    }

    /// The account's, else its balances'.
    private var currencyCode: String? {
        node["Acct/Ccy"]?.trimmed.uppercased() ?? balanceCode
    }

    /// All of it.
    func part(assuming assumed: Currency) -> StatementPart {
        var part = StatementPart(line: node.line)
        part.accountNumber = node["Acct/Id/IBAN", "Acct/Id/Othr/Id", "Acct/Id/PrtryAcct/Id"]
            .flatMap { FileText.line($0.text, scalarsMax: 64) }
        if let code = currencyCode {
            part.currency = Currency(code)
            if part.currency == nil {
                part.isCurrencyUnknown = true
                part.refuse(node.line, "\(FileText.quoted(code)) is no currency")
            }
        }
        let currency = part.currency ?? assumed
        part.from = node["FrToDt/FrDtTm", "FrToDt/FrDt"].flatMap { CamtRows.day($0.trimmed) }
        part.to = node["FrToDt/ToDtTm", "FrToDt/ToDt"].flatMap { CamtRows.day($0.trimmed) }
        for entry in entries {
            part.rows += entry.rows
            part.faults += entry.faults
            part.notes += entry.notes
        }
        part.opening = stated(["OPBD", "PRCD"], isLast: false, currency, &part)
        part.closing = stated(["CLBD"], isLast: true, currency, &part)
        // Pages end with interim balances.
        let interim = balances.filter { CamtPart.kind(of: $0) == "ITBD" }
        if part.opening == nil, let first = interim.first,
            interim.count > 1 || part.closing != nil
        {
            part.opening = read(first, currency, &part)
        }
        if part.closing == nil, let last = interim.last {
            part.closing = read(last, currency, &part)
        }
        complete(&part)
        return part
    }

    /// What is not told follows from what is, where every row could be read.
    private func complete(_ part: inout StatementPart) {
        guard part.faults.isEmpty else { return }
        let moved = part.rows.reduce(into: Int64?(0)) { sum, row in
            guard let before = sum else { return }
            let (next, isOver) = before.addingReportingOverflow(row.amount)
            sum = isOver ? nil : next
        }
        guard let moved else { return }
        if let opening = part.opening, part.closing == nil {
            let (sum, isOver) = opening.amount.addingReportingOverflow(moved)
            if !isOver { part.closing = StatedBalance(amount: sum, line: node.line) }
        } else if let closing = part.closing, part.opening == nil {
            let (sum, isOver) = closing.amount.subtractingReportingOverflow(moved)
            if !isOver { part.opening = StatedBalance(amount: sum, line: node.line) }
        }
    }

    private static func kind(of balance: CamtNode) -> String? {
        balance["Tp/CdOrPrtry/Cd", "Tp/CdOrPrtry/Prtry"]?.trimmed.uppercased()
    }

    /// Some banks tell the same balance in other currencies too.
    private static func isTold(_ balance: CamtNode, in currency: Currency) -> Bool {
        guard let code = balance["Amt"]?.currency else { return true }
        return code.uppercased() == currency.code
    }

    /// The first kind of which there is one; of several the one of the first or the last day.
    private func stated(
        _ kinds: [String],
        isLast: Bool,
        _ currency: Currency,
        _ part: inout StatementPart
    ) -> StatedBalance? {
        for kind in kinds {
            var chosen: (node: CamtNode, day: Day)?
            for balance in balances
            where CamtPart.kind(of: balance) == kind && CamtPart.isTold(balance, in: currency) {
                let day =
                    balance["Dt/Dt", "Dt/DtTm"].flatMap { CamtRows.day($0.trimmed) }
                    ?? chosen?.day ?? Day(daysSince1970: 0)
                guard let day else { continue }
                if let old = chosen, isLast ? day < old.day : day >= old.day { continue }
                chosen = (balance, day)
            }
            if let chosen { return read(chosen.node, currency, &part) }
        }
        return nil
    }

    private func read(
        _ balance: CamtNode,
        _ currency: Currency,
        _ part: inout StatementPart
    ) -> StatedBalance? {
        guard let written = balance["Amt"] else {
            part.refuse(balance.line, "the balance has no amount (Amt)")
            return nil
        }
        if let code = written.currency, code.uppercased() != currency.code {
            part.refuse(
                written.line,
                "the balance is in \(FileText.quoted(code)), not in \(currency.code)"
            )
            return nil
        }
        guard let amount = try? CamtRows.amount(written.text, in: currency),
            let sign = CamtRows.sign(balance["CdtDbtInd"])
        else {
            part.refuse(
                written.line,
                "\(FileText.quoted(written.text)) is no balance with a side (CdtDbtInd)"
            )
            return nil
        }
        return StatedBalance(amount: sign * amount, line: written.line)
    }
}
