import HTTP
import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// Gives all of a group's expenses and settlements as a table, which is written while it is read.
///
/// Once the table has begun, an error breaks the connection, so that nobody takes a part for the
/// whole.
struct ExpenseTableStore {
    private let database: Database
    /// Each holds a connection for as long as its reader takes.
    private let slots: Slots

    init(database: Database) {
        self.database = database
        let connections = max(1, database.configuration.leasedConnectionsMax / 2)
        slots = Slots(connections, perUserMax: 2)
    }

    func file(
        _ query: ExpenseQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> Response<ExpensePage> {
        let membership = try await Membership.find(user, in: group, database)
        let filter = try await ExpenseFilter.read(query, of: membership, database)
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 5)
        }
        let (database, order) = (database, query.sort)
        // The slot is given back with the closure, whether or not it came to writing.
        var response = Response<ExpensePage>.stream(type: ExpenseListFormat.tableType) {
            [slot] writer in
            // Once only: what was sent cannot be taken back.
            let options = TransactionOptions(
                isolation: .repeatableRead,
                readOnly: true,
                attemptsMax: 1
            )
            try await database.transaction(options) { snapshot in
                try await ExpenseTableWriting(
                    filter: filter,
                    order: order,
                    snapshot: snapshot,
                    writer: writer
                ).run()
            }
            _ = slot
        }
        let name = membership.group.reference.map { "\($0) expenses.csv" } ?? "expenses.csv"
        response.headers.append(.contentDisposition, AttachmentName.disposition(name))
        return response
    }
}

/// Writes one table: all of one snapshot, on one connection, in pages.
///
/// Neither the rows nor the table are ever in memory as a whole.
private struct ExpenseTableWriting {
    let filter: ExpenseFilter
    let order: ExpenseOrder
    let snapshot: Transaction
    let writer: BodyWriter

    /// Rows of a page, and bytes of a piece.
    private static let page = 200
    private static let pieceBytes = 65_536

    func run() async throws {
        let members = try await snapshot.query(
            MemberStatements.list,
            filter.group,
            ID<Member>(high: 0, low: 0),
            true,
            GroupStore.placesMax
        )
        let categories = try await snapshot.query(GroupCategoryStatements.list, filter.group)
        var table = ExpenseTable(members: members, categories: categories)
        try await writeExpenses(to: &table)
        if filter.takesSettlements { try await writeSettlements(to: &table) }
        try await writer.write(table.take())
    }

    private func writeExpenses(to table: inout ExpenseTable) async throws {
        var cursor: Cursor?
        repeat {
            let query = ExpenseQuery(sort: order, limit: Self.page, cursor: cursor)
            let rows = try await snapshot.query(ExpenseStatements.list(query, by: filter))
                .map(\.expense)
            let shown = Array(rows.prefix(Self.page))
            for view in try await ExpenseStore.views(shown, of: filter.group, snapshot) {
                table.append(view)
                try await send(&table)
            }
            cursor = rows.count > shown.count ? shown.last.map { Cursor(ExpensePlace($0)) } : nil
        } while cursor != nil
    }

    /// Newest first, as they are listed.
    private func writeSettlements(to table: inout ExpenseTable) async throws {
        var before = ID<Settlement>(high: .max, low: .max)
        while true {
            let rows = try await snapshot.query(
                SettlementStatements.list,
                filter.group,
                before,
                Self.page
            )
            guard let last = rows.last else { return }
            let payments = Dictionary(
                grouping: try await snapshot.query(
                    SettlementStatements.payments,
                    filter.group,
                    rows.map(\.id)
                ),
                by: \.settlement
            )
            for row in rows where filter.takes(row) {
                for payment in payments[row.id, default: []] where filter.takes(payment) {
                    table.append(payment, on: row.day)
                }
                try await send(&table)
            }
            before = last.id
        }
    }

    /// Sends what is a piece.
    private func send(_ table: inout ExpenseTable) async throws {
        if table.count > Self.pieceBytes { try await writer.write(table.take()) }
    }
}

extension ExpenseFilter {
    /// Settlements have neither categories nor tags, words or places to be looked for.
    fileprivate var takesSettlements: Bool {
        categories.isEmpty && tags.isEmpty && words == nil && near == nil
    }

    fileprivate func takes(_ settlement: SettlementRow) -> Bool {
        settlement.state != .void && (from.map { settlement.day >= $0 } ?? true)
            && (to.map { settlement.day <= $0 } ?? true)
            && (addedBy.map { settlement.recordedBy == $0 } ?? true)
    }

    fileprivate func takes(_ payment: SettlementPayment) -> Bool {
        let amount = payment.debt.amount
        return (currency.map { amount.currency == $0 } ?? true)
            && (least.map { amount.minorUnits >= $0 } ?? true)
            && (most.map { amount.minorUnits <= $0 } ?? true)
    }
}
