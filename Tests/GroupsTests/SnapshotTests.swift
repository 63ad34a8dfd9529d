import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// What services read anew, held against what the events have told, on a real server.
@Suite struct SnapshotTests {
    /// A read model, as a reader of events has it.
    private struct Told: Equatable {
        struct Fact: Equatable {
            var amount: Money
            var day: Day
            var category: ID<GroupCategory>?
            var coicop: Coicop?
            var kind: SplitKind?
            var sides: [ID<Member>: [Int64]]

            init(
                _ amount: Money,
                _ day: Day,
                _ category: ID<GroupCategory>?,
                _ coicop: Coicop?,
                _ kind: SplitKind?,
                _ shares: [UserShare]
            ) {
                (self.amount, self.day, self.category) = (amount, day, category)
                (self.coicop, self.kind) = (coicop, kind)
                sides = [:]
                for share in shares where !share.paid.isZero || !share.owed.isZero {
                    sides[share.memberID] = [share.paid.minorUnits, share.owed.minorUnits]
                }
            }
        }
        var groups: [ID<Group>: Currency] = [:]
        var members: [ID<Member>: ID<User>?] = [:]
        var facts: [ID<Expense>: Fact] = [:]
        var divisions: [ID<GroupCategory>: Coicop?] = [:]

        /// - Parameter isWhole: whether all before it has been applied; what was read of a snapshot
        ///   may be newer than the event.
        mutating func apply(_ type: String, _ payload: [UInt8], isWhole: Bool) throws {
            switch type {
            case GroupCreated.eventType:
                let body = try JSON.read(GroupCreated.self, from: payload)
                groups[body.groupID] = body.currency
            case GroupMemberJoined.eventType:
                let body = try JSON.read(GroupMemberJoined.self, from: payload)
                members[body.memberID] = .some(body.userID)
            case GroupMemberLeft.eventType:
                let body = try JSON.read(GroupMemberLeft.self, from: payload)
                members[body.memberID] = nil
            case GroupExpenseAdded.eventType:
                let body = try JSON.read(GroupExpenseAdded.self, from: payload)
                facts[body.expenseID] = Fact(
                    body.amount,
                    body.day,
                    body.categoryID,
                    body.coicop,
                    body.splitKind,
                    body.shares
                )
            case GroupExpenseChanged.eventType:
                let body = try JSON.read(GroupExpenseChanged.self, from: payload)
                facts[body.expenseID] = Fact(
                    body.amount,
                    body.day,
                    body.categoryID,
                    body.coicop,
                    body.splitKind,
                    body.shares
                )
            case GroupExpenseRemoved.eventType:
                let body = try JSON.read(GroupExpenseRemoved.self, from: payload)
                // What is taken back is what was told; unless it has been already.
                if let old = facts.removeValue(forKey: body.expenseID), isWhole {
                    #expect(old.amount == body.amount && old.day == body.day)
                    #expect(old.category == body.categoryID && old.coicop == body.coicop)
                    #expect(old.kind == body.splitKind)
                }
            case GroupCategoryChanged.eventType:
                let body = try JSON.read(GroupCategoryChanged.self, from: payload)
                divisions[body.categoryID] = body.isDeleted ? nil : .some(body.coicop)
                for (id, fact) in facts where fact.category == body.categoryID {
                    facts[id]?.coicop = body.coicop
                    if body.isDeleted { facts[id]?.category = nil }
                }
            default: break
            }
        }
    }

    @Test func whatIsReadAnewIsWhatTheEventsTell() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            var people: [Life] = []
            for count in [2, 4] {
                let group = try await harness.makeGroup(of: count)
                people.append(Life(harness: harness, group: group))
            }
            func live(_ steps: Int) async throws {
                for _ in 0..<steps {
                    let index = Int.random(in: people.indices, using: &random)
                    try await people[index].live(&random)
                }
            }
            try await live(60)
            // A walk with things happening between its pages, then the events after its start.
            var walk = Walk(limit: Int.random(in: 2...9, using: &random))
            while try await walk.go(harness.parts.snapshots) { try await live(4) }
            try await walk.catchUp(harness.database)
            var told = Walk(limit: 1)
            try await told.catchUp(harness.database)
            #expect(walk.told == told.told, "seed \(seed)")
            #expect(!told.told.facts.isEmpty && told.told.members.count > 2, "seed \(seed)")
            // Who they are by now, and nothing else in between.
            var still = Walk(limit: 1_000)
            while try await still.go(harness.parts.snapshots) {}
            #expect(still.told == told.told, "seed \(seed)")
            for (member, user) in still.users {
                #expect(user == (told.told.members[member] ?? nil), "seed \(seed)")
            }
        }
    }

    /// A reader that begins anew.
    private struct Walk {
        let limit: Int
        var told = Told()
        var users: [ID<Member>: ID<User>?] = [:]
        private var sequences: [String: Int64] = [:]
        private var cursor: Cursor?
        private var stage = 0

        init(limit: Int) { self.limit = limit }

        private mutating func note(_ aggregate: String, _ sequence: Int64) {
            sequences[aggregate] = min(sequences[aggregate] ?? sequence, sequence)
        }

        /// Reads a page.
        /// - Returns: whether there is another.
        mutating func go(_ snapshots: SnapshotStore) async throws -> Bool {
            let query = SnapshotQuery(cursor: cursor, limit: limit)
            switch stage {
            case 0:
                let page = try await snapshots.groups(query)
                for item in page.items {
                    note(item.aggregate, item.sequence)
                    told.groups[item.data.groupID] = item.data.currency
                }
                cursor = page.nextCursor
            case 1:
                let page = try await snapshots.members(query)
                for item in page.items {
                    note(item.aggregate, item.sequence)
                    told.members[item.data.memberID] = .some(item.data.userID)
                }
                cursor = page.nextCursor
            case 2:
                let page = try await snapshots.categories(query)
                for item in page.items {
                    note(item.aggregate, item.sequence)
                    told.divisions[item.data.categoryID] = .some(item.data.coicop)
                }
                cursor = page.nextCursor
            default:
                let page = try await snapshots.expenses(query)
                for item in page.items {
                    note(item.aggregate, item.sequence)
                    let data = item.data
                    told.facts[data.expenseID] = Told.Fact(
                        data.amount,
                        data.day,
                        data.categoryID,
                        data.coicop,
                        data.splitKind,
                        data.shares
                    )
                    for share in data.shares { users[share.memberID] = .some(share.userID) }
                }
                cursor = page.nextCursor
            }
            if cursor == nil { stage += 1 }
            return stage < 4
        }

        /// Applies the events above the lowest sequence seen of each aggregate.
        mutating func catchUp(_ database: Database) async throws {
            let events = Statement(
                """
                select aggregate, sequence, type, payload::text
                from groups.outbox
                order by id
                """
            ) { row in
                (
                    aggregate: try row.string(0), sequence: try row.int64(1),
                    type: try row.string(2), payload: try row.string(3)
                )
            }
            for event in try await database.query(events)
            where event.sequence > sequences[event.aggregate] ?? 0 {
                let payload = Array(event.payload.utf8)
                try told.apply(event.type, payload, isWhole: sequences.isEmpty)
            }
        }
    }

    /// What members of one group do, at random.
    private struct Life {
        let harness: Harness
        let group: TestGroup
        var expenses: [ID<Expense>] = []
        var removed: [ID<Expense>] = []
        var categories: [ID<GroupCategory>] = []
        var guests: [ID<Member>] = []

        init(harness: Harness, group: TestGroup) {
            self.harness = harness
            self.group = group
        }

        private var user: ID<User> { group.users[0] }
        private var stores: GroupsParts { harness.parts }

        private func split(_ random: inout SeededGenerator) -> Split? {
            let all = [group.members[0], group.members[1]] + guests
            let some = all.shuffled(using: &random)
                .prefix(Int.random(in: 0...all.count, using: &random))
            guard !some.isEmpty else { return nil }
            let kind: SplitKind = Bool.random(using: &random) ? .equal : .shares
            let one = ExactDecimal(coefficient: 1, scale: 0)
            return Split(
                kind: kind,
                parts: some.map { SplitPart(memberID: $0, value: kind == .equal ? nil : one) }
            )
        }

        mutating func live(_ random: inout SeededGenerator) async throws {
            let amount = Money(minorUnits: Int64.random(in: 1...99, using: &random), .eur)
            let today = Period.ever.start
            let (split, category) = (split(&random), categories.randomElement(using: &random))
            switch Int.random(in: 0..<16, using: &random) {
            case 0..<5:
                let body = NewExpense(
                    name: "Thing",
                    amount: amount,
                    split: split,
                    categoryID: category
                )
                let made = try await harness.database.transaction { transaction in
                    try await stores.expenses.add(
                        body,
                        to: group.id,
                        by: user,
                        today: today,
                        in: transaction
                    )
                }
                expenses.append(made.id)
            case 5..<8:
                guard let id = expenses.randomElement(using: &random) else { return }
                let change = ExpenseChange(
                    amount: .set(amount),
                    split: split.map { .set($0) } ?? .cleared,
                    categoryID: category.map { .set($0) } ?? .cleared
                )
                _ = try await harness.database.transaction { transaction in
                    try await stores.expenses.change(
                        id,
                        of: group.id,
                        change,
                        by: user,
                        today: today,
                        ifMatch: nil,
                        in: transaction
                    )
                }
            case 8..<10:
                guard let index = expenses.indices.randomElement(using: &random) else { return }
                let id = expenses.remove(at: index)
                try await harness.database.transaction { transaction in
                    try await stores.expenses.remove(
                        id,
                        from: group.id,
                        by: user,
                        ifMatch: nil,
                        in: transaction
                    )
                }
                removed.append(id)
            case 10:
                guard let id = removed.popLast() else { return }
                do {
                    _ = try await harness.database.transaction { transaction in
                        try await stores.expenses.restore(
                            id,
                            of: group.id,
                            by: user,
                            today: today,
                            in: transaction
                        )
                    }
                    expenses.append(id)
                } catch let error as APIError where error.code == .memberHasLeft {
                    // A guest who was removed meanwhile would owe again.
                    removed.insert(id, at: 0)
                }
            default: try await order(&random)
            }
        }

        /// Categories and guests come and go.
        private mutating func order(_ random: inout SeededGenerator) async throws {
            let coicop = [Coicop.food, .clothing].randomElement(using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0..<2:
                let name = "k\(UInt64.random(in: .min ... .max, using: &random))"
                let made = try await harness.database.transaction { transaction in
                    try await stores.categories.make(
                        NewGroupCategory(name: name, coicop: coicop),
                        of: group.id,
                        by: user,
                        in: transaction
                    )
                }
                categories.append(made.id)
            case 2:
                guard let id = categories.randomElement(using: &random) else { return }
                let change = GroupCategoryChange(coicop: coicop.map { .set($0) } ?? .cleared)
                _ = try await stores.categories.change(
                    id,
                    of: group.id,
                    change,
                    by: user,
                    ifMatch: nil
                )
            case 3:
                guard let index = categories.indices.randomElement(using: &random) else { return }
                let id = categories.remove(at: index)
                let isDeleting = Bool.random(using: &random)
                if isDeleting {
                    let gone = try await harness.database.query(
                        ExpenseStatements.ofCategory,
                        group.id,
                        id,
                        ID<Expense>(high: 0, low: 0),
                        1_000
                    ).map(\.id)
                    expenses.removeAll { gone.contains($0) }
                    removed += gone
                }
                try await stores.categories.remove(
                    id,
                    of: group.id,
                    by: user,
                    deleting: isDeleting,
                    ifMatch: nil
                )
            default:
                if let guest = guests.popLast() {
                    try await stores.members.end(
                        guest,
                        in: group.id,
                        by: user,
                        isForced: true
                    )
                    return
                }
                let made = try await harness.database.transaction { transaction in
                    try await stores.members.add(
                        NewGuest(displayName: "Zoe"),
                        to: group.id,
                        by: user,
                        in: transaction
                    )
                }
                guests.append(made.view.id)
            }
        }
    }
}
