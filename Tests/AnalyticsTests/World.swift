import Messaging
import Postgres
import TestKit
import WalletProtocol

@testable import AnalyticsService

/// Those who own what analytics keeps: their rows, events and journal, and what analytics heard.
///
/// Things go on happening while somebody reads.
final class World {
    let bench: Bench
    private(set) var random: SeededGenerator
    /// How much happens around each answer.
    var bustle = 0

    private(set) var people: [CopyKey: UserRegistered] = [:]
    private(set) var categories: [CopyKey: CategoryChanged] = [:]
    private(set) var members: [CopyKey: WalletMemberChanged] = [:]
    private(set) var expenses: [CopyKey: StandingExpense] = [:]
    private(set) var groupCategories: [CopyKey: GroupCategoryChanged] = [:]
    /// The posting of each place, from 1.
    private(set) var journal: [TransactionPosted] = []
    private(set) var versions: [VersionName: (posting: TransactionPosted, isReversed: Bool)] = [:]
    private(set) var erased: Set<ID<User>> = []
    let groups: [ID<Group>]

    private var told: [String: [EventEnvelope]] = [:]
    private var heard: [String: Int] = [:]
    private var appliedPlaces: Set<Int> = []

    init(_ bench: Bench, seed: UInt64) async throws {
        self.bench = bench
        random = SeededGenerator(seed: seed)
        groups = [ID(high: 7, low: 1), ID(high: 7, low: 2)]
        for _ in 0..<5 { registers() }
        for _ in 0..<150 { happens() }
        // Something of each kind.
        while groupCategories.values.allSatisfy({ $0.parentID == nil })
            || [categories.count, members.count, expenses.count].contains(where: { $0 < 3 })
        {
            happens()
        }
    }

    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    func any<Tag>() -> ID<Tag> {
        ID(
            high: .random(in: 1...UInt64.max - 1, using: &random),
            low: .random(in: 1...UInt64.max - 1, using: &random)
        )
    }

    private func tell(_ body: some EventBody, of aggregate: String, by producer: ServiceName) {
        let sequence = Int64(told[aggregate, default: []].count + 1)
        told[aggregate, default: []].append(
            EventEnvelope(
                id: .new(),
                source: producer,
                time: .now(),
                aggregate: aggregate,
                sequence: sequence,
                body: body
            )
        )
    }

    /// Something happens at an owner's, or reaches analytics.
    func stir() async throws {
        for _ in 0..<Int.random(in: 0...bustle, using: &random) {
            if chance(3) { happens() } else { try await arrives() }
        }
    }

    // MARK: What happens

    private func happens() {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: registers()
        case 1: if people.count > 3, chance(3) { isErased() }
        case 2..<5: moves()
        case 5..<10: ordersCategories()
        case 10..<13: sharesWallet()
        case 13..<20: spendsTogether()
        case 20..<24: ordersGroupCategories()
        default: books()
        }
    }

    private func someone() -> ID<User>? {
        people.values.map(\.userID).sorted().randomElement(using: &random)
    }

    private func registers() {
        let user: ID<User> = any()
        let area = ["IT", "FR-75", nil].randomElement(using: &random) ?? nil
        let body = person(user, area: area)
        people[CopyKey(user, CopyKey.first.part)] = body
        tell(body, of: "user:\(user)", by: .auth)
    }

    private func person(_ user: ID<User>, area: String?) -> UserRegistered {
        UserRegistered(
            userID: user,
            username: "u",
            email: "u@example.org",
            dateOfBirth: chance(2) ? Day(daysSince1970: 4_000) : nil,
            area: area,
            language: chance(2) ? "en" : "it",
            timeZone: "Europe/Rome",
            currency: .eur,
            registeredAt: .now()
        )
    }

    private func moves() {
        guard let user = someone() else { return }
        let now = person(user, area: "DE")
        people[CopyKey(user, CopyKey.first.part)] = now
        tell(
            UserChanged(
                userID: user,
                username: "u",
                email: "u@example.org",
                emailVerified: true,
                dateOfBirth: now.dateOfBirth,
                area: now.area,
                language: now.language,
                timeZone: now.timeZone,
                currency: now.currency,
                enabled: true
            ),
            of: "user:\(user)",
            by: .auth
        )
    }

    /// Their rows go at once; of what they booked the journal stays.
    private func isErased() {
        guard let user = someone() else { return }
        erased.insert(user)
        people[CopyKey(user, CopyKey.first.part)] = nil
        categories = categories.filter { $0.value.userID != user }
        tell(UserErased(userID: user, erasedAt: .now()), of: "user:\(user)", by: .auth)
    }

    private func ordersCategories() {
        guard let user = someone() else { return }
        let own = categories.values.filter { $0.userID == user && !$0.isDeleted }
            .map(\.categoryID).sorted()
        let isNew = own.count < 2 || chance(3)
        let id: CategoryID = isNew ? any() : own.randomElement(using: &random) ?? any()
        let body = CategoryChanged(
            categoryID: id,
            userID: user,
            parentID: chance(2) ? own.first { $0 != id } : nil,
            coicop: [.food, .transport, nil].randomElement(using: &random) ?? nil,
            isDeleted: !isNew && chance(4)
        )
        // What is gone stays as it was.
        let old = categories[CopyKey(user, id)]
        categories[CopyKey(user, id)] =
            body.isDeleted
            ? CategoryChanged(
                categoryID: id,
                userID: user,
                parentID: old?.parentID,
                coicop: old?.coicop,
                isDeleted: true
            ) : body
        tell(body, of: "category:\(id)", by: .ledger)
    }

    private func sharesWallet() {
        guard let user = someone() else { return }
        let account = ID<Account>(high: 9, low: .random(in: 1...3, using: &random))
        let isMember = members[CopyKey(user, account)]?.isMember != true
        let body = WalletMemberChanged(accountID: account, userID: user, isMember: isMember)
        members[CopyKey(user, account)] = body
        tell(body, of: "account:\(account)", by: .ledger)
    }

    private func spendsTogether() {
        guard let group = groups.randomElement(using: &random) else { return }
        let own = expenses.keys.filter { $0.owner == group.retagged(CopyKey.Part.self) }.sorted()
        if let key = own.randomElement(using: &random), chance(4), let gone = expenses[key] {
            expenses[key] = nil
            tell(
                GroupExpenseRemoved(
                    expenseID: gone.expenseID,
                    groupID: group,
                    amount: gone.amount,
                    day: gone.day,
                    categoryID: gone.categoryID,
                    removedBy: ID(high: 1, low: 1)
                ),
                of: "group:\(group)",
                by: .groups
            )
            return
        }
        let old = chance(2) ? own.randomElement(using: &random) : nil
        let expense = StandingExpense(
            expenseID: old?.part.retagged(Expense.self) ?? any(),
            groupID: group,
            amount: Money(minorUnits: .random(in: 1...9_999, using: &random), currency()),
            day: day(),
            categoryID: groupCategories.values.filter { $0.groupID == group }
                .map(\.categoryID).sorted().randomElement(using: &random),
            shares: []
        )
        expenses[CopyKey(group, expense.expenseID)] = expense
        tell(
            GroupExpenseChanged(
                expenseID: expense.expenseID,
                groupID: group,
                amount: expense.amount,
                day: expense.day,
                categoryID: expense.categoryID,
                shares: [],
                changedBy: ID(high: 1, low: 1)
            ),
            of: "group:\(group)",
            by: .groups
        )
    }

    private func ordersGroupCategories() {
        guard let group = groups.randomElement(using: &random) else { return }
        let own = groupCategories.values.filter { $0.groupID == group }.map(\.categoryID).sorted()
        let isNew = own.count < 2 || chance(3)
        let id: ID<GroupCategory> = isNew ? any() : own.randomElement(using: &random) ?? any()
        let body = GroupCategoryChanged(
            groupID: group,
            categoryID: id,
            parentID: chance(2) ? own.first { $0 != id } : nil,
            isDeleted: !isNew && chance(3)
        )
        groupCategories[CopyKey(group, id)] = body.isDeleted ? nil : body
        if body.isDeleted {
            for (key, old) in expenses where old.categoryID == id {
                expenses[key] = StandingExpense(
                    expenseID: old.expenseID,
                    groupID: group,
                    amount: old.amount,
                    day: old.day,
                    shares: []
                )
            }
        }
        tell(body, of: "group:\(group)", by: .groups)
    }

    private func day() -> Day {
        let days = 19_480 + Int.random(in: 0..<70, using: &random)
        guard let day = Day(daysSince1970: days) else { preconditionFailure("no day \(days)") }
        return day
    }

    private func currency() -> Currency { chance(3) ? .jpy : .eur }

    // MARK: What is booked

    private func books() {
        let standing = versions.values.filter {
            !$0.isReversed && !erased.contains($0.posting.userID)
        }
        .map(\.posting).sorted { $0.transactionID < $1.transactionID }
        if let old = standing.randomElement(using: &random), chance(3) {
            append(reversal(of: old))
            if chance(2) { append(posting(old.transactionID, old.version + 1, of: old.userID)) }
        } else if let user = someone() {
            append(posting(any(), 1, of: user))
        }
    }

    private func append(_ posting: TransactionPosted) {
        journal.append(posting)
        versions[posting.versionName] = (
            versions[posting.versionName]?.posting ?? posting, posting.kind == .reversed
        )
    }

    private func posting(
        _ id: ID<MoneyTransaction>,
        _ version: Int,
        of user: ID<User>
    ) -> TransactionPosted {
        let (currency, isSplit) = (currency(), chance(4))
        let parts = (0..<2).map { _ in
            PostedLine(
                categoryID: someCategory(of: user),
                coicop: .food,
                amount: Money(minorUnits: .random(in: -999...999, using: &random), currency)
            )
        }
        return TransactionPosted(
            source: JournalLine(entryID: .new(), place: Int64(journal.count + 1)),
            transactionID: id,
            version: version,
            kind: .posted,
            userID: user,
            accountID: ID(high: user.high, low: .random(in: 1...2, using: &random)),
            accountKind: .wallet,
            amount: parts[0].amount,
            day: day(),
            categoryID: parts[0].categoryID,
            coicop: .food,
            isOwnTransfer: chance(9),
            lines: isSplit ? parts : nil,
            isUncounted: chance(15),
            recordedAt: .now()
        )
    }

    private func someCategory(of user: ID<User>) -> CategoryID {
        categories.values.filter { $0.userID == user }.map(\.categoryID).sorted()
            .randomElement(using: &random) ?? ID(high: user.high, low: 0)
    }

    private func reversal(of old: TransactionPosted) -> TransactionPosted {
        TransactionPosted(
            source: JournalLine(entryID: .new(), place: Int64(journal.count + 1)),
            transactionID: old.transactionID,
            version: old.version,
            kind: .reversed,
            userID: old.userID,
            accountID: old.accountID,
            accountKind: old.accountKind,
            amount: old.amount,
            day: old.day,
            categoryID: old.categoryID,
            coicop: old.coicop,
            isOwnTransfer: old.isOwnTransfer,
            lines: old.lines,
            isUncounted: old.isUncounted,
            recordedAt: .now()
        )
    }

    // MARK: What reaches analytics

    /// An aggregate's next event, or a posting, which may come again and out of order.
    private func arrives() async throws {
        let open = told.keys.filter { heard[$0, default: 0] < told[$0, default: []].count }.sorted()
        if chance(2), let aggregate = open.randomElement(using: &random) {
            try await hear(aggregate)
        } else if let place = journal.indices.randomElement(using: &random) {
            let missing = journal.indices.first { !appliedPlaces.contains($0) }
            try await apply(chance(3) ? place : missing ?? place)
        }
    }

    /// All that there is.
    func allArrives() async throws {
        for aggregate in told.keys.sorted() {
            while heard[aggregate, default: 0] < told[aggregate, default: []].count {
                try await hear(aggregate)
            }
        }
        for place in journal.indices where !appliedPlaces.contains(place) { try await apply(place) }
    }

    private func hear(_ aggregate: String) async throws {
        let (events, count) = (told[aggregate, default: []], heard[aggregate, default: 0])
        let event = events[count]
        try await bench.database.transaction { transaction in
            let producer =
                ServiceName.allCases.first { event.source.hasSuffix($0.rawValue) } ?? .ledger
            _ = try await InboxRows.hold([aggregate], of: producer, in: transaction)
            switch producer {
            case .auth:
                try await PeopleEvents.apply(event, in: transaction)
                try await UsageEvents.apply(event, in: transaction)
            case .groups: try await GroupEvents.apply([event], in: transaction)
            default: try await FactEvents.apply([event], in: transaction)
            }
            try await InboxRows.rebuilt(
                aggregate,
                of: producer,
                at: event.sequence,
                in: transaction
            )
        }
        heard[aggregate] = count + 1
    }

    private func apply(_ place: Int) async throws {
        appliedPlaces.insert(place)
        let mark = journal.indices.first { !appliedPlaces.contains($0) } ?? journal.count
        // Each by itself, from 1.
        let above = appliedPlaces.filter { $0 > mark }.sorted().map { Int64($0 + 1) }
        let posting = journal[place]
        try await bench.database.transaction { transaction in
            try await Facts.apply([posting], in: transaction)
            try await transaction.execute(saveMark, Int64(mark), above)
        }
    }

    // MARK: What is answered

    /// Answers as of somewhere between two things that happen.
    var origins: Origins {
        Origins(
            users: { try await self.page(\.people, $0) { "user:\($0.userID)" } },
            categories: { try await self.page(\.categories, $0) { "category:\($0.categoryID)" } },
            members: { try await self.page(\.members, $0) { "account:\($0.accountID)" } },
            expenses: { try await self.page(\.expenses, $0) { "group:\($0.groupID)" } },
            groupCategories: {
                try await self.page(\.groupCategories, $0) { "group:\($0.groupID)" }
            },
            groupMembers: { try await self.page(\.groupMembers, $0) { "group:\($0.groupID)" } },
            journal: { query in
                try await self.stir()
                let asked = query.from...query.through
                let rows = self.journal.filter { asked.contains(Int($0.source.place)) }.prefix(20)
                let covers = rows.last.map { Int64(query.from)...$0.source.place }
                try await self.stir()
                return Postings(covers: covers.map { [$0] } ?? [], rows: Array(rows))
            },
            versions: { question in
                try await self.stir()
                let answer = zip(question.transactionIDs, question.versions).compactMap {
                    self.booked(VersionName(transaction: $0, version: Int64($1)))
                }
                try await self.stir()
                return answer
            },
            lastSequence: { _, aggregate in
                try await self.stir()
                let count = self.told[aggregate, default: []].count
                try await self.stir()
                return Int64(count)
            }
        )
    }

    private func booked(_ name: VersionName) -> BookedVersion? {
        versions[name].map { found in
            BookedVersion(
                transactionID: name.transaction,
                version: Int(name.version),
                userID: found.posting.userID,
                parts: FactPart.all(of: found.posting).count,
                isReversed: found.isReversed
            )
        }
    }

    private func page<Value>(
        _ rows: KeyPath<World, [CopyKey: Value]>,
        _ query: SnapshotQuery,
        aggregate: (Value) -> String
    ) async throws -> Page<Snapshot<Value>> {
        try await stir()
        let after = try query.cursor?.decode(Place.self).key ?? .first
        let found = self[keyPath: rows].filter { after < $0.key }.sorted { $0.key < $1.key }
        let items = found.prefix(4).map { _, value in
            let name = aggregate(value)
            let count = told[name, default: []].count
            return Snapshot(aggregate: name, sequence: Int64(count), data: value)
        }
        let end = found.count > 4 ? found[3].key : nil
        try await stir()
        return Page(items: items, nextCursor: end.map { Cursor(Place(key: $0)) })
    }

    private struct Place: JSONObject {
        let owner: ID<CopyKey.Part>
        let part: ID<CopyKey.Part>
        var key: CopyKey { CopyKey(owner, part) }

        init(key: CopyKey) { (owner, part) = (key.owner, key.part) }
        init(owner: ID<CopyKey.Part>, part: ID<CopyKey.Part>) {
            (self.owner, self.part) = (owner, part)
        }

        static let json = Object(
            Place.init(owner:part:),
            Field("owner", \.owner),
            Field("part", \.part)
        )
    }
}

private let saveMark = Statement<Void>(
    """
    insert into analytics.journal_mark (producer, mark, lows, highs) values ('ledger', $1, $2, $2)
    on conflict (producer) do update
    set mark = excluded.mark, lows = excluded.lows, highs = excluded.highs
    """
)
