import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Expenses, balances and settlements on a real server, held against a small model.
@Suite struct MoneyTests {
    /// Where each member stands, as a table of sums: what the service must say.
    private struct Model {
        var sums: [Currency: [ID<Member>: Int64]] = [:]

        mutating func add(_ money: Money, to member: ID<Member>, sign: Int64) {
            sums[money.currency, default: [:]][member, default: 0] += sign * money.minorUnits
        }

        mutating func add(_ expense: ExpenseView, sign: Int64) {
            for part in expense.paidBy { add(part.amount, to: part.memberID, sign: sign) }
            for part in expense.shares { add(part.amount, to: part.memberID, sign: -sign) }
        }

        mutating func add(_ settlement: SettlementView) {
            for payment in settlement.payments {
                add(payment.amount, to: payment.fromMemberID, sign: 1)
                add(payment.amount, to: payment.toMemberID, sign: -1)
            }
        }

        /// The most that two may settle by what a view says; nil where nothing is open.
        func largest(
            _ one: ID<Member>,
            _ other: ID<Member>,
            _ currency: Currency,
            _ view: BalancesView
        ) -> Int64? {
            func crossing(_ from: ID<Member>, _ to: ID<Member>) -> Int64 {
                let sums = sums[currency] ?? [:]
                return max(0, min(-(sums[from] ?? 0), sums[to] ?? 0))
            }
            func amount(_ debts: [Debt], _ from: ID<Member>, _ to: ID<Member>) -> Int64? {
                let debt = debts.first {
                    $0.fromMemberID == from && $0.toMemberID == to
                        && $0.amount.currency == currency
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
    }

    private func check(_ view: BalancesView, _ model: Model, _ place: Comment) {
        var said: [Currency: [ID<Member>: Int64]] = [:]
        for member in view.members {
            for money in member.balances {
                #expect(!money.isZero, place)
                said[money.currency, default: [:]][member.memberID] = money.minorUnits
            }
        }
        for (currency, sums) in model.sums {
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
            let simplified = view.simplified.filter { $0.amount.currency == currency }
            #expect(simplified.count <= max(0, expected.count - 1), place)
        }
    }

    private func randomExpense(
        _ group: TestGroup,
        _ random: inout SeededGenerator
    ) -> NewExpense {
        let currency: Currency = Bool.random(using: &random) ? .eur : .jpy
        let amount = random.amount(upTo: 1 << 40) + 1
        let bearers = group.members.shuffled(using: &random)
            .prefix(Int.random(in: 1...group.members.count, using: &random))
        let payers = group.members.shuffled(using: &random)
            .prefix(amount > 1 ? Int.random(in: 1...2, using: &random) : 1)
        let first = payers.count == 1 ? amount : Int64.random(in: 1..<amount, using: &random)
        let kind: SplitKind = Bool.random(using: &random) ? .equal : .shares
        return NewExpense(
            name: "Something",
            amount: Money(minorUnits: amount, currency),
            paidBy: zip(payers, [first, amount - first]).map { member, units in
                MemberAmount(memberID: member, amount: Money(minorUnits: units, currency))
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

    @Test func balancesAreThoseOfTheModelWhateverHappens() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            for round in 0..<3 {
                let count = Int.random(in: 2...6, using: &random)
                let group = try await harness.makeGroup(of: count)
                var model = Model()
                var expenses: [ExpenseView] = []
                let (user, today) = (group.users[0], Period.ever.start)
                for step in 0..<60 {
                    let place: Comment = "seed \(seed), round \(round), step \(step)"
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0..<5:
                        let made = try await harness.database.transaction { transaction in
                            try await harness.parts.expenses.add(
                                randomExpense(group, &random),
                                to: group.id,
                                by: group.users.randomElement(using: &random) ?? user,
                                today: today,
                                in: transaction
                            )
                        }
                        model.add(made, sign: 1)
                        expenses.append(made)
                    case 5..<6 where !expenses.isEmpty:
                        let index = Int.random(in: expenses.indices, using: &random)
                        let gone = expenses.remove(at: index)
                        try await harness.database.transaction { transaction in
                            try await harness.parts.expenses.remove(
                                gone.id,
                                from: group.id,
                                by: user,
                                ifMatch: nil,
                                in: transaction
                            )
                        }
                        model.add(gone, sign: -1)
                    default:
                        try await settle(group, harness, &model, &random, place)
                    }
                    let view = try await harness.parts.balances.view(of: group.id, for: user)
                    check(view, model, place)
                }
                try await settleSimplified(group, harness, &model)
                let view = try await harness.parts.balances.view(of: group.id, for: user)
                let open = view.members.flatMap(\.balances)
                #expect(open.isEmpty, "seed \(seed)")
                #expect(view.simplified.isEmpty && view.debts.isEmpty, "seed \(seed)")
            }
        }
    }

    /// Any two settle anything; it is taken exactly where the model says so.
    private func settle(
        _ group: TestGroup,
        _ harness: Harness,
        _ model: inout Model,
        _ random: inout SeededGenerator,
        _ place: Comment
    ) async throws {
        let two = group.members.indices.shuffled(using: &random).prefix(2)
        let (one, other) = (two[0], two[1])
        let currency: Currency = Bool.random(using: &random) ? .eur : .jpy
        let view = try await harness.parts.balances.view(of: group.id, for: group.users[0])
        let largest = model.largest(group.members[one], group.members[other], currency, view)
        let units: Int64 =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: largest ?? 1
            case 1: (largest ?? 1) + 1
            default: Int64.random(in: 1...max(1, largest ?? 1), using: &random)
            }
        let outcome = try await harness.settleOrRefuse(
            NewSettlement(
                withMemberID: group.members[other],
                amount: Money(minorUnits: units, currency)
            ),
            in: group.id,
            by: group.users[one]
        )
        switch outcome {
        case .success(let settlement):
            #expect(units <= largest ?? 0, place)
            model.add(settlement)
        case .failure(let error):
            let expected: ErrorCode = largest == nil ? .nothingToSettle : .settlementTooLarge
            #expect(error.code == expected && units > largest ?? 0, place)
        }
    }

    /// What the view tells to pay can be paid.
    private func settleSimplified(
        _ group: TestGroup,
        _ harness: Harness,
        _ model: inout Model
    ) async throws {
        let view = try await harness.parts.balances.view(of: group.id, for: group.users[0])
        for debt in view.simplified {
            let payer = try #require(group.members.firstIndex(of: debt.fromMemberID))
            let settlement = try await harness.database.transaction { transaction in
                try await harness.parts.settlements.settle(
                    NewSettlement(withMemberID: debt.toMemberID, amount: debt.amount),
                    in: group.id,
                    by: group.users[payer],
                    today: Period.ever.start,
                    in: transaction
                )
            }
            model.add(settlement)
        }
    }

    @Test func sumsBeyondSixtyFourBitsAreRefusedAndChangeNothing() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 3)
            func expense(_ units: Int64) -> NewExpense {
                NewExpense(
                    name: "Moon",
                    amount: Money(minorUnits: units, .eur),
                    split: Split(
                        kind: .equal,
                        parts: group.members.dropFirst().map { SplitPart(memberID: $0) }
                    )
                )
            }
            let today = Period.ever.start
            let expenses = harness.parts.expenses
            _ = try await harness.database.transaction { transaction in
                try await expenses.add(
                    expense(.max),
                    to: group.id,
                    by: group.users[0],
                    today: today,
                    in: transaction
                )
            }
            let before = try await harness.parts.balances.view(of: group.id, for: group.users[0])
            do {
                _ = try await harness.database.transaction { transaction in
                    try await expenses.add(
                        expense(1),
                        to: group.id,
                        by: group.users[0],
                        today: today,
                        in: transaction
                    )
                }
                Issue.record("a sum wrapped")
            } catch let error as APIError {
                #expect(error.errors.map(\.code) == [.outOfRange])
            }
            let after = try await harness.parts.balances.view(of: group.id, for: group.users[0])
            #expect(after == before)
        }
    }

    @Test func aRemovalWhoseSumsDoNotFitIsRefused() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let expenses = harness.parts.expenses
            func add(_ units: Int64, by payer: Int) async throws -> ID<Expense> {
                let other = group.members[1 - payer]
                return try await harness.database.transaction { transaction in
                    try await expenses.add(
                        NewExpense(
                            name: "Moon",
                            amount: Money(minorUnits: units, .eur),
                            split: Split(kind: .equal, parts: [SplitPart(memberID: other)])
                        ),
                        to: group.id,
                        by: group.users[payer],
                        today: Period.ever.start,
                        in: transaction
                    )
                }.id
            }
            func remove(_ id: ID<Expense>) async throws {
                try await harness.database.transaction { transaction in
                    try await expenses.remove(
                        id,
                        from: group.id,
                        by: group.users[0],
                        ifMatch: nil,
                        in: transaction
                    )
                }
            }
            let whole = try await add(.max, by: 0)
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.settlements.settle(
                    NewSettlement(withMemberID: group.members[0]),
                    in: group.id,
                    by: group.users[1],
                    today: Period.ever.start,
                    in: transaction
                )
            }
            try await remove(whole)
            let mine = try await add(1_000, by: 0)
            _ = try await add(1_000, by: 1)
            do {
                try await remove(mine)
                Issue.record("a sum wrapped")
            } catch let error as APIError {
                #expect(error.errors.map(\.code) == [.outOfRange])
            }
        }
    }

    @Test func theDatabaseRefusesAnExpenseThatDoesNotSum() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 1)
            do {
                try await harness.database.transaction { transaction in
                    _ = try await transaction.queryOne(
                        ExpenseStatements.insert,
                        group.id,
                        ID<Expense>.new(),
                        "Rent",
                        String?.none,
                        Int64(5),
                        Currency.eur,
                        Period.ever.start,
                        String?.none,
                        group.members[0],
                        ID<GroupCategory>?.none,
                        [String](),
                        Int32?.none,
                        Int32?.none,
                        String?.none
                    )
                }
                Issue.record("committed")
            } catch let error as DatabaseError {
                #expect(error.violatedConstraint == "expense_sums")
            }
        }
    }
}

extension Harness {
    fileprivate func settleOrRefuse(
        _ body: NewSettlement,
        in group: ID<Group>,
        by user: ID<User>
    ) async throws -> Result<SettlementView, APIError> {
        do {
            return try await database.transaction { transaction in
                let settled = try await parts.settlements.settle(
                    body,
                    in: group,
                    by: user,
                    today: Period.ever.start,
                    in: transaction
                )
                return .success(settled)
            }
        } catch let error as APIError { return .failure(error) }
    }
}
