import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// What is read of the largest group that there can be: each answer has a bound, and the pages are
/// the whole.
@Suite struct PageSizeTests {
    /// Twice the bound of a page's items: what stands beside them is bounded by members.
    private static let bytesMax = 2 * PageSize.bytesMax
    private static let people = Int(GroupStore.membersMax)
    private static let currencies = ["CHF", "DKK", "EUR", "GBP", "NOK", "SEK", "USD"]
        .compactMap { Currency($0) }

    @Test func answersOfTheLargestGroupAreBounded() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: Self.people)
            let expenses = try await Self.fill(group, in: harness)
            try await Self.checkExpenses(expenses, of: group, in: harness)
            try await Self.checkHistory(of: expenses[0], in: group, harness)
            try await Self.checkComments(on: expenses[0], in: group, harness)
            try await Self.checkBalances(of: group, in: harness)
        }
    }

    /// Expenses by many payers, each borne by everybody, with texts in letters of four bytes.
    private static func fill(
        _ group: TestGroup,
        in harness: Harness
    ) async throws -> [ID<Expense>] {
        var made: [ID<Expense>] = []
        for number in 0..<42 {
            let body = NewExpense(
                name: String(repeating: "🙂", count: 80),
                amount: Money(
                    minorUnits: 10_000_000 + Int64(number),
                    currencies[number % currencies.count]
                ),
                split: Split(
                    kind: .shares,
                    parts: group.members.enumerated().map { index, member in
                        SplitPart(
                            memberID: member,
                            value: ExactDecimal(String(1 + (index + number) % 9))
                        )
                    }
                ),
                description: String(repeating: "字", count: 2_000)
            )
            made.append(
                try await harness.database.transaction { transaction in
                    try await harness.parts.expenses.add(
                        body,
                        to: group.id,
                        by: group.users[number],
                        today: Period.ever.start,
                        in: transaction
                    )
                }.id
            )
        }
        return made
    }

    private static func checkExpenses(
        _ expenses: [ID<Expense>],
        of group: TestGroup,
        in harness: Harness
    ) async throws {
        let list = harness.parts.expenseList
        for sort in [ExpenseOrder.newestFirst, .oldestFirst] {
            var read: [ExpenseView] = []
            var cursor: Cursor?
            repeat {
                let query = ExpenseQuery(sort: sort, limit: 200, cursor: cursor)
                let page = try await list.page(query, of: group.id, for: group.users[0])
                #expect(JSON.write(page).count <= bytesMax)
                #expect(!page.items.isEmpty)
                read += page.items
                cursor = page.nextCursor
            } while cursor != nil
            let order = sort == .newestFirst ? expenses.reversed() : expenses
            #expect(read.map(\.id) == order)
            #expect(read.allSatisfy { $0.shares.count == people })
        }
    }

    private static func checkHistory(
        of expense: ID<Expense>,
        in group: TestGroup,
        _ harness: Harness
    ) async throws {
        let expenses = harness.parts.expenses
        for version in 2...30 {
            try await harness.database.transaction { transaction in
                _ = try await expenses.change(
                    expense,
                    of: group.id,
                    ExpenseChange(name: .set("Version \(version)")),
                    by: group.users[version],
                    today: Period.ever.start,
                    ifMatch: nil,
                    in: transaction
                )
            }
        }
        var versions: [Int] = []
        var cursor: Cursor?
        repeat {
            let page = try await expenses.history(
                PageQuery(limit: 200, cursor: cursor),
                of: expense,
                in: group.id,
                for: group.users[0]
            )
            #expect(JSON.write(page).count <= bytesMax)
            versions += page.items.map(\.version)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(versions == (1...30).reversed())
    }

    private static func checkComments(
        on expense: ID<Expense>,
        in group: TestGroup,
        _ harness: Harness
    ) async throws {
        let comments = harness.parts.comments
        for _ in 0..<60 {
            try await harness.database.transaction { transaction in
                _ = try await comments.add(
                    NewComment(text: String(repeating: "🙂", count: 2_000)),
                    to: expense,
                    of: group.id,
                    by: group.users[0],
                    in: transaction
                )
            }
        }
        var read: Set<ID<ExpenseComment>> = []
        var count = 0
        var cursor: Cursor?
        repeat {
            let page = try await comments.list(
                PageQuery(limit: 200, cursor: cursor),
                of: expense,
                in: group.id,
                for: group.users[0]
            )
            #expect(JSON.write(page).count <= bytesMax)
            read.formUnion(page.items.map(\.id))
            count += page.items.count
            cursor = page.nextCursor
        } while cursor != nil
        #expect(read.count == 60 && count == 60)
    }

    /// As many categories as a group has at most, with the longest texts, are one page.
    @Test func categoriesOfAGroupAreOnePage() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 1)
            let insert = Statement<Void>(
                """
                insert into groups.category (group_id, id, name, name_folded, color, symbol, type)
                select $1, gen_random_uuid(), $2 || n, $2 || n, 0, $3, 'both'
                from generate_series(1, $4) n
                """
            )
            let count = Int32(GroupCategories.countMax)
            try await harness.database.execute(
                insert,
                group.id,
                String(repeating: "🙂", count: 57),
                String(repeating: "🙂", count: 40),
                count
            )
            let page = try await harness.parts.categories.list(of: group.id, for: group.users[0])
            #expect(page.items.count > count && page.nextCursor == nil)
            #expect(JSON.write(page).count <= PageSize.bytesMax)
            let refused = await #expect(throws: APIError.self) {
                try await harness.database.transaction { transaction in
                    _ = try await harness.parts.categories.make(
                        NewGroupCategory(name: "One more"),
                        of: group.id,
                        by: group.users[0],
                        in: transaction
                    )
                }
            }
            #expect(refused?.errors.map(\.code) == [.tooMany])
        }
    }

    /// Members' balances and the plan by currency, and all debts.
    private static func checkBalances(of group: TestGroup, in harness: Harness) async throws {
        let (balances, user) = (harness.parts.balances, group.users[0])
        let first = try await balances.view(of: group.id, for: user)
        var views = [first]
        while let cursor = views.last?.nextCurrencies {
            views.append(try await balances.view(of: group.id, for: user, from: cursor))
        }
        #expect(views.count > 1)
        #expect(views.allSatisfy { JSON.write($0).count <= bytesMax })
        #expect(views.dropFirst().allSatisfy { $0.debts.isEmpty && $0.nextCursor == nil })
        var sums: [Currency: Int64] = [:]
        var told: [Currency: Int] = [:]
        for (number, view) in views.enumerated() {
            let here = view.members.flatMap(\.balances)
            for balance in here { sums[balance.currency, default: 0] += balance.minorUnits }
            for currency in Set(here.map(\.currency)) {
                #expect(told.updateValue(number, forKey: currency) == nil, "\(currency) twice")
            }
            #expect(Set(view.simplified.map(\.amount.currency)) == Set(here.map(\.currency)))
        }
        #expect(Set(told.keys) == Set(currencies))
        #expect(sums.values.allSatisfy { $0 == 0 })
        var debts = first.debts
        var cursor = first.nextCursor
        while cursor != nil {
            let page = try await balances.debts(
                PageQuery(limit: 200, cursor: cursor),
                of: group.id,
                for: user
            )
            #expect(JSON.write(page).count <= bytesMax)
            debts += page.items
            cursor = page.nextCursor
        }
        let open = try await harness.database.queryOne(
            BalanceStatements.openPairs,
            group.id,
            Int32.max
        )
        #expect(debts.count == Int(open ?? 0))
        let pairs = debts.map {
            [$0.fromMemberID.text, $0.toMemberID.text, $0.amount.currency.code]
        }
        #expect(Set(pairs).count == debts.count)
    }
}
