import JSONCodec
import Postgres
import ServiceKit
import WalletProtocol

/// Expenses on their way into the database in one statement, of whatever groups.
///
/// Whoever writes them holds their groups' rows.
struct WrittenExpenses {
    private var records: [ExpenseRecord] = []
    private var debts: [(group: ID<Group>, expense: ID<Expense>, debt: MemberDebt)] = []
    private var items: [(group: ID<Group>, expense: ID<Expense>, items: [SplitItem])] = []

    /// Adds one to them.
    mutating func append(
        _ draft: ExpenseDraft,
        _ id: ID<Expense>,
        by membership: Membership,
        recurrence: ID<Recurrence>? = nil
    ) {
        let group = membership.group.id
        records.append(
            ExpenseRecord(
                group: group,
                id: id,
                draft: draft,
                addedBy: membership.member,
                recurrence: recurrence
            )
        )
        debts += draft.debts.map { (group: group, expense: id, debt: $0) }
        if !draft.items.isEmpty { items.append((group, id, draft.items)) }
    }

    /// Writes them, with what they make each owe each.
    /// - Returns: when they were written.
    /// - Throws: 422 where a sum would leave 64 bits.
    func write(in transaction: Transaction) async throws -> Instant {
        let written = try await BalanceStore.within64Bits {
            let (pairs, members) = try changes()
            let totals = totals()
            return try await transaction.queryOne(
                ExpenseStatements.add,
                JSON.text(records),
                debts.map(\.group),
                debts.map(\.expense),
                debts.map(\.debt.debtor),
                debts.map(\.debt.creditor),
                debts.map(\.debt.amount.currency),
                debts.map(\.debt.amount.minorUnits),
                totals.map(\.key.group),
                totals.map(\.key.currency),
                totals.map(\.value),
                pairs.map(\.sum.group),
                pairs.map(\.sum.currency),
                pairs.map(\.change.low),
                pairs.map(\.change.high),
                pairs.map(\.change.amount),
                members.map(\.sum.group),
                members.map(\.sum.currency),
                members.map(\.change.member),
                members.map(\.change.amount)
            )
        }
        guard let written else { throw APIError(.internalError) }
        for (group, expense, items) in items {
            try await ExpenseStore.write(items, of: expense, in: group, transaction)
        }
        return written
    }

    /// A sum of a group is one of a currency.
    private struct Sum: Hashable, Comparable {
        let group: ID<Group>
        let currency: Currency

        static func < (one: Sum, other: Sum) -> Bool {
            (one.group, one.currency) < (other.group, other.currency)
        }
    }

    private func totals() -> [(key: Sum, value: Int128)] {
        var totals: [Sum: Int128] = [:]
        for record in records {
            let sum = Sum(group: record.group, currency: record.currency)
            totals[sum, default: 0] += Int128(record.amount)
        }
        return totals.sorted { $0.key < $1.key }
    }

    private func changes() throws -> (
        pairs: [(sum: Sum, change: BalanceChanges.Pair)],
        members: [(sum: Sum, change: BalanceChanges.Single)]
    ) {
        let bySum = Dictionary(grouping: debts) { debt in
            Sum(group: debt.group, currency: debt.debt.amount.currency)
        }
        var pairs: [(sum: Sum, change: BalanceChanges.Pair)] = []
        var members: [(sum: Sum, change: BalanceChanges.Single)] = []
        for (sum, debts) in bySum.sorted(by: { $0.key < $1.key }) {
            let changes = try BalanceChanges(debts.map(\.debt))
            pairs += changes.pairs.map { (sum: sum, change: $0) }
            members += changes.members.map { (sum: sum, change: $0) }
        }
        return (pairs, members)
    }
}

/// An expense as `ExpenseStatements.add` reads it: its columns, by their names.
private struct ExpenseRecord: JSONObject, Hashable {
    let group: ID<Group>
    let id: ID<Expense>
    let name: String
    let description: String?
    let amount: Int64
    let currency: Currency
    let day: Day
    let splitKind: String?
    let addedBy: ID<Member>
    let category: ID<GroupCategory>?
    let tags: [String]?
    let latitude: Int32?
    let longitude: Int32?
    let placeName: String?
    let recurrence: ID<Recurrence>?
    let payers: [ID<Member>]
    let paid: [Int64]
    let bearers: [ID<Member>]
    let borne: [Int64]
    let shareValues: [String?]?

    static let json = Object(
        ExpenseRecord.init,
        Field("group_id", \.group),
        Field("id", \.id),
        Field("name", \.name),
        Field("description", \.description),
        Field("amount", \.amount),
        Field("currency", \.currency),
        Field("day", \.day),
        Field("split_kind", \.splitKind),
        Field("added_by", \.addedBy),
        Field("category_id", \.category),
        Field("tags", \.tags),
        Field("latitude", \.latitude),
        Field("longitude", \.longitude),
        Field("place_name", \.placeName),
        Field("recurrence_id", \.recurrence),
        Field("payer_ids", \.payers),
        Field("paid", \.paid),
        Field("bearer_ids", \.bearers),
        Field("borne", \.borne),
        Field("share_values", \.shareValues)
    )
}

extension ExpenseRecord {
    fileprivate init(
        group: ID<Group>,
        id: ID<Expense>,
        draft: ExpenseDraft,
        addedBy: ID<Member>,
        recurrence: ID<Recurrence>?
    ) {
        let sides = draft.sides
        self.init(
            group: group,
            id: id,
            name: draft.details.name,
            description: draft.details.description,
            amount: draft.amount.minorUnits,
            currency: draft.amount.currency,
            day: draft.day,
            splitKind: draft.splitKind?.rawValue,
            addedBy: addedBy,
            category: draft.details.category,
            tags: draft.details.tags.isEmpty ? nil : draft.details.tags,
            latitude: draft.details.location?.latitude,
            longitude: draft.details.location?.longitude,
            placeName: draft.details.location?.label,
            recurrence: recurrence,
            payers: sides.payers,
            paid: sides.paid,
            bearers: sides.bearers,
            borne: sides.borne,
            shareValues: sides.values.isEmpty ? nil : sides.values
        )
    }
}
