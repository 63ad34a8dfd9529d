import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Pages of what is open, on a real server: together they are the whole.
@Suite struct DebtPageTests {
    /// Random expenses and settlements; then every list is read by pages of every size.
    @Test func pagesSumToTheWhole() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            for round in 0..<4 {
                let place: Comment = "seed \(seed), round \(round)"
                let count = Int.random(in: 2...7, using: &random)
                let group = try await harness.makeGroup(of: count)
                for _ in 0..<Int.random(in: 0...60, using: &random) {
                    try await harness.act(on: group, &random)
                }
                let (balances, user) = (harness.parts.balances, group.users[0])
                let whole = try await balances.view(of: group.id, for: user)
                #expect(whole.nextCursor == nil, place)
                for limit in [1, 2, 3, 200] {
                    var query: PageQuery? = PageQuery(limit: limit)
                    var paged: [Debt] = []
                    while let asked = query {
                        let page = try await balances.debts(asked, of: group.id, for: user)
                        #expect(page.items.count <= limit, place)
                        paged += page.items
                        query = page.nextCursor.map { PageQuery(limit: limit, cursor: $0) }
                    }
                    #expect(paged == whole.debts, "\(place), by \(limit)")
                    let begun = try await balances.view(of: group.id, for: user, debts: limit)
                    var rest: [Debt] = []
                    if let cursor = begun.nextCursor {
                        let next = PageQuery(limit: 200, cursor: cursor)
                        rest = try await balances.debts(next, of: group.id, for: user).items
                    }
                    #expect(begun.debts + rest == whole.debts, "\(place), by \(limit)")
                    #expect(begun.members == whole.members, "\(place), by \(limit)")
                    #expect(begun.simplified == whole.simplified, "\(place), by \(limit)")
                }
                for debt in whole.debts {
                    let wanted = try await harness.explaining(debt, in: group)
                    #expect(debt.expenseIDs == wanted.prefix(100).map(\.expenseID), place)
                    for limit in [1, 3, 200] {
                        let paged = try await harness.pages(of: debt, in: group, by: limit)
                        #expect(paged == wanted, "\(place), by \(limit)")
                    }
                }
            }
        }
    }

    /// Who reads page after page meets all that was open when they began, and each once, though
    /// everybody goes on meanwhile.
    @Test func whatIsAddedMeanwhileNeitherRepeatsNorHidesAnything() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            for round in 0..<4 {
                let place: Comment = "seed \(seed), round \(round)"
                let group = try await harness.makeGroup(of: 6)
                for _ in 0..<30 { try await harness.act(on: group, &random) }
                let (balances, user) = (harness.parts.balances, group.users[0])
                let before = try await balances.view(of: group.id, for: user)
                var query: PageQuery? = PageQuery(limit: 2)
                var paged: [Debt] = []
                // What was open all the time.
                var wanted = Set(before.debts.map(Pair.init))
                while let asked = query {
                    let page = try await balances.debts(asked, of: group.id, for: user)
                    paged += page.items
                    query = page.nextCursor.map { PageQuery(limit: 2, cursor: $0) }
                    try await harness.add(to: group, &random)
                    let now = try await balances.view(of: group.id, for: user)
                    wanted.formIntersection(now.debts.map(Pair.init))
                }
                let pairs = paged.map(Pair.init)
                #expect(Set(pairs).count == pairs.count, place)
                #expect(wanted.isSubset(of: pairs), place)
                let now = try await balances.view(of: group.id, for: user)
                let debt = try #require(now.debts.randomElement(using: &random))
                let explained = try await harness.explaining(debt, in: group)
                let read = try await harness.pages(of: debt, in: group, by: 1) {
                    try await harness.add(to: group, &random)
                }
                #expect(read == explained, place)
            }
        }
    }

    /// The two, whoever owes whom.
    private struct Pair: Hashable {
        let members: Set<ID<Member>>
        let currency: Currency

        init(_ debt: Debt) {
            members = [debt.fromMemberID, debt.toMemberID]
            currency = debt.amount.currency
        }
    }

    /// A debt of more expenses than are told with it names where the others are.
    @Test func aDebtNamesWhatElseExplainsIt() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            for _ in 0..<(ExplainedDebt.expensesMax.ofOne + 2) {
                _ = try await harness.lend(Money(minorUnits: 5, .eur), 0, to: [1], in: group)
            }
            let balances = harness.parts.balances
            let view = try await balances.view(of: group.id, for: group.users[0])
            let debt = try #require(view.debts.first)
            let rest = try await balances.expenses(
                DebtExpenseQuery(
                    fromMemberID: debt.fromMemberID,
                    toMemberID: debt.toMemberID,
                    currency: .eur,
                    cursor: debt.nextCursor
                ),
                of: group.id,
                for: group.users[0]
            )
            #expect(debt.nextCursor != nil)
            #expect(rest.items.count == 2 && rest.nextCursor == nil)
            let told = (debt.expenseIDs ?? []) + rest.items.map(\.expenseID)
            let wanted = try await harness.explaining(debt, in: group)
            #expect(told == wanted.map(\.expenseID))
            let other = try await balances.expenses(
                DebtExpenseQuery(
                    fromMemberID: debt.toMemberID,
                    toMemberID: debt.fromMemberID,
                    currency: .eur
                ),
                of: group.id,
                for: group.users[0]
            )
            #expect(other.items.isEmpty && other.nextCursor == nil)
        }
    }

    /// Two who share many groups: the totals are of all of them, whatever is told at once.
    @Test func whatIsOpenWithAFriendComesByPage() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            let first = try await harness.makeGroup(of: 2)
            let (ada, bob) = (first.users[0], first.users[1])
            var sums: [Currency: Int128] = [:]
            var wanted: [FriendBalance] = []
            for _ in 0..<7 {
                let group = try await harness.makeGroup(of: 2, with: [ada, bob])
                for currency in [Currency.eur, .jpy] {
                    let (units, isOwed) = (
                        Int64.random(in: 0...9, using: &random), Bool.random(using: &random)
                    )
                    guard units > 0 else { continue }
                    let money = Money(minorUnits: units, currency)
                    let payer = isOwed ? 0 : 1
                    try await harness.lend(money, payer, to: [1 - payer], in: group)
                    let open = Money(minorUnits: isOwed ? units : -units, currency)
                    wanted.append(FriendBalance(groupID: group.id, amount: open))
                    sums[currency, default: 0] += Int128(open.minorUnits)
                }
            }
            wanted.sort { ($0.groupID, $0.amount.currency) < ($1.groupID, $1.amount.currency) }
            let totals = sums.filter { $0.value != 0 }.sorted { $0.key < $1.key }
                .map { Total(minorUnits: $0.value, $0.key) }
            let friends = harness.parts.friends
            for limit in [1, 4, 100] {
                let list = try await friends.list(PageQuery(), of: ada, balances: limit)
                let friend = try #require(list.items.first { $0.userID == bob })
                #expect(friend.totals == totals, "seed \(seed)")
                var read = friend.balances
                var cursor = friend.nextCursor
                while let place = cursor {
                    let page = try await friends.balances(
                        PageQuery(limit: limit, cursor: place),
                        with: bob,
                        of: ada
                    )
                    read += page.items
                    cursor = page.nextCursor
                }
                #expect(read == wanted, "seed \(seed), by \(limit)")
            }
            await #expect(throws: APIError.notFound) {
                _ = try await friends.balances(PageQuery(), with: bob, of: .new())
            }
        }
    }

    /// What is read as a whole is bounded by what a group can have.
    @Test func noGroupHasMoreBalancesThanAreRead() {
        let most = GroupStore.placesMax * Int64(Currency.all.count)
        #expect(2 * most < 1_000_000)
    }
}

extension Harness {
    /// One pays for others.
    @discardableResult
    fileprivate func lend(
        _ amount: Money,
        _ payer: Int,
        to others: [Int],
        in group: TestGroup
    ) async throws -> ID<Expense> {
        let parts = others.map { SplitPart(memberID: group.members[$0]) }
        return try await database.transaction { transaction in
            try await self.parts.expenses.add(
                NewExpense(
                    name: "Thing",
                    amount: amount,
                    split: Split(kind: .equal, parts: parts)
                ),
                to: group.id,
                by: group.users[payer],
                today: Period.ever.start,
                in: transaction
            )
        }.id
    }

    fileprivate func add(to group: TestGroup, _ random: inout SeededGenerator) async throws {
        let people = group.members.indices.shuffled(using: &random)
        let others = Array(people.dropFirst().prefix(Int.random(in: 1...3, using: &random)))
        let currency: Currency = Bool.random(using: &random) ? .eur : .jpy
        let amount = Money(minorUnits: Int64.random(in: 1...9, using: &random), currency)
        try await lend(amount, people[0], to: others, in: group)
    }

    /// Somebody pays for others, or pays back.
    fileprivate func act(on group: TestGroup, _ random: inout SeededGenerator) async throws {
        guard Int.random(in: 0..<4, using: &random) == 0 else {
            return try await add(to: group, &random)
        }
        let two = group.members.indices.shuffled(using: &random)
        do {
            _ = try await database.transaction { transaction in
                try await parts.settlements.settle(
                    NewSettlement(withMemberID: group.members[two[0]]),
                    in: group.id,
                    by: group.users[two[1]],
                    today: Period.ever.start,
                    in: transaction
                )
            }
        } catch let error as APIError where error.code == .nothingToSettle {}
    }

    /// Somebody reads what explains a debt page by page.
    fileprivate func pages(
        of debt: Debt,
        in group: TestGroup,
        by limit: Int,
        meanwhile: () async throws -> Void = {}
    ) async throws -> [DebtExpense] {
        var read: [DebtExpense] = []
        var cursor: Cursor?
        repeat {
            let page = try await parts.balances.expenses(
                DebtExpenseQuery(
                    fromMemberID: debt.fromMemberID,
                    toMemberID: debt.toMemberID,
                    currency: debt.amount.currency,
                    limit: limit,
                    cursor: cursor
                ),
                of: group.id,
                for: group.users[0]
            )
            read += page.items
            cursor = page.nextCursor
            try await meanwhile()
        } while cursor != nil
        return read
    }

    /// The newest that cover a debt, found by looking at all.
    fileprivate func explaining(_ debt: Debt, in group: TestGroup) async throws -> [DebtExpense] {
        let all = try await database.query(
            allOfADebt,
            group.id,
            debt.fromMemberID,
            debt.toMemberID,
            debt.amount.currency
        )
        var open = debt.amount.minorUnits
        return Array(
            all.prefix { expense in
                defer { open -= expense.amount.minorUnits }
                return open > 0
            }
        )
    }
}

private let allOfADebt = Statement(
    """
    select expense_id, amount, currency
    from groups.expense_debt
    where group_id = $1 and debtor_id = $2 and creditor_id = $3 and currency = $4
    order by expense_id desc
    """
) { row in
    try DebtExpense(
        expenseID: row.value(0),
        amount: Money(minorUnits: row.int64(1), row.value(2))
    )
}
