import Loops
import WalletProtocol

/// Requests that wait to be posted, and the workers that wait for requests; one loop's own.
final class PostingQueue {
    /// One request: an element, or a chain that stands or falls as a whole.
    final class Item {
        let postings: [Posting]
        /// About how many bytes they are in a call.
        let bytes: Int
        /// The first of those that one person sends at once; nil for one alone.
        let batch: ID<JournalEntry>?
        let wait: Wait<[PostingOutcome]>
        /// Since when an account of it is found locked.
        var busySince: UInt64?

        init(_ postings: [Posting], of batch: ID<JournalEntry>? = nil, on loop: EventLoop) {
            self.postings = postings
            self.batch = batch
            bytes = postings.reduce(0) { $0 + $1.bytes }
            wait = Wait(on: loop)
        }

        /// What has to be had for it.
        var accounts: [ID<Account>] {
            postings.flatMap { [$0.account, $0.counter].compactMap(\.self) }
        }
    }

    /// Elements a call: enough for the cost of a call to vanish, few enough to be quick.
    static let elementsMax = 128
    /// Elements a call that holds a person's batch: nobody else would be answered sooner by parts.
    static let batchElementsMax = 1_000
    /// Requests that may wait; more are refused, for they would not be answered in time.
    static let itemsMax = 20_000
    /// Requests of one person that may wait, and their bytes: an eighth of what all may have.
    static let actorItemsMax = 2_000
    static let actorBytesMax = 4 << 20
    /// Bytes a call: descriptions make a few elements long.
    static let callBytesMax = 1 << 20
    /// Bytes that may wait.
    static let bytesMax = 32 << 20

    private let loop: EventLoop
    private var items: [Item] = []
    private var head = 0
    private var sleepers: [(wait: Wait<Void>, count: Int)] = []

    init(on loop: EventLoop) { self.loop = loop }

    var count: Int { items.count - head }
    private(set) var bytes = 0

    func append(_ item: Item) {
        bytes += item.bytes
        items.append(item)
        if let sleeper = sleepers.last, count >= sleeper.count {
            sleepers.removeLast().wait.resume(returning: ())
        }
    }

    /// The next requests in their order of arrival, without those that nobody waits for any more.
    func take() -> [Item] {
        var taken: [Item] = []
        var (elements, length) = (0, 0)
        while head < items.count {
            let item = items[head]
            if !item.wait.isOver {
                elements += item.postings.count
                length += item.bytes
                let isOfBatch = item.batch != nil && item.batch == taken.last?.batch
                guard
                    taken.isEmpty
                        || (elements <= (isOfBatch ? Self.batchElementsMax : Self.elementsMax)
                            && length <= Self.callBytesMax)
                else { break }
                taken.append(item)
            }
            bytes -= item.bytes
            head += 1
        }
        if head == items.count || head > 4_096 {
            items.removeFirst(head)
            head = 0
        }
        return taken
    }

    /// Sleeps until so many requests wait, for this long at most; true where there are any.
    func waitForItems(_ wanted: Int = 1, nanoseconds: UInt64?) async -> Bool {
        if count >= wanted { return true }
        let wait = Wait<Void>(on: loop)
        sleepers.append((wait, wanted))
        let timer = nanoseconds.map { nanoseconds in
            loop.schedule(afterNanoseconds: nanoseconds) { wait.resume(returning: ()) }
        }
        defer { timer?.cancel() }
        try? await wait.value()
        sleepers.removeAll { $0.wait === wait }
        return count > 0
    }
}
