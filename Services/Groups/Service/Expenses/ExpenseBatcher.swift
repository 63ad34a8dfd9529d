import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Gathers the expenses that a loop's requests write down at once into few transactions.
///
/// A hint for throughput, nothing else: whatever is written is safe by the groups' rows, by keys
/// and constraints alone. What comes while a transaction is under way goes out together with the
/// next.
/// It leaves out groups that somebody holds: such a group gets a lane of its own, in which one
/// transaction at a time waits for it with all that has come for it meanwhile. So a group that is
/// held for long holds up nobody but its own members, and one that many write to at once is locked,
/// and written to the disk, once for several of them. Whatever cannot be done together is done
/// alone, by whoever asked for it, as if there were no batcher: what is heavy, what has a key that
/// is in use, and all that came with one that the database refuses.
final class ExpenseBatcher {
    private let effects: KeyedEffects
    private let expenses: ExpenseStore
    private let loop: EventLoop
    /// Of groups that nobody is known to hold.
    private let free: ExpenseQueue
    private var lanes: [ID<Group>: ExpenseQueue] = [:]
    /// Lanes whose turn it is to be served.
    private var due: [ID<Group>] = []
    private var sleepers: [Wait<Void>] = []
    private var waiting = 0
    /// What of each waits: nobody fills the queues for all the others.
    private var ofGroups: [ID<Group>: Int] = [:]
    private var ofUsers: [ID<User>: Int] = [:]

    /// Requests that may wait; more are refused, for they would not be answered in time.
    static let itemsMax = 2_000
    /// The same of one group.
    static let ofGroupMax = 200
    /// The same of one person.
    static let ofUserMax = 100
    /// What is heavier goes alone: it would have others wait.
    static let weightMax = 300
    /// How long a transaction is held back at most for others to join it.
    static let gatherNanoseconds: UInt64 = 2_000_000
    /// How long a transaction waits for a lock: it has a connection meanwhile, and others wait.
    static let lockMilliseconds = 50
    /// How long a lane rests whose group was held for longer.
    static let restNanoseconds: UInt64 = 100_000_000
    /// How long an empty lane is kept: who has been answered may ask again.
    static let lingerNanoseconds: UInt64 = 20_000_000

    init(effects: KeyedEffects, expenses: ExpenseStore, on loop: EventLoop) {
        self.effects = effects
        self.expenses = expenses
        self.loop = loop
        free = ExpenseQueue(on: loop)
    }

    /// Its workers; each serves until its task is cancelled.
    func addWorkers(to service: ServiceLoop) {
        service.addWorker("expenses") { [self] in await serveFree() }
        service.addWorker("expenses, waiting") { [self] in await serveLanes() }
    }

    /// Writes one down, with its answer under its key.
    func add(
        _ order: AskedExpense,
        _ scope: IdempotencyScope?
    ) async throws -> Response<ExpenseView> {
        if order.weight <= Self.weightMax {
            do {
                return try await effects.answer(scope) { try await together(order, scope) }
            } catch is NotTogether {}
        }
        return try await effects.answer(scope) { transaction in
            try await expenses.add(order, in: transaction).answer
        }
    }

    private func together(
        _ order: AskedExpense,
        _ scope: IdempotencyScope?
    ) async throws -> Response<ExpenseView> {
        let (group, user) = (order.group, order.user)
        let (groups, users) = (ofGroups[group, default: 0], ofUsers[user, default: 0])
        guard waiting < Self.itemsMax, groups < Self.ofGroupMax, users < Self.ofUserMax else {
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
        waiting += 1
        ofGroups[group] = groups + 1
        ofUsers[user] = users + 1
        defer {
            waiting -= 1
            ofGroups[group] = ofGroups[group].flatMap { $0 > 1 ? $0 - 1 : nil }
            ofUsers[user] = ofUsers[user].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
        let item = ExpenseQueue.Item(order, scope, on: loop)
        (lanes[group] ?? free).append(item)
        try await item.wait.value()
        guard let answer = item.answer else { throw NotTogether() }
        return answer
    }

    // MARK: Workers

    /// What the first worker does.
    func serveFree() async {
        var expected = 1
        while !Task.isCancelled {
            guard await free.wait(for: expected, nanoseconds: Self.gatherNanoseconds) else {
                _ = await free.wait(for: 1, nanoseconds: nil)
                expected = 1
                continue
            }
            let items = free.take()
            for item in await run(items, waits: false) { putInLane(item) }
            expected = max(1, items.count + free.count)
        }
    }

    private func putInLane(_ item: ExpenseQueue.Item) {
        let group = item.order.group
        if let lane = lanes[group] { return lane.append(item) }
        let lane = ExpenseQueue(on: loop)
        lanes[group] = lane
        lane.append(item)
        for other in free.takeAll(of: group) { lane.append(other) }
        makeDue(group)
    }

    private func makeDue(_ group: ID<Group>) {
        due.append(group)
        if !sleepers.isEmpty { sleepers.removeFirst().resume(returning: ()) }
    }

    /// What the second one does.
    func serveLanes() async {
        while !Task.isCancelled {
            guard let group = due.first, let lane = lanes[group] else {
                let wait = Wait<Void>(on: loop)
                sleepers.append(wait)
                try? await wait.value()
                sleepers.removeAll { $0 === wait }
                continue
            }
            due.removeFirst()
            await serve(lane, of: group)
        }
    }

    /// Until nothing more comes for it, or another lane waits for its turn.
    private func serve(_ lane: ExpenseQueue, of group: ID<Group>) async {
        var expected = 1
        while !Task.isCancelled, await lane.wait(for: 1, nanoseconds: Self.lingerNanoseconds) {
            _ = await lane.wait(for: expected, nanoseconds: Self.gatherNanoseconds)
            let items = lane.take()
            let held = await run(items, waits: true)
            guard held.isEmpty else {
                lane.putBack(held)
                loop.schedule(afterNanoseconds: Self.restNanoseconds) { self.makeDue(group) }
                return
            }
            expected = items.count
            guard !due.isEmpty else { continue }
            if lane.count == 0 { break }
            return makeDue(group)
        }
        lanes[group] = nil
    }

    /// One transaction.
    /// - Returns: those whose group is held by others.
    private func run(_ items: [ExpenseQueue.Item], waits: Bool) async -> [ExpenseQueue.Item] {
        guard !items.isEmpty else { return [] }
        do {
            let answers = try await effects.answer(
                together: items.map(\.scope),
                lockMilliseconds: Self.lockMilliseconds
            ) { new, transaction in
                try await expenses.answers(
                    to: new.map { items[$0].order },
                    waits: waits,
                    in: transaction
                )
            }
            return zip(items, answers).compactMap { answer($0, $1) }
        } catch {
            if waits, (error as? DatabaseError)?.isRetryable == true { return items }
            // Who is at fault nobody knows here; whether it is written is known by its key.
            for item in items { item.wait.resume(returning: ()) }
            return []
        }
    }

    /// - Returns: the item where its group is held by others.
    private func answer(
        _ item: ExpenseQueue.Item,
        _ answer: Result<Response<ExpenseView>, any Error>
    ) -> ExpenseQueue.Item? {
        switch answer {
        case .failure(is GroupIsHeld): return item
        case .failure(is KeyIsHeld): item.wait.resume(returning: ())
        case .failure(let error): item.wait.resume(throwing: error)
        case .success(let response):
            item.answer = response
            item.wait.resume(returning: ())
        }
        return nil
    }
}

/// It is to be done alone.
private struct NotTogether: Error {}

/// Somebody else holds the group's row.
struct GroupIsHeld: Error {}
