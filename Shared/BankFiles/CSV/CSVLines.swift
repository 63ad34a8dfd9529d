import WalletProtocol

/// A row of a table with what its other columns tell.
struct CSVLine: Hashable {
    var row: StatementRow
    let fee: Int64
    let balance: Int64?
}

/// A line whose words are those of a balance or of a sum.
struct CSVAside: Hashable {
    let kind: CSVBalanceLines.Kind
    let line: Int
    let text: String
    /// How many rows stand above it.
    let place: Int
    let day: Day?
    /// As a transaction; nil where it can be none.
    let read: CSVLine?
    /// The balance that it tells.
    let stated: Int64?
    /// Whether it has fewer fields than every row.
    var isBare = false
}

/// Decides which lines tell a balance: words alone do not prove it, numbers do.
struct CSVLines {
    private(set) var lines: [CSVLine]
    private(set) var notes: [StatementFault] = []
    private(set) var faults: [StatementFault] = []
    private var balances: [CSVAside] = []
    private let sums: Sums

    /// What the rows come to.
    private struct Sums {
        let all: Int128
        let ins: Int128
        let outs: Int128
        /// Of the rows before each place.
        let before: [Int128]

        init(_ rows: [CSVLine]) {
            var (sum, ins, outs) = (Int128(0), Int128(0), Int128(0))
            var before = [sum]
            for row in rows {
                let amount = Int128(row.row.amount)
                sum += amount
                if amount > 0 { ins += amount } else { outs += amount }
                before.append(sum)
            }
            (all, self.ins, self.outs, self.before) = (sum, ins, outs, before)
        }
    }

    init(
        _ rows: [CSVLine],
        _ asides: [CSVAside],
        _ currency: Currency,
        chain: ([CSVLine]) -> CSVBalances?
    ) {
        lines = rows
        sums = Sums(asides.isEmpty ? [] : rows)
        guard !asides.isEmpty else { return }
        let merged = CSVLines.merged(rows, asides.filter { $0.read != nil })
        let (with, without) = (chain(merged), chain(rows))
        var kept: [CSVAside] = []
        for aside in asides {
            guard let read = aside.read else {
                leaveOut(aside, currency)
                continue
            }
            // The running balances say whether its amount moved them.
            if with != nil, without == nil || read.balance != read.row.amount {
                kept.append(aside)
            } else if aside.kind != .sum || without != nil || isProved(aside, read.row.amount) {
                leaveOut(aside, currency)
            } else if read.row.amount > 0, aside.place == 0 || aside.place == rows.count {
                faults.append(
                    StatementFault(
                        line: aside.line,
                        detail: "\(aside.text) may be a sum or a balance, and is left out: if it "
                            + "is a transaction, enter it by hand"
                    )
                )
            } else {
                kept.append(aside)
                notes.append(
                    StatementFault(
                        line: aside.line,
                        detail:
                            "\(aside.text) is read as a transaction: leave the row out if it is "
                            + "a sum"
                    )
                )
            }
        }
        lines = CSVLines.merged(rows, kept)
    }

    private mutating func leaveOut(_ aside: CSVAside, _ currency: Currency) {
        let amount = aside.stated.map { " (\(Money(minorUnits: $0, currency).description))" }
        let what = aside.kind == .sum ? "a sum" : "a balance"
        notes.append(
            StatementFault(
                line: aside.line,
                detail: "\(aside.text) tells \(what)\(amount ?? ""), and is no transaction"
            )
        )
        balances.append(aside)
    }

    private static func merged(_ rows: [CSVLine], _ asides: [CSVAside]) -> [CSVLine] {
        guard !asides.isEmpty else { return rows }
        var merged: [CSVLine] = []
        var next = 0
        for (place, row) in rows.enumerated() {
            while next < asides.count, asides[next].place <= place {
                if let read = asides[next].read { merged.append(read) }
                next += 1
            }
            merged.append(row)
        }
        return merged + asides[next...].compactMap(\.read)
    }

    /// Whether a sum is one: of the rows, of those before it, of one side, or with a balance.
    private func isProved(_ aside: CSVAside, _ amount: Int64) -> Bool {
        if aside.isBare || lines.isEmpty { return true }
        var found = [sums.all, sums.ins, sums.outs, sums.ins - sums.outs]
        if aside.place < sums.before.count { found.append(sums.before[aside.place]) }
        // A file has few balances: of many the first are enough.
        for balance in balances.prefix(20).compactMap(\.stated) {
            let stated = Int128(balance)
            found += [stated, stated + sums.all, stated - sums.all]
        }
        let size = Int128(amount).magnitude
        return size != 0 && found.contains { $0.magnitude == size }
    }

    // MARK: What the file begins and ends with

    /// The balances that lines of their own tell, where the rows lie between them; else why not.
    func stated(_ amounts: [Int64], _ currency: Currency) -> (CSVBalances?, StatementFault?) {
        let days = lines.map(\.row.day)
        guard let first = days.min(), let last = days.max() else { return (nil, nil) }
        let told = balances.filter { $0.stated != nil && $0.kind != .sum }
        let opening = told.first { aside in
            aside.kind == .opening && (aside.day ?? first) <= first
                || aside.kind == .balance && aside.day.map { $0 < first } == true
        }
        let closing = told.last { aside in
            aside.kind == .closing && (aside.day ?? last) >= last
                || aside.kind == .balance && aside.day.map { $0 > last } == true
        }
        guard opening != nil || closing != nil else { return (nil, nil) }
        let sum = amounts.reduce(Int128(0)) { $0 + Int128($1) }
        let begin = opening?.stated.map { Int128($0) } ?? Int128(closing?.stated ?? 0) - sum
        let end = closing?.stated.map { Int128($0) } ?? begin + sum
        guard let from = Int64(exactly: begin), let to = Int64(exactly: end) else {
            return (nil, nil)
        }
        if begin + sum == end { return (CSVBalances(opening: from, closing: to), nil) }
        let made = Int64(exactly: begin + sum).map { Money(minorUnits: $0, currency).description }
        let detail =
            "the balance at the end is \(Money(minorUnits: to, currency)), but the one at the "
            + "beginning and the rows make \(made ?? "more"): both are left out"
        return (nil, StatementFault(line: closing?.line ?? 1, detail: detail))
    }
}
