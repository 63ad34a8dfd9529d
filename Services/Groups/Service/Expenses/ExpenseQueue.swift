import Loops
import ServiceKit
import WalletProtocol

/// Expenses that wait to be written down, in the order in which they came; one loop's own.
final class ExpenseQueue {
    /// One request that waits.
    final class Item {
        let order: AskedExpense
        let scope: IdempotencyScope?
        /// Ends without an answer where it is to be done alone.
        let wait: Wait<Void>
        var answer: Response<ExpenseView>?

        init(_ order: AskedExpense, _ scope: IdempotencyScope?, on loop: EventLoop) {
            self.order = order
            self.scope = scope
            wait = Wait(on: loop)
        }
    }

    private let loop: EventLoop
    private var items: [Item] = []
    private var sleeper: (wait: Wait<Void>, count: Int)?

    /// Expenses of one transaction: enough for its fixed cost to vanish, few enough to be quick.
    static let countMax = 64
    /// The same of one group: in one with limits they are looked at one after another.
    static let ofGroupMax = 16
    /// What they may weigh together.
    static let weightMax = 1_500

    init(on loop: EventLoop) { self.loop = loop }

    var count: Int { items.count }

    func append(_ item: Item) {
        items.append(item)
        if let sleeper, items.count >= sleeper.count {
            sleeper.wait.resume(returning: ())
        }
    }

    /// Before all others: they were taken too early.
    func putBack(_ early: [Item]) { items = early + items }

    /// The next ones that somebody still waits for; of one key, one at a time.
    func take() -> [Item] {
        var taken: [Item] = []
        var left: [Item] = []
        var keys: Set<IdempotencyScope> = []
        var ofGroups: [ID<Group>: Int] = [:]
        var weight = 0
        for item in items where !item.wait.isOver {
            let group = item.order.group
            guard taken.count < Self.countMax, ofGroups[group, default: 0] < Self.ofGroupMax,
                taken.isEmpty || weight + item.order.weight <= Self.weightMax,
                item.scope.map({ keys.insert($0.named).inserted }) ?? true
            else {
                left.append(item)
                continue
            }
            taken.append(item)
            ofGroups[group, default: 0] += 1
            weight += item.order.weight
        }
        items = left
        return taken
    }

    /// Those of one group.
    func takeAll(of group: ID<Group>) -> [Item] {
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
