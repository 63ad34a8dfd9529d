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
/// and written to the disk, once for several of them.
final class ExpenseBatcher {
    /// One request that waits.
    final class Item {
        let order: AskedExpense
        let scope: IdempotencyScope?
        let wait: Wait<Void>
        fileprivate var answer: Response<ExpenseView>?

        init(_ order: AskedExpense, _ scope: IdempotencyScope?, on loop: EventLoop) {
            self.order = order
            self.scope = scope
            wait = Wait(on: loop)
        }
    }

    private let effects: KeyedEffects
    private let expenses: ExpenseStore
    private let loop: EventLoop
    /// Of groups that nobody is known to hold.
    private let free: ExpenseQueue
    private var lanes: [ID<Group>: ExpenseQueue] = [:]
    /// Lanes whose turn it is to be served.
    private var due: [ID<Group>] = []
    private var sleepers: [Wait<Void>] = []

    /// Expenses of one transaction: enough for its fixed cost to vanish, few enough to be quick.
    static let ordersMax = 64
    /// Requests that may wait; more are refused, for they would not be answered in time.
    static let itemsMax = 2_000
    /// Groups that are waited for at once.
    static let lanesServed = 2
    /// How long a transaction is held back at most for others to join it.
    static let gatherNanoseconds: UInt64 = 2_000_000
    /// How long a lane waits for its lock, some times in a row, before another has its turn.
    static let lockMilliseconds = 100
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
        for number in 1...Self.lanesServed {
            service.addWorker("expenses, waiting \(number)") { [self] in await serveLanes() }
        }
    }

    /// Writes one down, with its answer under its key.
    func add(
        _ order: AskedExpense,
        _ scope: IdempotencyScope?
    ) async throws -> Response<ExpenseView> {
        guard lanes.values.reduce(free.count, { $0 + $1.count }) < Self.itemsMax else {
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
        let item = Item(order, scope, on: loop)
        append(item)
        try await item.wait.value()
        guard let answer = item.answer else { throw APIError(.internalError) }
        return answer
    }

    private func append(_ item: Item) { (lanes[item.order.group] ?? free).append(item) }

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
            let items = free.take(Self.ordersMax)
            for item in await run(items, waits: false) { putInLane(item) }
            expected = max(1, items.count + free.count)
        }
    }

    private func putInLane(_ item: Item) {
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

    /// What each of the others does.
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
            let items = lane.take(Self.ordersMax)
            for item in await run(items, waits: true) { lane.append(item) }
            expected = items.count
            guard !due.isEmpty else { continue }
            if lane.count == 0 { break }
            return makeDue(group)
        }
        lanes[group] = nil
    }

    /// One transaction; what it cannot do as a whole is halved, so that a bad one costs a few.
    /// - Returns: those whose group is held by others.
    private func run(_ items: [Item], waits: Bool) async -> [Item] {
        guard !items.isEmpty else { return [] }
        do {
            let answers = try await effects.answer(together: items.map(\.scope)) {
                new,
                transaction in
                if waits {
                    try await transaction.setLockTimeout(milliseconds: Self.lockMilliseconds)
                }
                return try await expenses.answers(
                    to: new.map { items[$0].order },
                    waits: waits,
                    in: transaction
                )
            }
            return zip(items, answers).compactMap { answer($0, $1) }
        } catch {
            if waits, (error as? DatabaseError)?.isRetryable == true { return items }
            var rest: [Item] = []
            for item in items where !item.wait.isOver {
                if items.count == 1 || Self.isLastWord(error, on: item) {
                    item.wait.resume(throwing: error)
                } else {
                    rest.append(item)
                }
            }
            let middle = (rest.count + 1) / 2
            let busy = await run(Array(rest[..<middle]), waits: waits)
            return busy + (await run(Array(rest[middle...]), waits: waits))
        }
    }

    /// - Returns: the item where its group is held by others.
    private func answer(_ item: Item, _ answer: Result<Response<ExpenseView>, any Error>) -> Item? {
        switch answer {
        case .success(let response):
            item.answer = response
            item.wait.resume(returning: ())
        case .failure(is GroupIsHeld): return item
        case .failure(let error): item.wait.resume(throwing: error)
        }
        return nil
    }

    private static func isLastWord(_ error: any Error, on item: Item) -> Bool {
        switch error as? DatabaseError {
        case .deadline, .cancelled: true
        // Whether it is written nobody can tell, but by its key.
        case .connectionLost(duringCommit: true): item.scope == nil
        default: false
        }
    }
}

/// Somebody else holds the group's row.
struct GroupIsHeld: Error {}

/// Expenses that wait to be written down, in the order in which they came; one loop's own.
final class ExpenseQueue {
    private let loop: EventLoop
    private var items: [ExpenseBatcher.Item] = []
    private var sleeper: (wait: Wait<Void>, count: Int)?

    init(on loop: EventLoop) { self.loop = loop }

    var count: Int { items.count }

    func append(_ item: ExpenseBatcher.Item) {
        items.append(item)
        if let sleeper, items.count >= sleeper.count {
            sleeper.wait.resume(returning: ())
        }
    }

    /// The next ones that somebody still waits for; of one key, one at a time.
    func take(_ count: Int) -> [ExpenseBatcher.Item] {
        var taken: [ExpenseBatcher.Item] = []
        var left: [ExpenseBatcher.Item] = []
        var keys: Set<IdempotencyScope> = []
        for item in items where !item.wait.isOver {
            let isNew = item.scope.map { keys.insert($0.named).inserted } ?? true
            if isNew, taken.count < count { taken.append(item) } else { left.append(item) }
        }
        items = left
        return taken
    }

    /// Those of one group.
    func takeAll(of group: ID<Group>) -> [ExpenseBatcher.Item] {
        let taken = items.filter { $0.order.group == group }
        items.removeAll { $0.order.group == group }
        return taken
    }

    /// Sleeps until so many wait, for this long at most; true where there are any.
    func wait(for count: Int, nanoseconds: UInt64?) async -> Bool {
        if items.count >= count { return true }
        let wait = Wait<Void>(on: loop)
        sleeper = (wait, count)
        let timer = nanoseconds.map { nanoseconds in
            loop.schedule(afterNanoseconds: nanoseconds) { wait.resume(returning: ()) }
        }
        defer { timer?.cancel() }
        try? await wait.value()
        sleeper = nil
        return !items.isEmpty
    }
}
