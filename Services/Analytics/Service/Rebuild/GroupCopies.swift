import Postgres
import ServiceKit
import WalletProtocol

/// Groups' categories that stand below another.
struct GroupCategoryCopy: CopiedTable {
    let origins: Origins
    var producer: ServiceName { .groups }
    var isOfPeople: Bool { false }

    func aggregate(of key: CopyKey) -> String { "group:\(key.owner)" }

    func told(_ query: SnapshotQuery) async throws -> ToldPage {
        ToldPage(try await origins.groupCategories(query)) {
            CopyKey($0.groupID, $0.categoryID)
        } row: {
            $0.parentID.map { [$0.text] }
        }
    }

    func kept(
        after: CopyKey,
        through: CopyKey,
        limit: Int,
        in database: some Querying
    ) async throws -> [CopyRow] {
        try await database.query(
            CopyStatements.groupCategories,
            after.owner,
            after.part,
            through.owner,
            through.part,
            limit
        )
    }

    func replace(
        _ rows: [(row: CopyRow, sequence: Int64)],
        removing keys: [CopyKey],
        in transaction: Transaction
    ) async throws {
        for key in keys {
            try await transaction.execute(GroupExpenseStatements.raiseCategory, key.owner, key.part)
        }
        guard !rows.isEmpty else { return }
        try await transaction.execute(
            CopyStatements.putGroupCategories,
            rows.map(\.row.key.owner),
            rows.map(\.row.key.part),
            rows.map(\.row.columns[0])
        )
    }

    func words(_ key: CopyKey, told: CopyRow?, kept: CopyRow?) -> String {
        line("category \(key.part) of group \(key.owner)", told, kept) { row in
            "parent \(row.columns[0] ?? "none")"
        }
    }
}

/// What groups have spent.
struct GroupExpenseCopy: CopiedTable {
    let origins: Origins
    var producer: ServiceName { .groups }
    var isOfPeople: Bool { false }

    func aggregate(of key: CopyKey) -> String { "group:\(key.owner)" }

    func told(_ query: SnapshotQuery) async throws -> ToldPage {
        ToldPage(try await origins.expenses(query)) {
            CopyKey($0.groupID, $0.expenseID)
        } row: {
            GroupExpense($0).columns
        }
    }

    func kept(
        after: CopyKey,
        through: CopyKey,
        limit: Int,
        in database: some Querying
    ) async throws -> [CopyRow] {
        try await database.query(
            GroupExpenseStatements.some,
            after.owner,
            after.part,
            through.owner,
            through.part,
            limit
        ).map { CopyRow(key: CopyKey($0.group, $0.id), columns: $0.columns) }
    }

    func replace(
        _ rows: [(row: CopyRow, sequence: Int64)],
        removing keys: [CopyKey],
        in transaction: Transaction
    ) async throws {
        let all = rows.map(\.row.key) + keys
        let changes = try await GroupExpenses.replace(
            all.map { key in
                GroupExpense.Key(
                    group: key.owner.retagged(Group.self),
                    id: key.part.retagged(Expense.self)
                )
            },
            with: rows.compactMap { GroupExpense($0.row) },
            in: transaction
        )
        try await Cells.apply(changes, in: transaction)
    }

    func words(_ key: CopyKey, told: CopyRow?, kept: CopyRow?) -> String {
        line("expense \(key.part) of group \(key.owner)", told, kept) { row in
            guard let expense = GroupExpense(row) else { return "unreadable" }
            return "\(expense.day.text) \(expense.amount), category \(expense.category)"
        }
    }
}

extension GroupExpense {
    fileprivate init(_ told: StandingExpense) {
        self.init(
            id: told.expenseID,
            group: told.groupID,
            day: told.day,
            amount: told.amount,
            // «Others» has the group's own name.
            category: told.categoryID ?? told.groupID.retagged(GroupCategory.self)
        )
    }

    fileprivate init?(_ row: CopyRow) {
        guard row.columns.count == 4, let day = row.columns[0].flatMap({ Day($0) }),
            let units = row.columns[1].flatMap({ Int64($0) }),
            let currency = row.columns[2].flatMap({ Currency($0) }),
            let category = row.columns[3].flatMap({ ID<GroupCategory>($0) })
        else { return nil }
        self.init(
            id: row.key.part.retagged(Expense.self),
            group: row.key.owner.retagged(Group.self),
            day: day,
            amount: Money(minorUnits: units, currency),
            category: category
        )
    }

    fileprivate var columns: [String?] {
        [day.text, String(amount.minorUnits), amount.currency.code, category.text]
    }
}
