import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Gathers the postings of a loop's requests into calls of `post_batch_v1`.
///
/// A hint for throughput, nothing else: whatever is posted is safe by row locks, keys and
/// constraints alone. Requests that come while calls are under way go out together with the next.
/// The first lane skips accounts that are locked. What was skipped tries again in the second, a
/// little later: most are locked by another replica's call, which is soon over. What finds an
/// account locked again and again goes to the third, which waits for the lock; whoever comes
/// meanwhile for the same account goes there at once. So an account that is held for long, or is in
/// every transfer, holds up nobody but those who need it.
final class PostingBatcher {
    private let database: Database
    private let loop: EventLoop
    private let ring: () -> Void
    private let first: PostingQueue
    private let second: PostingQueue
    private let third: PostingQueue
    /// Accounts that were locked again and again, and how long that is believed.
    private var held: [ID<Account>: UInt64] = [:]
    /// What of each person waits: nobody fills the queues for all the others.
    private var waiting: [ID<User>: (items: Int, bytes: Int)] = [:]

    /// Calls of the first lane under way at once: with one, what comes meanwhile makes a fuller
    /// next call, and a call costs about as much as ten of its elements.
    static let callsMax = 1
    /// How long a call is held back at most for others to join it.
    static let gatherNanoseconds: UInt64 = 4_000_000
    /// How long the second lane pauses before it tries those again that were locked.
    static let retryNanoseconds: UInt64 = 4_000_000
    /// How long something is tried again before it waits for the lock.
    static let patienceNanoseconds: UInt64 = 60_000_000
    /// How long an account is believed to be held.
    static let heldNanoseconds: UInt64 = 2_000_000_000
    /// How many accounts are believed so.
    static let heldMax = 10_000
    /// How long an idle worker keeps its connection.
    static let lingerNanoseconds: UInt64 = 50_000_000

    init(_ service: ServiceLoop) {
        database = service.database
        loop = service.loop
        ring = { [relayBell = service.relayBell] in relayBell.ring() }
        first = PostingQueue(on: service.loop)
        second = PostingQueue(on: service.loop)
        third = PostingQueue(on: service.loop)
        for number in 1...Self.callsMax {
            service.addWorker("posting \(number)") { [self] in await serve(first) }
        }
        service.addWorker("posting, again") { [self] in await serve(second) }
        service.addWorker("posting, waiting") { [self] in await serve(third) }
    }

    /// A batcher whose workers the caller starts; `ring` is called after each commit.
    init(database: Database, ring: @escaping () -> Void) {
        self.database = database
        self.ring = ring
        loop = database.loop
        first = PostingQueue(on: database.loop)
        second = PostingQueue(on: database.loop)
        third = PostingQueue(on: database.loop)
    }

    /// What a worker does: the first lane has `callsMax` of them, the others one.
    func serveFirst() async { await serve(first) }

    /// The worker of the second lane.
    func serveSecond() async { await serve(second) }

    /// The worker of the third lane.
    func serveThird() async { await serve(third) }

    /// Posts one element.
    /// - Throws: `APIError` where it was refused.
    func post(_ posting: Posting) async throws -> PostingOutcome {
        let outcomes = try await post(all: [posting])
        guard let outcome = outcomes.first else { throw APIError(.internalError) }
        return try outcome.posted()
    }

    /// Posts elements that stand or fall together, under the first one's key.
    func post(all postings: [Posting]) async throws -> [PostingOutcome] {
        let item = PostingQueue.Item(postings, on: loop)
        try admit([item], of: postings.first?.actor)
        defer { leave([item], of: postings.first?.actor) }
        append(item)
        return try await item.wait.value()
    }

    /// Posts elements of one person each by itself, in as few calls as may be.
    /// - Returns: the outcomes in their order.
    func post(each postings: [Posting]) async throws -> [PostingOutcome] {
        let batch = postings.first?.entry
        let items = postings.map { PostingQueue.Item([$0], of: batch, on: loop) }
        try admit(items, of: postings.first?.actor)
        defer { leave(items, of: postings.first?.actor) }
        for item in items { append(item) }
        var outcomes: [PostingOutcome] = []
        outcomes.reserveCapacity(items.count)
        for item in items {
            guard let outcome = try await item.wait.value().first else {
                throw APIError(.internalError)
            }
            outcomes.append(outcome)
        }
        return outcomes
    }

    private func admit(_ items: [PostingQueue.Item], of actor: ID<User>?) throws(APIError) {
        guard first.count + second.count + third.count + items.count <= PostingQueue.itemsMax,
            first.bytes + second.bytes + third.bytes < PostingQueue.bytesMax
        else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        guard let actor else { return }
        var own = waiting[actor, default: (0, 0)]
        // Whoever has nothing under way may ask for anything.
        let isFirst = own.items == 0
        own.items += items.count
        own.bytes += items.reduce(0) { $0 + $1.bytes }
        guard
            isFirst
                || (own.items <= PostingQueue.actorItemsMax
                    && own.bytes <= PostingQueue.actorBytesMax)
        else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        waiting[actor] = own
    }

    private func leave(_ items: [PostingQueue.Item], of actor: ID<User>?) {
        guard let actor, var own = waiting[actor] else { return }
        own.items -= items.count
        own.bytes -= items.reduce(0) { $0 + $1.bytes }
        waiting[actor] = own.items > 0 ? own : nil
    }

    private func append(_ item: PostingQueue.Item) {
        guard !held.isEmpty else { return first.append(item) }
        let now = monotonicNanoseconds()
        (item.accounts.contains { held[$0, default: 0] > now } ? third : first).append(item)
    }

    // MARK: Workers

    private func serve(_ queue: PostingQueue) async {
        while !Task.isCancelled {
            guard await queue.waitForItems(nanoseconds: nil) else { continue }
            do {
                try await database.lease { lease in
                    var expected = 1
                    while await queue.waitForItems(nanoseconds: Self.lingerNanoseconds),
                        !Task.isCancelled
                    {
                        if expected > 3 {
                            _ = await queue.waitForItems(
                                min(expected, PostingQueue.elementsMax),
                                nanoseconds: Self.gatherNanoseconds
                            )
                        }
                        let items = queue.take()
                        do {
                            try await run(items, of: queue, on: lease)
                        } catch {
                            // The keys tell what became of them, on the next connection.
                            for item in items where !item.wait.isOver { queue.append(item) }
                            throw error
                        }
                        // Whoever was answered together soon asks again: waiting for them, too,
                        // makes one full call of what would be two that take turns, and costs who
                        // is alone nothing.
                        expected = items.count + queue.count
                        if queue === second, queue.count > 0 {
                            try await loop.sleep(nanoseconds: Self.retryNanoseconds)
                        }
                    }
                }
            } catch {
                if Task.isCancelled { return }
                try? await loop.sleep(nanoseconds: 20_000_000)
            }
        }
    }

    /// One call; what it cannot do as a whole is halved, so that a bad element costs a few calls.
    ///
    /// Where an account was held for too long, or two calls waited for each other, nobody is at
    /// fault: those go on whose accounts are free, the rest waits behind whoever came meanwhile.
    /// - Parameter isAgain: whether it was waited for already.
    /// - Throws: what broke the connection; then nobody has been answered.
    private func run(
        _ items: [PostingQueue.Item],
        of queue: PostingQueue,
        isAgain: Bool = false,
        on lease: LeasedConnection
    ) async throws {
        guard !items.isEmpty else { return }
        var postings: [Posting] = []
        for (number, item) in items.enumerated() {
            guard item.postings.count > 1 else {
                postings.append(contentsOf: item.postings)
                continue
            }
            for posting in item.postings {
                var posting = posting
                posting.chain = number
                postings.append(posting)
            }
        }
        do {
            let waits = queue === third && !isAgain
            let outcomes = try await lease.post(postings, waits: waits)
            try await answer(items, of: queue, outcomes, on: lease)
        } catch let error as DatabaseError {
            guard case .server = error else { throw error }
            if error.isRetryable {
                guard queue === third, !isAgain else {
                    return try await putOff(items, of: queue, on: lease)
                }
                return try await run(items, of: queue, isAgain: true, on: lease)
            }
            // Without room at the server no half of them goes through.
            guard items.count > 1, !error.isServerTrouble else {
                for item in items { item.wait.resume(throwing: error) }
                return
            }
            let middle = items.count / 2
            try await run(Array(items[..<middle]), of: queue, isAgain: isAgain, on: lease)
            try await run(Array(items[middle...]), of: queue, isAgain: isAgain, on: lease)
        }
    }

    private func answer(
        _ items: [PostingQueue.Item],
        of queue: PostingQueue,
        _ outcomes: [PostingOutcome],
        on lease: LeasedConnection
    ) async throws {
        var busy: [PostingQueue.Item] = []
        var place = 0
        for item in items {
            let end = place + item.postings.count
            guard end <= outcomes.count else {
                item.wait.resume(throwing: APIError(.internalError))
                continue
            }
            let own = Array(outcomes[place..<end])
            place = end
            if own.contains(where: { $0.status == .busy && !$0.isReplay }) {
                busy.append(item)
            } else {
                item.wait.resume(returning: own)
            }
        }
        ring()
        try await putOff(busy, of: queue, on: lease)
    }

    /// Has them tried again, or wait for the lock if that was often enough.
    private func putOff(
        _ items: [PostingQueue.Item],
        of queue: PostingQueue,
        on lease: LeasedConnection
    ) async throws {
        var waiting: [PostingQueue.Item] = []
        let begin = monotonicNanoseconds()
        for item in items {
            let first = item.busySince ?? begin
            item.busySince = first
            if queue === third || first + Self.patienceNanoseconds < begin {
                waiting.append(item)
                third.append(item)
            } else {
                second.append(item)
            }
        }
        guard !waiting.isEmpty else { return }
        let accounts = Array(Set(waiting.flatMap(\.accounts)))
        let locked = try await lease.query(PostingStatements.locked, accounts)
        let now = monotonicNanoseconds()
        for account in accounts { held[account] = nil }
        if held.count + locked.count > Self.heldMax { held = held.filter { $0.value > now } }
        guard held.count + locked.count <= Self.heldMax else { return }
        for account in locked { held[account] = now + Self.heldNanoseconds }
    }
}
