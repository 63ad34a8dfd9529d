import WalletProtocol

/// Makes one statement of the tables of an archive that are laid out alike: a month each.
enum CSVTables {
    /// A table, and what its file is called.
    struct Table {
        var statement: BankStatement
        let file: String?
    }

    /// Tables of one layout, account and currency become one, in the order of their days; a row
    /// that two of them tell on days that both tell of is there once.
    static func joined(_ tables: [Table]) -> [BankStatement] {
        let isArchive = Set(tables.map(\.file)).count > 1
        var order: [Key] = []
        var groups: [Key: [Table]] = [:]
        for (index, table) in tables.enumerated() {
            let statement = table.statement
            // A table of unknown columns wants a mapping of its own.
            let isKnown = statement.layout?.mapping != nil && table.file != nil
            let key = Key(
                columns: statement.layout?.columns ?? [],
                account: statement.accountNumber,
                currency: statement.currency,
                place: isKnown ? 0 : index + 1
            )
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(table)
        }
        return order.map { key in
            let group = groups[key] ?? []
            var statement =
                group.count == 1 ? group[0].statement : whole(of: group.map(\.statement))
            if isArchive, group.count == 1, statement.accountNumber == nil {
                statement.file = group[0].file
            }
            return statement
        }
    }

    private struct Key: Hashable {
        let columns: [String]
        let account: String?
        let currency: Currency?
        let place: Int
    }

    private static func whole(of parts: [BankStatement]) -> BankStatement {
        let sorted = parts.enumerated().sorted {
            ($0.element.from?.daysSince1970 ?? .max, $0.offset)
                < ($1.element.from?.daysSince1970 ?? .max, $1.offset)
        }.map(\.element)
        var (rows, twice): ([StatementRow], Int) = ([], 0)
        var counts: [Told: Int] = [:]
        for part in sorted {
            var own: [Told: Int] = [:]
            for row in part.rows {
                let told = Told(row)
                own[told, default: 0] += 1
                if own[told, default: 0] <= counts[told, default: 0] {
                    twice += 1
                } else {
                    rows.append(row)
                }
            }
            counts.merge(own) { max($0, $1) }
        }
        var notes = sorted.flatMap(\.notes)
        if twice > 0 {
            let detail = "\(twice) rows are in two of the files, and are read once"
            notes.append(StatementFault(line: 1, detail: detail))
        }
        let faults = sorted.flatMap(\.faults)
        let doTie =
            faults.isEmpty && twice == 0
            && zip(sorted, sorted.dropFirst()).allSatisfy {
                $0.closing != nil && $0.closing == $1.opening
            }
        var statement = BankStatement(
            format: .csv,
            accountNumber: sorted.first?.accountNumber,
            currency: sorted.first?.currency,
            rows: rows,
            faults: faults,
            opening: doTie ? sorted.first?.opening : nil,
            closing: doTie ? sorted.last?.closing : nil,
            from: sorted.compactMap(\.from).min(),
            to: sorted.compactMap(\.to).max(),
            notes: notes,
            layout: sorted.last?.layout
        )
        statement.provedNewestFirst = sorted.lazy.compactMap(\.provedNewestFirst).first
        statement.balanceFault = sorted.lazy.compactMap(\.balanceFault).first
        return statement
    }

    /// What makes a row of two files the same.
    private struct Told: Hashable {
        let day: Day
        let amount: Int64
        let name: String
        let description: String?
        let reference: String?

        init(_ row: StatementRow) {
            (day, amount, name) = (row.day, row.amount, row.name)
            (description, reference) = (row.description, row.reference)
        }
    }
}
