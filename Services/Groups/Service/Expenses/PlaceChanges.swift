import Postgres
import ServiceKit
import WalletProtocol

/// What a write changes for each place of a group, by currency.
///
/// Whoever has left a group, or was removed, reads nothing of it and cannot undo anything. So no
/// write raises a share of a place that is left, and none makes such a person owe more, or be owed
/// less: neither an edit, another payer, a removal or its undo, nor a settlement that is removed.
/// Lower shares are no harm. The same holds for the other in a group of two where new debts are
/// refused.
struct PlaceChanges {
    private struct Sum: Hashable {
        let member: ID<Member>
        let currency: Currency
    }

    private var owed: [Sum: Int128] = [:]
    /// What was paid less what is owed.
    private var stands: [Sum: Int128] = [:]

    init() {}

    /// Of an expense that is written and was not there before.
    init(adding draft: ExpenseDraft) { add(draft) }

    /// Counts an expense that is written.
    mutating func add(_ draft: ExpenseDraft) {
        for part in draft.payments { count(part.member, draft.amount.currency, paid: part.amount) }
        for part in draft.shares { count(part.member, draft.amount.currency, owed: part.amount) }
    }

    /// Counts an expense that was there before.
    mutating func remove(_ expense: ExpenseView) {
        let currency = expense.amount.currency
        for part in expense.paidBy { count(part.memberID, currency, paid: -part.amount.minorUnits) }
        for part in expense.shares { count(part.memberID, currency, owed: -part.amount.minorUnits) }
    }

    /// Counts debts, which are nobody's shares.
    mutating func add(_ debts: [MemberDebt]) {
        for debt in debts {
            let (amount, currency) = (Int128(debt.amount.minorUnits), debt.amount.currency)
            stands[Sum(member: debt.debtor, currency: currency), default: 0] -= amount
            stands[Sum(member: debt.creditor, currency: currency), default: 0] += amount
        }
    }

    private mutating func count(
        _ member: ID<Member>,
        _ currency: Currency,
        paid: Int64 = 0,
        owed borne: Int64 = 0
    ) {
        let sum = Sum(member: member, currency: currency)
        owed[sum, default: 0] += Int128(borne)
        stands[sum, default: 0] += Int128(paid) - Int128(borne)
    }

    /// Places whose share rises in some currency.
    private var raised: Set<ID<Member>> { Set(owed.filter { $0.value > 0 }.keys.map(\.member)) }
    /// Places that owe more, or are owed less, in some currency.
    private var worse: Set<ID<Member>> { Set(stands.filter { $0.value < 0 }.keys.map(\.member)) }

    /// - Throws: `member-has-left`, `not-agreed`. The caller holds the group's row.
    func check(by membership: Membership, _ transaction: Transaction) async throws {
        let (raised, worse) = (raised, worse)
        let named = raised.union(worse)
        guard !named.isEmpty else { return }
        let guarded = try await transaction.query(
            PlaceStatements.guarded,
            membership.group.id,
            named.sorted(),
            membership.user
        )
        for place in guarded
        where raised.contains(place.id) || (place.isSomebodys && worse.contains(place.id)) {
            throw APIError(place.hasLeft ? .memberHasLeft : .notAgreed)
        }
    }

    /// The same of an expense that is new, in a group of two where new debts are refused.
    /// - Throws: `not-agreed`.
    func check(
        refusedTo user: ID<User>,
        among members: [(id: ID<Member>, user: ID<User>?)]
    ) throws(APIError) {
        let named = raised.union(worse)
        let isHarmed = members.contains { member in
            member.user != nil && member.user != user && named.contains(member.id)
        }
        if isHarmed { throw APIError(.notAgreed) }
    }
}
