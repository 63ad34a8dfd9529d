import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Random histories of a child's account, against `LimitModel`.
@Suite struct LimitHistoryTests {
    @Test(arguments: (0..<6).map { _ in UInt64.random(in: 0...UInt64.max) })
    func aChildSpendsWhatTheModelLetsThrough(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var child = try await Child(books, seed: seed)
            for round in 0..<150 {
                let note: Comment = "seed \(seed), round \(round)"
                if round % 15 == 0 { try await child.setLimits() }
                let (postings, statuses) = child.call()
                let outcomes = try await books.service.post(postings, at: child.moment)
                    .map(\.status)
                #expect(outcomes == statuses, note)
                if outcomes != statuses { return }
                if round % 10 == 9 { try await child.check(note) }
            }
            #expect(child.refusals > 0, "seed \(seed)")
            try await books.check("seed \(seed)")
        }
    }
}

/// A child, what they have, and what they do next.
private struct Child {
    private typealias Line = LimitModel.Line
    private typealias Step = (postings: [Posting], changes: [LimitModel.Change])

    private let books: Books
    private let user: ID<User>
    private let purse: ID<Account>
    private let other: ID<Account>
    private let categories: [CategoryID]
    private var chance: SeededGenerator
    private var model: LimitModel
    private var versions: [ID<MoneyTransaction>: Int] = [:]
    private var gone: [ID<MoneyTransaction>: Line] = [:]
    private(set) var moment = Instant(secondsSince1970: 1_700_000_000)
    private var transfers: Set<ID<MoneyTransaction>> = []
    private(set) var refusals = 0

    init(_ books: Books, seed: UInt64) async throws {
        self.books = books
        chance = SeededGenerator(seed: seed)
        user = try await books.person()
        let monthStart = Int.random(in: 1...28, using: &chance)
        try await books.owner.execute(setMonthStart, user, Int16(monthStart))
        purse = try await books.purse(of: user, holding: 1_000_000)
        other = try await books.account(of: user)
        categories = try await [
            books.others(of: user), books.category(of: user, "A"), books.category(of: user, "B"),
            books.category(of: user, "C"),
        ]
        try await books.owner.execute(setParent, categories[3], categories[2])
        model = LimitModel(monthStart: monthStart, parents: [categories[3]: categories[2]])
    }

    mutating func setLimits() async throws {
        model.limits = []
        for category in [nil] + categories.map(Optional.some) where .random(using: &chance) {
            model.limits.append((category, .random(in: 0...90, using: &chance)))
        }
        try await books.limit(purse, model.limits.map { ($0.category, $0.amount) })
    }

    /// What the books have counted in each month that anything may be in.
    func check(_ note: Comment) async throws {
        let newest = Day.utc(moment).month
        for months in -13...0 {
            let (first, end) = try (start(newest, months), start(newest, months + 1))
            let found = try await books.counted(purse, from: first, before: end)
            let month = model.month(of: .utc(first))
            for category in [nil] + categories.map(Optional.some) {
                let sum = Int64(clamping: found.total(of: category))
                #expect(sum == model.spent(category, in: month), note)
            }
        }
    }

    private func start(_ month: Month, _ months: Int) throws -> Instant {
        let first = try #require(month.adding(months)?.firstDay.adding(days: model.monthStart - 1))
        return Instant(secondsSince1970: Int64(first.daysSince1970) * 86_400)
    }

    /// Elements and chains, none of what another is of, and what becomes of them.
    mutating func call() -> (postings: [Posting], statuses: [PostingStatus]) {
        var (postings, statuses): ([Posting], [PostingStatus]) = ([], [])
        var free = Set(versions.keys)
        moment = moment.adding(seconds: .random(in: 0...500_000, using: &chance))
        model.month = model.month(of: .utc(moment))
        for number in 0..<Int.random(in: 1...4, using: &chance) {
            var (part, changes): Step = ([], [])
            let count = Bool.random(using: &chance) ? 1 : Int.random(in: 2...3, using: &chance)
            for _ in 0..<count {
                let step = step(&free, isFirst: postings.isEmpty)
                part += step.postings
                changes += step.changes
            }
            for index in part.indices where part.count > 1 {
                part[index].chain = number
                if index > 0 { part[index].operation = nil }
            }
            postings += part
            statuses += decide(changes)
        }
        return (postings, statuses)
    }

    private mutating func decide(_ changes: [LimitModel.Change]) -> [PostingStatus] {
        let before = model.standing
        let statuses = model.decide(changes)
        guard statuses.allSatisfy({ $0 == .posted }) else {
            refusals += 1
            return statuses
        }
        for change in changes {
            switch change {
            case .adds(let id, _):
                versions[id, default: 0] += 1
                gone[id] = nil
            case .revises(let id, _): versions[id, default: 0] += 1
            case .ends(let id): gone[id] = before[id]
            }
        }
        return statuses
    }

    // MARK: What they do

    /// - Parameter isFirst: whether it is in no call behind another: what takes a transfer back
    ///   waits for whatever makes a version on its accounts.
    private mutating func step(
        _ free: inout Set<ID<MoneyTransaction>>,
        isFirst: Bool
    ) -> Step {
        guard Int.random(in: 0..<5, using: &chance) < 3,
            let id = free.sorted().randomElement(using: &chance)
        else { return adding() }
        free.remove(id)
        if let line = gone[id] {
            if transfers.contains(id) { return adding() }
            return ([recording(line, again: id)], [.adds(id, line)])
        }
        guard let old = model.standing[id] else { return adding() }
        switch Int.random(in: 0..<3, using: &chance) {
        case 0 where isFirst || !transfers.contains(id):
            return ([reversing(id)], [.ends(id)])
        case 1 where !transfers.contains(id):
            let new = line()
            return ([reversing(id), recording(new, again: id)], [.ends(id), .adds(id, new)])
        default:
            var new = old
            new.isSplit = false
            guard let category = categories.randomElement(using: &chance) else { return adding() }
            new.parts = [.init(category: category, amount: old.amount)]
            var posting = Posting(.revision, .init(of: user), by: user, on: purse)
            posting.transaction = id
            posting.version = versions[id]
            posting.category = category
            posting.name = "revised"
            return ([posting], [.revises(id, new)])
        }
    }

    private mutating func adding() -> Step {
        let id = ID<MoneyTransaction>.new()
        var line = line()
        guard line.amount < 0, !line.isSplit, Int.random(in: 0..<4, using: &chance) == 0 else {
            var posting = recording(line, again: id)
            posting.version = nil
            return ([posting], [.adds(id, line)])
        }
        line.day = someDay
        transfers.insert(id)
        var posting = Posting.transfer(-line.amount, from: purse, to: other, by: user)
        posting.transaction = id
        posting.category = line.parts.first?.category
        return ([posting], [.adds(id, line)])
    }

    private func reversing(_ id: ID<MoneyTransaction>) -> Posting {
        var posting = Posting.reversal(of: id, on: purse, by: user)
        posting.version = versions[id]
        if transfers.contains(id) { posting.counter = other }
        return posting
    }

    private func recording(_ line: Line, again id: ID<MoneyTransaction>) -> Posting {
        var posting = Posting.record(line.amount, on: purse, by: user)
        posting.transaction = id
        posting.version = (versions[id] ?? 0) + 1
        posting.day = line.day
        if line.isSplit {
            posting.lines = line.parts.map { .init(category: $0.category, amount: $0.amount) }
        } else {
            posting.category = line.parts.first?.category
        }
        return posting
    }

    private mutating func line() -> Line {
        let day = someDay.adding(days: .random(in: -40...40, using: &chance)) ?? someDay
        let isSplit = Int.random(in: 0..<3, using: &chance) == 0
        let count = isSplit ? Int.random(in: 1...3, using: &chance) : 1
        let parts = categories.shuffled(using: &chance).prefix(count).map { category in
            let amount = Int64.random(in: 1...20, using: &chance)
            let isIncome = Int.random(in: 0..<5, using: &chance) == 0
            return LimitModel.Part(category: category, amount: isIncome ? amount : -amount)
        }
        return Line(day: day, parts: parts, isSplit: isSplit)
    }
}

private let setMonthStart = Statement<Void>(
    "update ledger.person set month_start = $2 where user_id = $1"
)
private let setParent = Statement<Void>(
    "update ledger.category set parent_id = $2 where id = $1"
)
