import Postgres
import ServiceKit
import WalletProtocol

/// Where a page of a snapshot begins: behind this one of a group.
struct SnapshotPlace: JSONObject, Hashable {
    let group: ID<Group>
    let id: ID<Expense>

    static let json = Object(
        SnapshotPlace.init(group:id:),
        Field("group", \.group),
        Field("id", \.id)
    )

    static let start = SnapshotPlace(group: ID(high: 0, low: 0), id: ID(high: 0, low: 0))
}

/// All that stands, for read models that begin anew.
///
/// Whatever changes a group tells of it in the same transaction, under one sequence: so a row and
/// the sequence that one statement reads are of one moment, and whoever applies the events above
/// the lowest sequence of a group has what its events have told.
final class SnapshotStore {
    private let database: Database

    /// How many expenses come at once: more would be too long an answer with all who bear them.
    static let expensesMax = 200

    init(database: Database) {
        self.database = database
    }

    func groups(_ query: SnapshotQuery) async throws -> Page<Snapshot<GroupCreated>> {
        let after = try query.cursor?.decode(ID<Group>.self) ?? ID(high: 0, low: 0)
        let rows = try await database.query(SnapshotStatements.groups, after, query.limit + 1)
        return Page(rows: rows.map { $0.view(of: $0.value.groupID) }, limit: query.limit) {
            Cursor($0.data.groupID)
        }
    }

    func members(_ query: SnapshotQuery) async throws -> Page<Snapshot<GroupMemberJoined>> {
        let after = try query.cursor?.decode(SnapshotPlace.self) ?? .start
        let rows = try await database.query(
            SnapshotStatements.members,
            after.group,
            after.id,
            query.limit + 1
        )
        return Page(rows: rows.map { $0.view(of: $0.value.groupID) }, limit: query.limit) {
            let id = $0.data.memberID.retagged(Expense.self)
            return Cursor(SnapshotPlace(group: $0.data.groupID, id: id))
        }
    }

    func categories(_ query: SnapshotQuery) async throws -> Page<Snapshot<GroupCategoryChanged>> {
        let after = try query.cursor?.decode(SnapshotPlace.self) ?? .start
        let rows = try await database.query(
            SnapshotStatements.categories,
            after.group,
            after.id,
            query.limit + 1
        )
        return Page(rows: rows.map { $0.view(of: $0.value.groupID) }, limit: query.limit) {
            let id = $0.data.categoryID.retagged(Expense.self)
            return Cursor(SnapshotPlace(group: $0.data.groupID, id: id))
        }
    }

    func expenses(_ query: SnapshotQuery) async throws -> Page<Snapshot<StandingExpense>> {
        let limit = min(query.limit, Self.expensesMax)
        let after = try query.cursor?.decode(SnapshotPlace.self) ?? .start
        let options = TransactionOptions(isolation: .repeatableRead, readOnly: true)
        let (rows, sides) = try await database.transaction(options) { transaction in
            let rows = try await transaction.query(
                SnapshotStatements.expenses,
                after.group,
                after.id,
                limit + 1
            )
            let sides = try await transaction.query(
                SnapshotStatements.sides,
                rows.prefix(limit).map(\.value.groupID),
                rows.prefix(limit).map(\.value.expenseID)
            )
            return (rows, Dictionary(grouping: sides, by: \.expense))
        }
        let views = rows.map { row in
            var shares: [UserShare] = []
            for side in sides[row.value.expenseID, default: []] {
                let currency = row.value.amount.currency
                // Both sides of one member follow each other.
                let before = shares.last.flatMap { $0.memberID == side.member ? $0 : nil }
                if before != nil { shares.removeLast() }
                let paid = (before?.paid.minorUnits ?? 0) + side.paid
                let owed = (before?.owed.minorUnits ?? 0) + side.owed
                shares.append(
                    UserShare(
                        memberID: side.member,
                        userID: side.user,
                        paid: Money(minorUnits: paid, currency),
                        owed: Money(minorUnits: owed, currency)
                    )
                )
            }
            return row.view(of: row.value.groupID) { $0.borne(by: shares) }
        }
        return Page(rows: views, limit: limit) {
            Cursor(SnapshotPlace(group: $0.data.groupID, id: $0.data.expenseID))
        }
    }
}

extension SnapshotRow where Value: JSONObject {
    fileprivate func view(
        of group: ID<Group>,
        _ filled: (Value) -> Value = { $0 }
    ) -> Snapshot<Value> {
        Snapshot(aggregate: group.aggregate, sequence: sequence, data: filled(value))
    }
}

extension StandingExpense {
    fileprivate func borne(by shares: [UserShare]) -> StandingExpense {
        StandingExpense(
            expenseID: expenseID,
            groupID: groupID,
            amount: amount,
            day: day,
            categoryID: categoryID,
            coicop: coicop,
            splitKind: splitKind,
            shares: shares
        )
    }
}
