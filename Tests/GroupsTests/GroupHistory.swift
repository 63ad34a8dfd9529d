import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// A group, what has happened in it, and where that leaves everybody.
struct GroupHistory {
    static let currencies: [Currency] = [.eur, .jpy, .kwd]
    let harness: Harness
    let group: TestGroup
    let guests: [ID<Member>]
    let simplifies: Bool
    /// Who is in it, by their place among the users.
    private var present: Set<Int>
    /// Where each member stands, as a table of sums: what the service must say.
    private var sums: [Currency: [ID<Member>: Int64]] = [:]
    private var expenses: [ID<Expense>: ExpenseView] = [:]
    private var removed: [ID<Expense>: ExpenseView] = [:]
    private var settlements: [ID<Settlement>: SettlementView] = [:]

    /// One of two to six, some of whom are guests.
    init(
        in harness: Harness,
        people: Int? = nil,
        simplifies: Bool = true,
        _ random: inout SeededGenerator
    ) async throws {
        self.harness = harness
        self.simplifies = simplifies
        let count = people ?? Int.random(in: 2...6, using: &random)
        let guestCount = people == nil ? Int.random(in: 0..<count, using: &random) : 0
        let group = try await harness.makeGroup(of: count - guestCount)
        var guests: [ID<Member>] = []
        for number in 0..<guestCount {
            let guest = try await harness.database.transaction { transaction in
                try await harness.parts.members.add(
                    NewGuest(displayName: "G\(number)"),
                    to: group.id,
                    by: group.users[0],
                    in: transaction
                )
            }
            guests.append(guest.view.id)
        }
        (self.group, self.guests) = (group, guests)
        present = Set(group.users.indices)
        let set = Statement<Void>(
            "update groups.expense_group set simplifies_debts = $2 where id = $1"
        )
        try await harness.database.execute(set, group.id, simplifies)
    }

    private var everybody: [ID<Member>] { group.members + guests }
    private var here: [ID<Member>] { present.sorted().map { group.members[$0] } + guests }

    private func someone(_ random: inout SeededGenerator) -> Int {
        present.sorted().randomElement(using: &random) ?? 0
    }

    func view() async throws -> BalancesView {
        let reader = present.sorted().first ?? 0
        return try await harness.parts.balances.view(of: group.id, for: group.users[reader])
    }

    // MARK: Acting

    /// One step, whatever it is.
    mutating func act(_ random: inout SeededGenerator, _ place: Comment) async throws {
        let actor = group.users[someone(&random)]
        let expense = expenses.keys.sorted().randomElement(using: &random)
        let (before, away) = (sums, group.users.indices.filter { !present.contains($0) })
        var isEdit = false
        defer {
            // Nobody who has left owes more by what others change.
            for (currency, old) in before where isEdit {
                for member in away.map({ group.members[$0] }) {
                    let now = sums[currency]?[member] ?? 0
                    #expect(now >= old[member] ?? 0, place)
                }
            }
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<5: try await add(self.expense(&random), by: actor)
        case 5..<7:
            guard let expense else { return }
            isEdit = true
            try await change(expense, to: self.expense(&random), by: actor)
        case 7:
            guard let expense, let old = expenses[expense] else { return }
            isEdit = true
            let gone: Void? = try await unlessSomebodyLeft {
                try await harness.database.transaction { transaction in
                    _ = try await harness.parts.expenses.remove(
                        expense,
                        from: group.id,
                        by: actor,
                        ifMatch: nil,
                        in: transaction
                    )
                }
            }
            guard gone != nil else { return }
            expenses[expense] = nil
            removed[expense] = old
            count(old, sign: -1)
        case 8:
            guard let gone = removed.keys.sorted().randomElement(using: &random) else { return }
            isEdit = true
            let restored = try await unlessSomebodyLeft {
                try await harness.database.transaction { transaction in
                    try await harness.parts.expenses.restore(
                        gone,
                        of: group.id,
                        by: actor,
                        today: Period.ever.start,
                        in: transaction
                    )
                }
            }
            guard let back = restored else { return }
            removed[gone] = nil
            expenses[gone] = back
            count(back, sign: 1)
        case 9..<13: try await settle(by: someone(&random), &random, place)
        case 13:
            guard let gone = settlements.keys.sorted().randomElement(using: &random),
                let settlement = settlements[gone]
            else { return }
            isEdit = true
            try await remove(settlement, by: actor)
        case 14: try await leave(&random)
        default:
            let away = group.users.indices.filter { !present.contains($0) }
            guard let back = away.randomElement(using: &random) else { return }
            try await comeBack(back)
        }
    }

    mutating func add(_ body: NewExpense, by user: ID<User>) async throws {
        let made = try await harness.database.transaction { transaction in
            try await harness.parts.expenses.add(
                body,
                to: group.id,
                by: user,
                today: Period.ever.start,
                in: transaction
            )
        }
        expenses[made.id] = made
        count(made, sign: 1)
    }

    private mutating func change(
        _ id: ID<Expense>,
        to body: NewExpense,
        by user: ID<User>
    ) async throws {
        guard let old = expenses[id], let payers = body.paidBy, let split = body.split else {
            return
        }
        let changed = try await unlessSomebodyLeft {
            try await harness.database.transaction { transaction in
                try await harness.parts.expenses.change(
                    id,
                    of: group.id,
                    ExpenseChange(
                        amount: .set(body.amount),
                        paidBy: .set(payers),
                        split: .set(split)
                    ),
                    by: user,
                    today: Period.ever.start,
                    ifMatch: nil,
                    in: transaction
                )
            }
        }
        guard let new = changed else { return }
        expenses[id] = new
        count(old, sign: -1)
        count(new, sign: 1)
    }

    /// What `body` gives; nil where it would harm somebody who has left.
    private func unlessSomebodyLeft<Value>(
        _ body: () async throws -> Value
    ) async throws -> Value? {
        do { return try await body() } catch let error as APIError
            where error.code == .memberHasLeft
        {
            #expect(present.count < group.users.count)
            return nil
        }
    }

    /// Somebody goes, whatever they owe; one stays.
    private mutating func leave(_ random: inout SeededGenerator) async throws {
        guard present.count > 1 else { return }
        let gone = someone(&random)
        let isBySelf = Bool.random(using: &random)
        let others = present.subtracting([gone]).sorted()
        let actor = isBySelf ? gone : others.randomElement(using: &random) ?? gone
        try await harness.parts.members.end(
            isBySelf ? nil : group.members[gone],
            in: group.id,
            by: group.users[actor],
            isForced: true
        )
        present.remove(gone)
    }

    private mutating func comeBack(_ user: Int) async throws {
        let place = try await harness.database.transaction { transaction in
            try await MemberStore.join(group.id, group.users[user], in: transaction)
        }
        #expect(place == group.members[user])
        present.insert(user)
    }

    private func expense(_ random: inout SeededGenerator) -> NewExpense {
        let currency = Self.currencies.randomElement(using: &random) ?? .eur
        let amount = random.amount(upTo: 1 << 40) + 1
        let bearers = here.shuffled(using: &random)
            .prefix(Int.random(in: 1...here.count, using: &random))
        let payers = here.shuffled(using: &random)
            .prefix(amount > 1 ? Int.random(in: 1...2, using: &random) : 1)
        let first = payers.count == 1 ? amount : Int64.random(in: 1..<amount, using: &random)
        let kind: SplitKind = Bool.random(using: &random) ? .equal : .shares
        // One of three is money that came back.
        let sign: Int64 = Int.random(in: 0..<3, using: &random) == 0 ? -1 : 1
        return NewExpense(
            name: "Something",
            amount: Money(minorUnits: sign * amount, currency),
            paidBy: zip(payers, [first, amount - first]).map { member, units in
                MemberAmount(memberID: member, amount: Money(minorUnits: sign * units, currency))
            },
            split: Split(
                kind: kind,
                parts: bearers.map { member in
                    let shares = Int64.random(in: 1...9, using: &random)
                    return SplitPart(
                        memberID: member,
                        value: kind == .equal ? nil : ExactDecimal(coefficient: shares, scale: 0)
                    )
                }
            )
        )
    }

    // MARK: Settling

    func settle(
        _ body: NewSettlement,
        by user: ID<User>
    ) async throws -> Result<SettlementView, APIError> {
        do {
            return try await harness.database.transaction { transaction in
                let settled = try await harness.parts.settlements.settle(
                    body,
                    in: group.id,
                    by: user,
                    today: Period.ever.start,
                    in: transaction
                )
                return .success(settled)
            }
        } catch let error as APIError { return .failure(error) }
    }

    /// Removes a settlement, unless that harms somebody who has left.
    /// - Returns: whether it is removed.
    @discardableResult
    mutating func remove(_ settlement: SettlementView, by user: ID<User>) async throws -> Bool {
        let gone: Void? = try await unlessSomebodyLeft {
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.settlements.remove(
                    settlement.id,
                    from: group.id,
                    by: user,
                    ifMatch: nil,
                    in: transaction
                )
            }
        }
        guard gone != nil else { return false }
        if settlements.removeValue(forKey: settlement.id) != nil { count(settlement, sign: -1) }
        return true
    }

    /// Somebody settles anything with anybody, also with who has left.
    ///
    /// It is taken exactly where the model says so; taken back at once, all is as it was.
    private mutating func settle(
        by actor: Int,
        _ random: inout SeededGenerator,
        _ place: Comment
    ) async throws {
        let one = group.members[actor]
        guard let other = everybody.filter({ $0 != one }).randomElement(using: &random) else {
            return
        }
        let currency = Self.currencies.randomElement(using: &random) ?? .eur
        let before = try await view()
        let largest = largest(one, other, currency, before)
        let units: Int64 =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: largest ?? 1
            case 1: (largest ?? 1) + 1
            default: Int64.random(in: 1...max(1, largest ?? 1), using: &random)
            }
        let body = NewSettlement(
            withMemberID: other,
            amount: Money(minorUnits: units, currency)
        )
        switch try await settle(body, by: group.users[actor]) {
        case .success(let settlement):
            #expect(units <= largest ?? 0, place)
            let isTakenBack = Int.random(in: 0..<3, using: &random) == 0
            if isTakenBack,
                try await remove(settlement, by: group.users[someone(&random)])
            {
                let after = try await view()
                #expect(after == before, place)
            } else {
                settlements[settlement.id] = settlement
                count(settlement, sign: 1)
            }
        case .failure(let error):
            let isOpen = Self.currencies.contains { self.largest(one, other, $0, before) != nil }
            let none: ErrorCode = isOpen ? .invalidBody : .nothingToSettle
            let expected = largest == nil ? none : .settlementTooLarge
            #expect(error.code == expected && units > largest ?? 0, place)
        }
    }

    /// The most that two may settle by what a view says; nil where nothing is open.
    private func largest(
        _ one: ID<Member>,
        _ other: ID<Member>,
        _ currency: Currency,
        _ view: BalancesView
    ) -> Int64? {
        func crossing(_ from: ID<Member>, _ to: ID<Member>) -> Int64 {
            let sums = simplifies ? sums[currency] ?? [:] : [:]
            return max(0, min(-(sums[from] ?? 0), sums[to] ?? 0))
        }
        func amount(_ debts: [Debt], _ from: ID<Member>, _ to: ID<Member>) -> Int64? {
            let debt = debts.first {
                $0.fromMemberID == from && $0.toMemberID == to && $0.amount.currency == currency
            }
            return debt?.amount.minorUnits
        }
        let ways = [(one, other), (other, one)]
        let way =
            ways.first { amount(view.simplified, $0, $1) != nil }
            ?? ways.first { amount(view.debts, $0, $1) != nil }
            ?? ways.first { crossing($0, $1) > 0 }
        return way.map { max(amount(view.debts, $0, $1) ?? 0, crossing($0, $1)) }
    }

    mutating func bringEverybodyBack() async throws {
        for user in group.users.indices where !present.contains(user) {
            try await comeBack(user)
        }
    }

    /// What the view tells to pay is paid: of guests, by whoever has taken their places.
    mutating func payAsPlanned() async throws {
        var users = Dictionary(uniqueKeysWithValues: zip(group.members, group.users))
        for guest in guests {
            let user = ID<User>.new()
            try await harness.database.transaction { transaction in
                try await MemberStore.claim(guest, of: group.id, by: user, in: transaction)
            }
            users[guest] = user
        }
        for debt in try await view().simplified {
            let payer = try #require(users[debt.fromMemberID])
            let paid = try await settle(
                NewSettlement(withMemberID: debt.toMemberID, amount: debt.amount),
                by: payer
            ).get()
            settlements[paid.id] = paid
            count(paid, sign: 1)
        }
    }

    // MARK: Comparing

    private mutating func add(_ money: Money, to member: ID<Member>, sign: Int64) {
        sums[money.currency, default: [:]][member, default: 0] += sign * money.minorUnits
    }

    private mutating func count(_ expense: ExpenseView, sign: Int64) {
        for part in expense.paidBy { add(part.amount, to: part.memberID, sign: sign) }
        for part in expense.shares { add(part.amount, to: part.memberID, sign: -sign) }
    }

    private mutating func count(_ settlement: SettlementView, sign: Int64) {
        for payment in settlement.payments {
            add(payment.amount, to: payment.fromMemberID, sign: sign)
            add(payment.amount, to: payment.toMemberID, sign: -sign)
        }
    }

    /// That the service says what the model does, and keeps what its history comes to.
    func check(_ place: Comment) async throws {
        let wrong = try await harness.database.query(ConcurrencyTests.wrong, group.id)
        #expect(wrong.isEmpty, place)
        let view = try await view()
        var said: [Currency: [ID<Member>: Int64]] = [:]
        for member in view.members {
            for money in member.balances {
                #expect(!money.isZero, place)
                said[money.currency, default: [:]][member.memberID] = money.minorUnits
            }
        }
        for (currency, sums) in sums {
            let expected = sums.filter { $0.value != 0 }
            #expect(said[currency, default: [:]] == expected, place)
            #expect(expected.values.reduce(0, +) == 0, place)
            for debts in [view.debts, view.simplified] {
                var rest = sums
                for debt in debts where debt.amount.currency == currency {
                    #expect(debt.amount.isPositive, place)
                    rest[debt.fromMemberID, default: 0] += debt.amount.minorUnits
                    rest[debt.toMemberID, default: 0] -= debt.amount.minorUnits
                }
                #expect(rest.values.allSatisfy { $0 == 0 }, place)
            }
            guard simplifies else { continue }
            let simplified = view.simplified.filter { $0.amount.currency == currency }
            #expect(simplified.count <= max(0, expected.count - 1), place)
        }
    }
}
