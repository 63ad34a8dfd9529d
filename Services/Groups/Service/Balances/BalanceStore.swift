import Postgres
import ServiceKit
import WalletProtocol

/// Where everybody stands.
final class BalanceStore {
    let database: Database
    private let rates: RateLedger

    init(database: Database, rates: RateLedger) {
        self.database = database
        self.rates = rates
    }

    /// Adds debts to what is open between members, and to where each one stands.
    ///
    /// The caller holds the group's row. Sums of a currency stay zero: each debt takes from one
    /// what it gives to the other.
    static func add(
        _ debts: [MemberDebt],
        to group: ID<Group>,
        in transaction: Transaction
    ) async throws {
        let byCurrency = Dictionary(grouping: debts) { $0.amount.currency }
        for (currency, debts) in byCurrency.sorted(by: { $0.key < $1.key }) {
            let changes = try BalanceChanges(debts)
            try await within64Bits {
                try await transaction.execute(
                    BalanceStatements.addToPairs,
                    group,
                    currency,
                    changes.pairs.map(\.low),
                    changes.pairs.map(\.high),
                    changes.pairs.map(\.amount)
                )
                try await transaction.execute(
                    BalanceStatements.addToMembers,
                    group,
                    currency,
                    changes.members.map(\.member),
                    changes.members.map(\.amount)
                )
            }
        }
    }

    /// Adds to sums.
    /// - Throws: 422 where one would leave 64 bits.
    @discardableResult
    static func within64Bits<Value>(
        _ adding: () async throws -> Value
    ) async throws -> Value {
        do { return try await adding() } catch let error as DatabaseError where error.isOutOfRange {
            throw APIError.field(
                "/amount",
                .outOfRange,
                "the group's sums would not fit any more"
            )
        }
    }

    /// A group's balances, as of one moment, in as many currencies as one answer holds; with the
    /// first of them so many of the debts.
    func view(
        of group: ID<Group>,
        for user: ID<User>,
        from cursor: Cursor? = nil,
        debts limit: Int = ExplainedDebt.countMax
    ) async throws -> BalancesView {
        let membership = try await Membership.find(user, in: group, database)
        let place = try cursor?.decode(Currency.self)
        let options = TransactionOptions(isolation: .repeatableRead, readOnly: true)
        let (members, page, debts) = try await database.transaction(options) { transaction in
            (
                try await transaction.query(GroupStatements.present, group),
                try await BalancePage(of: group, behind: place, in: transaction),
                place == nil
                    ? try await DebtPage(of: group, limit: limit, in: transaction) : nil
            )
        }
        let balances = page.rows
        let byMember = Dictionary(grouping: balances, by: \.member)
        // Who has left with something open still owes it, or is owed it.
        let named = Set(members.map(\.id)).union(byMember.keys).sorted()
        let currency = membership.group.currency
        let converted = try await ConvertedBalances(of: balances, in: currency, by: rates)
        let plan =
            membership.group.simplifiesDebts
            ? Self.simplified(balances).map(\.view) : debts?.debts.map(\.debt.view) ?? []
        return BalancesView(
            currency: currency,
            members: named.map { member in
                MemberBalance(
                    memberID: member,
                    balances: byMember[member, default: []].map(\.amount),
                    converted: converted.sums[member] ?? .zero(currency)
                )
            },
            debts: debts?.page.items ?? [],
            simplified: plan,
            rates: converted.rates.sorted { $0.key < $1.key }
                .map { BalanceRate(currency: $0.key, rate: $0.value) },
            unconverted: converted.unconverted,
            nextCursor: debts?.page.nextCursor,
            nextCurrencies: page.next.map { Cursor($0) }
        )
    }

    /// Whether somebody owes or is owed anything: on the whole, or where debts are not simplified,
    /// anybody.
    static func isOpen(
        _ member: ID<Member>,
        in group: GroupRow,
        _ database: some Querying
    ) async throws -> Bool {
        guard group.simplifiesDebts else {
            return try await !database.query(BalanceStatements.pairs, group.id, [member]).isEmpty
        }
        return try await database.queryOne(BalanceStatements.isBalanced, group.id, member) == false
    }

    /// Has whoever owes somebody who goes, and is even on the whole, owe it to whom they owe.
    static func passOn(
        _ member: ID<Member>,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws {
        let pairs = try await transaction.query(BalanceStatements.pairs, group, [member])
        try await add(Debts.passed(on: pairs, by: member), to: group, in: transaction)
    }

    /// Few payments that settle everything, currency by currency.
    static func simplified(_ balances: [BalanceRow]) -> [MemberDebt] {
        let byCurrency = Dictionary(grouping: balances) { $0.amount.currency }
        return byCurrency.sorted { $0.key < $1.key }.flatMap { currency, rows in
            let rows = rows.sorted { $0.member < $1.member }
            return Debts.simplified(rows.map(\.amount.minorUnits)).map { payment in
                MemberDebt(
                    debtor: rows[payment.debtor].member,
                    creditor: rows[payment.creditor].member,
                    amount: Money(minorUnits: payment.amount, currency)
                )
            }
        }
    }
}

/// What debts of one currency change, each pair and each member once.
struct BalanceChanges {
    typealias Pair = (low: ID<Member>, high: ID<Member>, amount: Int64)
    typealias Single = (member: ID<Member>, amount: Int64)
    let pairs: [Pair]
    let members: [Single]

    /// - Throws: `MoneyError.overflow`, where one pair's or member's changes do not fit.
    init(_ debts: [MemberDebt]) throws {
        struct Two: Hashable {
            let low: ID<Member>
            let high: ID<Member>
        }
        var pairs: [Two: Int64] = [:]
        var members: [ID<Member>: Int64] = [:]
        func add(_ amount: Int64, to sum: inout Int64) throws(MoneyError) {
            let (next, overflow) = sum.addingReportingOverflow(amount)
            if overflow { throw .overflow }
            sum = next
        }
        for debt in debts {
            let isLow = debt.debtor < debt.creditor
            let pair = Two(
                low: isLow ? debt.debtor : debt.creditor,
                high: isLow ? debt.creditor : debt.debtor
            )
            let amount = debt.amount.minorUnits
            try add(isLow ? amount : -amount, to: &pairs[pair, default: 0])
            try add(-amount, to: &members[debt.debtor, default: 0])
            try add(amount, to: &members[debt.creditor, default: 0])
        }
        self.pairs =
            pairs.map { (low: $0.key.low, high: $0.key.high, amount: $0.value) }
            .sorted { ($0.low, $0.high) < ($1.low, $1.high) }
        self.members =
            members.map { (member: $0.key, amount: $0.value) }
            .sorted { $0.member < $1.member }
    }
}

/// Where everybody in a group stands.
struct GetBalances: Handler {
    static let endpoint = WalletProtocol.Settlements.balances
    let balances: BalanceStore

    func handle(
        _ request: Request<BalanceQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<BalancesView> {
        .ok(
            try await balances.view(
                of: request.path.id(),
                for: caller.user.id,
                from: request.query.cursor
            )
        )
    }
}

extension DatabaseError {
    /// Whether a sum did not fit in 64 bits (22003, or the value without a counterpart).
    fileprivate var isOutOfRange: Bool {
        guard case .server(let error) = self else { return false }
        return error.sqlState == SQLState("22003")
            || error.constraint == "pair_balance_fits"
            || error.constraint == "member_balance_fits"
    }
}
