import Loops
import Postgres
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Expenses that come at once are written down together, and each as if it came alone.
@Suite struct BatcherTests {
    /// Whatever comes at once, by however many replicas: each is answered as it would be alone, a
    /// key has one expense, and the group's sums are those of its history.
    @Test func whatComesTogetherIsWrittenAsIfItCameAlone() async throws {
        let seed = UInt64.random(in: 0..<1_000)
        try await Harness.run { actor, harness in
            var random = SeededGenerator(seed: seed)
            let replicas = [harness.batcher(), harness.batcher()].map { LoopBound($0, to: actor) }
            let bound = LoopBound(harness, to: actor)
            let workers = replicas.flatMap { Self.serve($0, actor) }
            var groups: [TestGroup] = []
            for count in [2, 3, 5] { groups.append(try await harness.makeGroup(of: count)) }
            let stranger = ID<User>.new()
            let asks = (0..<80).map { Ask($0, groups, stranger, &random) }
            let answers = Mutex<[(Ask, Answer)]>([])
            var tasks: [Task<Void, Never>] = []
            for number in 0..<120 {
                // Half of them twice, perhaps at once: the same key for the same.
                let ask = asks[number % asks.count]
                let replica = replicas[Int.random(in: 0..<2, using: &random)]
                tasks.append(
                    actor.spawn { actor in
                        let answer = await ask.answer(of: replica.on(actor), bound.on(actor))
                        answers.withLock { $0.append((ask, answer)) }
                    }
                )
            }
            var written: [String: ID<Expense>] = [:]
            var count = 0
            for task in tasks { await task.value }
            for (ask, answer) in answers.withLock({ $0 }) {
                #expect(answer.kind == ask.due, "seed \(seed), \(ask): \(answer)")
                guard let id = answer.expense else { continue }
                if let first = written[ask.key] {
                    #expect(first == id, "a key has two: seed \(seed), \(ask)")
                } else {
                    written[ask.key] = id
                    count += 1
                }
            }
            let stored = Statement(
                """
                select (select count(*) from groups.expense),
                    (select count(*) from groups.outbox where type = 'group.expense.added'),
                    (select count(*) from groups.expense_debt)
                        - (select sum(cardinality(bearer_ids) - 1) from groups.expense)
                """
            ) { row in (try row.int64(0), try row.int64(1), try row.value(2, as: Int128.self)) }
            let (expenses, told, debts) = try #require(
                try await harness.database.queryOne(stored)
            )
            #expect(expenses == count && told == count && debts == 0, "seed \(seed)")
            for group in groups {
                let wrong = try await harness.database.query(ConcurrencyTests.wrong, group.id)
                #expect(wrong.isEmpty, "seed \(seed)")
            }
            for worker in workers { worker.cancel() }
        }
    }

    /// A group that somebody holds keeps its own members waiting, and nobody else's.
    @Test func aHeldGroupHoldsUpNobodyElse() async throws {
        try await Harness.run { actor, harness in
            let batcher = LoopBound(harness.batcher(), to: actor)
            let bound = LoopBound(harness, to: actor)
            let workers = Self.serve(batcher, actor)
            let (held, other) = (
                try await harness.makeGroup(of: 2), try await harness.makeGroup(of: 2)
            )
            let late = Mutex<[Answer.Kind]>([])
            let waiting = try await harness.database.transaction { transaction in
                _ = try await transaction.query(GroupStatements.lock, held.id)
                let waiting = (0..<5).map { number in
                    actor.spawn { actor in
                        let answer = await Ask(number, to: held)
                            .answer(of: batcher.on(actor), bound.on(actor))
                        late.withLock { $0.append(answer.kind) }
                    }
                }
                for number in 5..<10 {
                    let kind = await Ask(number, to: other)
                        .answer(of: batcher.on(actor), harness).kind
                    #expect(kind == .written)
                }
                #expect(late.withLock { $0.isEmpty })
                return waiting
            }
            for task in waiting { await task.value }
            #expect(late.withLock { $0 } == Array(repeating: .written, count: 5))
            for worker in workers { worker.cancel() }
        }
    }

    /// Whoever repeats a call that is under way waits for it, and nobody else does.
    @Test func aKeyInUseHoldsUpNobodyElse() async throws {
        try await Harness.run { actor, harness in
            let batcher = LoopBound(harness.batcher(), to: actor)
            let bound = LoopBound(harness, to: actor)
            let workers = Self.serve(batcher, actor)
            let group = try await harness.makeGroup(of: 2)
            let (first, other) = (Ask(1, to: group), Ask(2, to: group))
            let repeated = Mutex<Answer?>(nil)
            let scope = first.scope
            var task: Task<Void, Never>?
            let made = try await harness.parts.effects.answer(scope) { transaction in
                task = actor.spawn { actor in
                    let answer = await first.answer(of: batcher.on(actor), bound.on(actor))
                    repeated.withLock { $0 = answer }
                }
                #expect(await other.answer(of: batcher.on(actor), harness).kind == .written)
                #expect(repeated.withLock { $0 } == nil)
                return try await harness.parts.expenses.add(first.order, in: transaction).answer
            }
            await task?.value
            let place = made.location?.split(separator: "/").last ?? ""
            #expect(repeated.withLock { $0?.expense } == ID(String(place)))
            for worker in workers { worker.cancel() }
        }
    }

    /// What the database refuses of one takes nothing of those back that came with it.
    @Test func oneWhoseSumsDoNotFitIsRefusedAlone() async throws {
        try await Harness.run { actor, harness in
            let batcher = LoopBound(harness.batcher(), to: actor)
            let bound = LoopBound(harness, to: actor)
            let (full, other) = (
                try await harness.makeGroup(of: 2), try await harness.makeGroup(of: 2)
            )
            // Half of each is owed, without an odd unit: a third does not fit.
            let most = (20...21).map { Ask($0, to: full, amount: .max - 1).order }
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(most, in: transaction).map { try $0.get() }
            }
            let asks = (1...9).map { number in
                number == 5 ? Ask(5, to: full, amount: .max) : Ask(number, to: other)
            }
            let answers = Mutex<[String: Answer.Kind]>([:])
            let tasks = asks.map { ask in
                actor.spawn { actor in
                    let answer = await ask.answer(of: batcher.on(actor), bound.on(actor))
                    answers.withLock { $0[ask.key] = answer.kind }
                }
            }
            // All of them wait when the workers come.
            let workers = Self.serve(batcher, actor)
            for task in tasks { await task.value }
            for ask in asks {
                let due: Answer.Kind = ask.order.group == full.id ? .refused : .written
                #expect(answers.withLock { $0[ask.key] } == due, "\(ask)")
            }
            for worker in workers { worker.cancel() }
        }
    }

    /// Of a limit everybody is told by the very expense that crosses it, whatever comes beside it.
    @Test func aLimitIsCrossedByOneOfThoseThatComeTogether() async throws {
        try await Harness.run { actor, harness in
            let group = try await harness.makeGroup(of: 2)
            try await harness.database.transaction { transaction in
                _ = try await harness.parts.thresholds.make(
                    NewThreshold(amount: Money(minorUnits: 250, .eur)),
                    for: group.id,
                    by: group.users[0],
                    today: Period.ever.start,
                    in: transaction
                )
            }
            let orders = (0..<5).map { Ask($0, to: group).order }
            let outcomes = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(orders, in: transaction)
            }
            let ids = try outcomes.map { try $0.get().id }
            let crossing = Statement(
                "select expense_id, spent from groups.threshold_crossing"
            ) { row in (try row.value(0, as: ID<Expense>.self), try row.value(1, as: Int128.self)) }
            let (id, spent) = try #require(try await harness.database.queryOne(crossing))
            #expect(id == ids[2] && spent == 300)
        }
    }

    private static func serve(
        _ batcher: LoopBound<ExpenseBatcher>,
        _ actor: LoopActor
    ) -> [Task<Void, Never>] {
        [
            actor.spawn { actor in await batcher.on(actor).serveFree() },
            actor.spawn { actor in await batcher.on(actor).serveLanes() },
        ]
    }
}

/// What somebody asks for, and what is due to them.
private struct Ask: Sendable, CustomStringConvertible {
    let order: AskedExpense
    let key: String
    let due: Answer.Kind

    var description: String { "\(key) \(due) \(order.body.amount)" }

    /// Of 1.00, borne by both.
    init(_ number: Int, to group: TestGroup, amount: Int64 = 100) {
        order = AskedExpense(
            body: NewExpense(
                name: "Thing",
                amount: Money(minorUnits: amount, .eur),
                split: Split(
                    kind: .equal,
                    parts: group.members.map { SplitPart(memberID: $0) }
                )
            ),
            group: group.id,
            user: group.users[0],
            today: Period.ever.start
        )
        key = "key \(number)"
        due = .written
    }

    init(
        _ number: Int,
        _ groups: [TestGroup],
        _ stranger: ID<User>,
        _ random: inout SeededGenerator
    ) {
        let group = groups[number % groups.count]
        let isStranger = Int.random(in: 0..<10, using: &random) == 0
        let isBad = Int.random(in: 0..<6, using: &random) == 0
        var parts = group.members.map { SplitPart(memberID: $0) }
        if isBad { parts.append(SplitPart(memberID: .new())) }
        key = "key \(number)"
        order = AskedExpense(
            body: NewExpense(
                name: "Thing",
                amount: Money(minorUnits: Int64(100 + number), .eur),
                split: Split(kind: .equal, parts: parts)
            ),
            group: group.id,
            user: isStranger ? stranger : group.users[0],
            today: Period.ever.start
        )
        due = isStranger ? .notFound : isBad ? .refused : .written
    }

    var scope: IdempotencyScope {
        IdempotencyScope(key: key, scope: "\(order.user.text) POST", requestHash: [1])
    }

    func answer(of batcher: ExpenseBatcher, _ harness: Harness) async -> Answer {
        do {
            let response = try await batcher.add(order, scope)
            let place = response.location?.split(separator: "/").last ?? ""
            return Answer(kind: .written, expense: ID(String(place)))
        } catch let error as APIError {
            return Answer(kind: error.code == .notFound ? .notFound : .refused, expense: nil)
        } catch { return Answer(kind: .failed("\(error)"), expense: nil) }
    }
}

private struct Answer: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case written, notFound, refused
        case failed(String)
    }
    let kind: Kind
    let expense: ID<Expense>?
}

extension Harness {
    /// One of a replica's own.
    fileprivate func batcher() -> ExpenseBatcher {
        ExpenseBatcher(effects: parts.effects, expenses: parts.expenses, on: database.loop)
    }
}
