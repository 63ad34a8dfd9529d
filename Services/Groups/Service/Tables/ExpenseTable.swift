import BankFiles
import Text
import WalletProtocol

/// A group's expenses and settlements as a table of text: a line each, and for each place in the
/// group what they paid and what they bear.
struct ExpenseTable {
    private var table: CSVTable
    private let columns: [ID<Member>: Int]
    private let categories: [ID<GroupCategory>: String]

    /// - Parameter members: all places of the group, those that were left too.
    init(members: [MemberRow], categories: [GroupCategoryRow]) {
        let names = Self.distinct(members.map(\.displayName))
        let own = GroupTableColumns.all.map { CSVTable.Field.plain($0) }
        let sides = [GroupTableColumns.paidBy, GroupTableColumns.shareOf].flatMap { side in
            names.map { CSVTable.Field.text(side + $0) }
        }
        table = CSVTable(headings: own + sides)
        columns = Dictionary(
            members.enumerated().map { ($1.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        self.categories = Dictionary(
            categories.map { ($0.id, $0.name) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Of two places with the same name the second is called «Alex (2)».
    private static func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.map { name in
            var (unique, number) = (name, 1)
            while !seen.insert(unique).inserted {
                number += 1
                unique = "\(name) (\(number))"
            }
            return unique
        }
    }

    /// Bytes that were not taken yet.
    var count: Int { table.bytes.count }

    mutating func take() -> [UInt8] { table.take() }

    mutating func append(_ expense: ExpenseView) {
        append(
            [
                .plain(expense.date.text), expense.amount.isNegative ? "refund" : "expense",
                .text(expense.name), .plain(expense.amount.currency.code),
                .plain(expense.amount.amount), .text(categories[expense.categoryID]),
                .text(expense.description), .text(expense.tags.joined(separator: ", ")),
            ],
            paid: expense.paidBy,
            shares: expense.shares
        )
    }

    /// One currency of a settlement.
    mutating func append(_ payment: SettlementPayment, on day: Day) {
        let amount = payment.debt.amount
        append(
            [
                .plain(day.text), .plain(GroupTableColumns.settlement), "Settlement",
                .plain(amount.currency.code), .plain(amount.amount), .plain(nil),
                .text(payment.paid.map { "Paid: \($0.amount) \($0.currency.code)" }),
                .plain(nil),
            ],
            paid: [MemberAmount(memberID: payment.debt.debtor, amount: amount)],
            shares: [MemberAmount(memberID: payment.debt.creditor, amount: amount)]
        )
    }

    private mutating func append(
        _ fields: [CSVTable.Field],
        paid: [MemberAmount],
        shares: [MemberAmount]
    ) {
        var sides = [CSVTable.Field](repeating: .plain(nil), count: columns.count * 2)
        for part in paid {
            if let column = columns[part.memberID] { sides[column] = .plain(part.amount.amount) }
        }
        for part in shares {
            guard let column = columns[part.memberID] else { continue }
            sides[columns.count + column] = .plain(part.amount.amount)
        }
        table.append(fields + sides)
    }
}
