import BankFiles
import WalletProtocol

/// Transactions as a plain-text journal.
///
/// A transfer between two accounts that the reader sees is one entry, where both of its rows are
/// whole; between currencies at the cost of one in the other. Every other row is an entry between
/// its account and its categories. So each account gets its rows' amounts once.
struct TransactionJournal: TransactionFileWriter {
    let person: Person
    /// Where the file begins, if the reader has chosen.
    let from: Day?
    private var text = JournalText()
    private var accounts: [ID<Account>: String] = [:]
    /// Transfers of the day that stand in the file: both rows have the same.
    private var written: Set<ID<Transfer>> = []
    private var day: Day?

    init(for person: Person, from: Day?) {
        self.person = person
        self.from = from
    }

    mutating func begin(_ names: FileNames, _ openings: [FileOpening]) -> [UInt8] {
        accounts = Self.unique(names.accounts)
        let entries = openings.compactMap { opening -> JournalEntryText? in
            guard opening.amount != 0, let account = names.account(opening.account) else {
                return nil
            }
            let opened =
                CivilDay(of: account.openedAt, in: person.timeZone)?.day ?? .utc(account.openedAt)
            return JournalEntryText(
                day: from ?? min(opened, opening.firstDay ?? opened),
                payee: "Opening balance",
                postings: [
                    JournalPosting(path(of: account.id), opening.amount, account.currency),
                    JournalPosting(
                        ["Equity", "Opening balances"],
                        -opening.amount,
                        account.currency
                    ),
                ]
            )
        }
        return text.append(entries.sorted { $0.day < $1.day })
    }

    mutating func append(_ page: FilePage, _ names: FileNames) -> [UInt8] {
        var entries: [JournalEntryText] = []
        for row in page.rows {
            if row.day != day { (day, written) = (row.day, []) }
            guard let postings = postings(of: row, page, names) else { continue }
            let isFiled = row.isFiled && row.isShown(page.folder, to: page.reader)
            let folder = isFiled ? names.folder(row.folder) : nil
            entries.append(
                JournalEntryText(
                    day: row.day,
                    code: row.id.text,
                    payee: row.name ?? names.category(row.category).path.last ?? "",
                    note: row.description ?? page.sides[row.id]?.reference ?? "",
                    tags: row.tags.map { ("tag", $0) } + (folder.map { [("folder", $0)] } ?? []),
                    postings: postings
                )
            )
        }
        return text.append(entries)
    }

    /// Nil where the transfer's other row has brought them.
    private mutating func postings(
        of row: TransactionRow,
        _ page: FilePage,
        _ names: FileNames
    ) -> [JournalPosting]? {
        if let transfer = row.transfer, let side = page.sides[row.id],
            let pair = pair(row, side, names)
        {
            return written.insert(transfer).inserted ? pair : nil
        }
        let own = JournalPosting(path(of: row.account), Int128(row.amount), row.currency)
        var others: [JournalPosting] = []
        if row.lines.isEmpty, row.claim == 0 {
            others.append(counter(row.category, row.amount, row.currency, names))
        }
        for line in row.lines {
            others.append(counter(line.category, line.amount, row.currency, names))
        }
        if row.claim != 0 {
            // Of another's wallet it is that other's.
            let isOwn = names.account(row.account)?.isOwn == true
            let path = isOwn ? ["Assets", "Receivable"] : ["Equity", "Receivable of others"]
            others.append(JournalPosting(path, -Int128(row.claim), row.currency))
        }
        return [own] + others
    }

    /// Both sides of a transfer between accounts that the reader sees; nil where one of its rows is
    /// split, or is not there.
    private func pair(
        _ row: TransactionRow,
        _ side: TransferSide,
        _ names: FileNames
    ) -> [JournalPosting]? {
        guard row.lines.isEmpty, row.claim == 0, let far = side.amount,
            names.account(row.account) != nil, names.account(side.account) != nil,
            (far < 0) != (row.amount < 0)
        else { return nil }
        var near = JournalPosting(path(of: row.account), Int128(row.amount), row.currency)
        let other = JournalPosting(path(of: side.account), Int128(far), side.currency)
        if side.currency == row.currency {
            guard near.amount == -other.amount else { return nil }
        } else {
            near.cost = Total(minorUnits: Int128(far.magnitude), side.currency)
        }
        return [near, other]
    }

    private func counter(
        _ category: CategoryID,
        _ amount: Int64,
        _ currency: Currency,
        _ names: FileNames
    ) -> JournalPosting {
        let known = names.category(category)
        let top = known.isIncome(amount) ? "Income" : "Expenses"
        let path = known.path.isEmpty ? ["Unnamed"] : known.path
        return JournalPosting([top] + path, -Int128(amount), currency)
    }

    private func path(of account: ID<Account>) -> [String] {
        // On an account that the reader does not see there are rows of a shared folder only.
        accounts[account].map { ["Assets", $0] } ?? ["Equity", "Accounts of others"]
    }

    /// Names that differ as a journal writes them: a later account gets a number behind its own.
    private static func unique(_ accounts: [FileAccount]) -> [ID<Account>: String] {
        var taken: Set = ["Receivable"]
        var names: [ID<Account>: String] = [:]
        for account in accounts {
            let name = JournalText.part(account.name)
            var (chosen, number) = (name, 1)
            while !taken.insert(chosen).inserted {
                number += 1
                chosen = "\(name) \(number)"
            }
            names[account.id] = chosen
        }
        return names
    }
}
