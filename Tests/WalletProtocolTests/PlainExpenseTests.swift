import TestKit
import Testing

@testable import WalletProtocol

/// The same of shared expenses, and of the event that tells of them.
extension PlainBodyTests {
    private static let expense: [(name: String, kind: Spelling.Kind)] = [
        ("date", .day), ("paidBy", .payments), ("split", .split), ("description", .line),
        ("categoryId", .id), ("tags", .rare), ("location", .rare), ("recurrence", .rare),
        ("accountId", .rare), ("ownCategoryId", .rare),
    ]

    @Test(arguments: seeds) func everyFaultOfAnExpenseIsTheDescriptions(seed: UInt64) {
        judge(NewExpense.self, [("name", .line), ("amount", .money), ("date", .day)], seed: seed)
        judge(NewExpense.self, Self.expense, within: Self.named, seed: seed)
    }

    /// The same with what must be there.
    private static func named(_ object: String) -> String {
        let rest = object.drop { $0 != "{" }.dropFirst()
        let isEmpty = rest.first { !$0.isWhitespace } == "}"
        return #"{"name":"Dinner","amount":{"amount":"90.00","currency":"EUR"}"#
            + (isEmpty ? "" : ",") + rest
    }

    /// One of ten people, as clients write it.
    @Test func anExpenseIsReadByHand() throws {
        let parts = (0..<10).map { _ in #"{"memberId":"\#(ID<Member>.new().text)"}"# }
        let text =
            #"{"name": "Dinner", "amount": {"amount": "90.00", "currency": "EUR"}, "#
            + #""split": {"kind": "equal", "parts": [\#(parts.joined(separator: ", "))]}}"#
        let expense = try #require(plain(NewExpense.self, Array(text.utf8)))
        #expect(described(Array(text.utf8)) == .success(expense))
        var json = PlainJSON(Array(text.utf8))
        let unjudged = json.whole(Unjudged<NewExpense>.self)
        #expect(unjudged?.body == expense && unjudged?.faults == [])
    }

    /// Nor is a name that has no value one of a member: it is no JSON.
    @Test func aNameWithoutAValueIsNotReadByHand() {
        let parts = #"{"kind": "equal", "parts": [{"memberId": "\#(ID<Member>.new().text)"}]}"#
        let amount = #"{"amount": "90.00", "currency": "EUR"}"#
        for text in [
            #"{"name" "amount": \#(amount), "name": "Dinner", "split": \#(parts)}"#,
            #"{"name": "Dinner", "amount": {"amount""currency": "EUR", "amount": "90.00"}, "#
                + #""split": \#(parts)}"#,
        ] {
            #expect(plain(NewExpense.self, Array(text.utf8)) == nil, "\(text)")
            #expect(throws: APIError.self) {
                try JSON.read(NewExpense.self, from: Array(text.utf8))
            }
        }
    }

    @Test(arguments: seeds) func expensesAreWrittenAsDescribed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let expense = try random.expense()
            judge(expense, seed: seed)
            judge(try random.view(of: expense), seed: seed)
        }
    }

    /// Whatever becomes of a byte on the way, the event says what its description reads of it.
    @Test(arguments: seeds) func anAddedExpenseIsToldAsDescribed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let event = try random.added()
            judge(event, seed: seed)
            var bytes = JSON.write(event)
            #expect(GroupExpenseAdded.plain(bytes) == event, "seed \(seed)")
            #expect(GroupExpenseAdded.plain(bytes + [0x20]) == nil, "seed \(seed)")
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = .random(in: 32...126, using: &random)
            guard let plain = GroupExpenseAdded.plain(bytes) else { continue }
            #expect(
                plain == (try? JSON.value(of: bytes, ignoringUnknownFields: true)),
                "seed \(seed): \(String(decoding: bytes, as: UTF8.self))"
            )
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func some<Value>(
        _ counts: ClosedRange<Int>,
        _ make: (inout SeededGenerator) -> Value
    ) -> [Value] {
        (0..<Int.random(in: counts, using: &self)).map { _ in make(&self) }
    }

    fileprivate mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self)]
    }

    fileprivate mutating func day() throws -> Day {
        let days = Int.random(in: -700_000...2_900_000, using: &self)
        return try #require(Day(daysSince1970: days))
    }

    fileprivate mutating func place() -> TransactionLocation {
        TransactionLocation(latitude: 1.5, longitude: -2, label: text(0...9))
    }

    fileprivate mutating func split() -> Split {
        Split(
            kind: one(of: SplitKind.allCases),
            parts: some(0...4) { random in
                let value = ExactDecimal(coefficient: 123, scale: 2)
                return SplitPart(memberID: .new(), value: random.maybe(value))
            },
            items: maybe([
                SplitItem(
                    name: maybe("Soup"),
                    amount: Money(minorUnits: 5, .eur),
                    memberIDs: [.new()]
                )
            ])
        )
    }

    fileprivate mutating func expense() throws -> NewExpense {
        let paid = Money(minorUnits: .random(in: 1...9_000, using: &self), .jpy)
        return NewExpense(
            name: "x" + text(0...50),
            amount: paid,
            date: maybe(try day()),
            paidBy: maybe([MemberAmount(memberID: .new(), amount: paid)]),
            split: maybe(split()),
            description: maybe(text(0...50) + "\n"),
            categoryID: maybe(.new()),
            tags: maybe(["a", "b"]) ?? [],
            location: maybe(place()),
            accountID: maybe(.new()),
            ownCategoryID: maybe(.new())
        )
    }

    fileprivate mutating func view(of expense: NewExpense) throws -> ExpenseView {
        let total = Total(minorUnits: 1 << 70, .eur)
        return ExpenseView(
            id: .new(),
            groupID: .new(),
            name: expense.name,
            amount: expense.amount,
            date: try day(),
            paidBy: expense.paidBy ?? [],
            split: expense.split,
            shares: some(0...3) { MemberAmount(memberID: .new(), amount: $0.sent()) },
            description: expense.description,
            categoryID: .new(),
            tags: expense.tags,
            location: expense.location,
            addedBy: .new(),
            recurrenceID: maybe(.new()),
            version: .random(in: 0...Int.max, using: &self),
            createdAt: instant(),
            group: maybe(text(0...9)),
            converted: maybe(ConvertedAmount(amount: total, rate: nil)),
            link: maybe(LedgerLinkView(accountID: .new(), state: .outdated))
        )
    }

    /// No more than may be sent.
    fileprivate mutating func sent() -> Money {
        Money(minorUnits: .random(in: -1_000_000...1_000_000, using: &self), .eur)
    }

    fileprivate mutating func added() throws -> GroupExpenseAdded {
        GroupExpenseAdded(
            expenseID: .new(),
            groupID: .new(),
            amount: money(),
            day: try day(),
            categoryID: maybe(.new()),
            coicop: maybe(one(of: Coicop.allCases)),
            splitKind: maybe(one(of: SplitKind.allCases)),
            shares: some(0...5) { random in
                UserShare(
                    memberID: .new(),
                    userID: random.maybe(.new()),
                    paid: random.money(),
                    owed: random.money()
                )
            },
            addedBy: .new(),
            isImported: .random(using: &self),
            isMadeUpFor: .random(using: &self)
        )
    }
}
