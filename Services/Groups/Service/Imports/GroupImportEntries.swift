import BankFiles
import WalletProtocol

/// What the rows of a file become in a group.
struct GroupImportEntries {
    /// An expense, and what it makes each owe each.
    struct Entry {
        let id: ID<Expense>
        let draft: ExpenseDraft
        let debts: [MemberDebt]
        let fingerprint: GroupImportFingerprint
    }

    /// What some paid others: a settlement for each two.
    struct Payment {
        let ids: [ID<Settlement>]
        /// What it makes whoever got money owe whoever paid.
        let debts: [MemberDebt]
        let day: Day
        let fingerprint: GroupImportFingerprint
    }

    private(set) var expenses: [Entry] = []
    private(set) var payments: [Payment] = []

    var isEmpty: Bool { expenses.isEmpty && payments.isEmpty }

    /// All that it makes each owe each.
    var debts: [MemberDebt] { expenses.flatMap(\.debts) + payments.flatMap(\.debts) }

    /// - Parameters:
    ///   - rows: what is to be added.
    ///   - members: who the file's people are, by their place in it.
    ///   - categories: by their folded names.
    init(
        _ rows: [(row: GroupExportRow, fingerprint: GroupImportFingerprint)],
        members: [Int: ID<Member>],
        categories: [String: ID<GroupCategory>],
        folded: (String) -> String
    ) throws(APIError) {
        for (row, fingerprint) in rows {
            switch row.kind {
            case .expense:
                let category = row.category.flatMap { categories[folded($0)] }
                let draft = try ExpenseDraft(row, members: members, category: category)
                expenses.append(
                    Entry(
                        id: .new(),
                        draft: draft,
                        debts: draft.debts,
                        fingerprint: fingerprint
                    )
                )
            case .payment:
                let debts = try Self.debts(of: row, members)
                payments.append(
                    Payment(
                        ids: debts.map { _ in .new() },
                        debts: debts,
                        day: row.day,
                        fingerprint: fingerprint
                    )
                )
            }
        }
    }

    private static func debts(
        of row: GroupExportRow,
        _ members: [Int: ID<Member>]
    ) throws(APIError) -> [MemberDebt] {
        let people = (row.paid + row.shares).map(\.person)
        var (paid, owed) = ([Int64](), [Int64]())
        for person in people {
            paid.append(row.paid.first { $0.person == person }?.amount ?? 0)
            owed.append(row.shares.first { $0.person == person }?.amount ?? 0)
        }
        var debts: [MemberDebt] = []
        for payment in Debts.pairwise(paid: paid, owed: owed) {
            debts.append(
                MemberDebt(
                    debtor: try members.place(of: people[payment.debtor]),
                    creditor: try members.place(of: people[payment.creditor]),
                    amount: Money(minorUnits: payment.amount, row.amount.currency)
                )
            )
        }
        return debts
    }

    /// What the group spends more, by currency.
    ///
    /// Fits: so do the sums of a file's rows (`GroupExportRows`).
    var totals: [(currency: Currency, amount: Int64)] {
        var totals: [Currency: Int64] = [:]
        for entry in expenses {
            totals[entry.draft.amount.currency, default: 0] += entry.draft.amount.minorUnits
        }
        return totals.map { (currency: $0.key, amount: $0.value) }
            .sorted { $0.currency < $1.currency }
    }
}

extension [Int: ID<Member>] {
    /// Who somebody in the file is.
    fileprivate func place(of person: Int) throws(APIError) -> ID<Member> {
        // Everybody whom a row names was looked for before.
        guard let member = self[person] else { throw APIError(.peopleNotMapped) }
        return member
    }
}

extension ExpenseDraft {
    /// An expense of another app, split exactly as it was there.
    init(
        _ row: GroupExportRow,
        members: [Int: ID<Member>],
        category: ID<GroupCategory>?
    ) throws(APIError) {
        details = ExpenseDetails(
            name: row.name,
            description: row.description,
            category: category,
            tags: [],
            location: nil
        )
        amount = row.amount
        day = row.day
        splitKind = .exact
        var (payments, shares): ([Part], [Part]) = ([], [])
        for part in row.paid {
            payments.append(Part(member: try members.place(of: part.person), amount: part.amount))
        }
        let exponent = row.amount.currency.exponent
        for part in row.shares {
            shares.append(
                Part(
                    member: try members.place(of: part.person),
                    amount: part.amount,
                    value: ExactDecimal(coefficient: part.amount, scale: exponent)
                )
            )
        }
        self.payments = payments
        self.shares = shares
        items = []
    }
}
