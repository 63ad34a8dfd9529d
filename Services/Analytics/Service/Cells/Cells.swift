import Postgres
import ServiceKit
import WalletProtocol

/// Something that counts from now on (`sign` 1), or no longer (-1).
struct CellChange {
    /// Whose: a person, or a group.
    let owner: ID<CellOwner>
    let account: ID<Account>
    let category: CategoryID
    let amount: Money
    let day: Day
    /// Which part of it, from 0.
    let part: Int32
    let sign: Int32
}

/// A person or a group, as cells know it.
enum CellOwner {}

extension CellChange {
    /// A fact: whose, account, category, currency, day, amount, part.
    init(_ row: borrowing PostgresRow, sign: Int32) throws {
        owner = try row.value(0)
        account = try row.value(1)
        category = try row.value(2)
        amount = Money(minorUnits: try row.int64(5), try row.value(3))
        day = try row.value(4)
        part = try row.value(6)
        self.sign = sign
    }
}

/// Keeps what reports are summed from.
enum Cells {
    /// Adds what counts now and takes off what no longer does; a call a transaction.
    static func apply(_ changes: [CellChange], in transaction: Transaction) async throws {
        let sums = MonthSums(changes)
        guard !sums.cells.isEmpty else { return }
        try await transaction.execute(
            ReportCellStatements.add,
            sums.cells.map(\.key.owner),
            sums.cells.map(\.key.currency.code),
            sums.cells.map(\.key.month),
            sums.cells.map(\.key.category),
            sums.cells.map(\.key.account),
            sums.cells.map(\.key.isIncome),
            sums.cells.map(\.sum.amount),
            sums.cells.map(\.sum.parts),
            sums.cells.map(\.sum.transactions),
            sums.cells.map(\.days.lowerBound),
            sums.cells.map(\.days.upperBound),
            sums.days
        )
    }
}
