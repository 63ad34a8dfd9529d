internal import CNats
internal import Loops

/// How a durable pull consumer is to be.
struct PullConfiguration: Sendable {
    var stream: String
    var durable: String
    var filter: String
    /// After how long the broker delivers again what was not settled.
    var acknowledgeSecondsMax: Int64
    /// How many messages may be out and not settled, over all replicas.
    var pendingMax: Int
}

// Safety: nats.c's subscriptions are safe to use from any thread; destroyed once, in deinit, which
// comes after that of its messages, for each holds on to it.
/// A subscription to a durable consumer.
@safe final class PullSubscription: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let context: JetStream

    init(_ pointer: OpaquePointer, of context: JetStream) {
        unsafe self.pointer = pointer
        self.context = context
    }

    /// Takes what there is, up to `count` messages or about so many events, and waits for the first
    /// where there is none; blocks, so one thread a consumer.
    ///
    /// The library's plain fetch of many keeps the first until the time is over. A request that is
    /// not to wait and has an end is what is wanted of nats-server 2.9.10 and later: it is kept for
    /// the first message, and ended with the last that is there. Where it ends at once with none,
    /// by an older broker's answer or a late one to an earlier request, a single one is waited for.
    /// - Throws: `.closed` after `stop`; not where no message came in time, nor where some did.
    func fetch(
        _ count: Int,
        events eventsMax: Int = .max,
        waitMilliseconds: Int64
    ) throws(NatsError) -> [IncomingMessage] {
        let started = monotonicNanoseconds()
        var taken: [IncomingMessage] = []
        do throws(NatsError) {
            try collect(&taken, count, eventsMax, waitMilliseconds)
            for _ in 0..<3 where taken.isEmpty {
                let waited = Int64(clamping: (monotonicNanoseconds() - started) / 1_000_000)
                guard waited < waitMilliseconds * 3 / 4 else { return [] }
                taken = try request(1, waitMilliseconds - waited, waits: true)
                guard !taken.isEmpty else { continue }
                try collect(&taken, count, eventsMax, Self.momentMilliseconds)
            }
        } catch {
            // What is taken is the broker's to give again only once its time is over.
            if taken.isEmpty { throw error }
        }
        return taken
    }

    /// Takes what has come already, answers to earlier requests.
    func queued(_ count: Int) -> [IncomingMessage] {
        var taken: [IncomingMessage] = []
        try? collect(&taken, count, .max, nil)
        return taken
    }

    /// Takes what there is, a few messages first: how many events they bring tells how many more to
    /// ask for.
    ///
    /// The first of them may be waited for so long; nil: nothing is asked for.
    /// What has come already goes first and one by one: the library's fetch of many writes behind
    /// its list's end where more than half of them lie there before.
    private func collect(
        _ taken: inout [IncomingMessage],
        _ count: Int,
        _ eventsMax: Int,
        _ milliseconds: Int64?
    ) throws(NatsError) {
        var step = eventsMax == .max ? count : 4
        var events = 0
        while taken.count < count, events < eventsMax {
            var waiting: Int32 = 0
            let status = unsafe natsSubscription_GetPending(pointer, &waiting, nil)
            let isThere = status == NATS_OK && waiting > 0
            guard let milliseconds = isThere ? Self.momentMilliseconds : milliseconds else {
                return
            }
            let wanted = isThere ? 1 : min(step, count - taken.count)
            let longest = taken.isEmpty ? milliseconds : Self.momentMilliseconds
            let next = try request(wanted, longest, waits: false)
            taken += next
            // What lay there was no message: whoever waits asks on.
            guard !next.isEmpty, isThere || next.count == wanted else { return }
            events += next.reduce(0) { $0 + $1.lineCount }
            step = max(1, min(2 * step, (eventsMax - events) / max(1, events / taken.count)))
        }
    }

    /// How long a request is kept that asks for more than has been taken.
    private static let momentMilliseconds: Int64 = 50

    func request(
        _ count: Int,
        _ milliseconds: Int64,
        waits: Bool
    ) throws(NatsError) -> [IncomingMessage] {
        var list = unsafe natsMsgList()
        var options = jsFetchRequest()
        unsafe jsFetchRequest_Init(&options)
        options.Batch = Int32(count)
        options.Expires = milliseconds * 1_000_000
        options.NoWait = !waits
        let status = unsafe natsSubscription_FetchRequest(&list, pointer, &options)
        if status == NATS_TIMEOUT || status == NATS_NOT_FOUND { return [] }
        try check(status, "natsSubscription_FetchRequest")
        defer { unsafe natsMsgList_Destroy(&list) }
        var messages: [IncomingMessage] = []
        messages.reserveCapacity(Int(unsafe list.Count))
        for index in unsafe 0..<Int(list.Count) {
            // Ownership passes to the wrapper: the list then skips the empty place.
            if let message = unsafe list.Msgs[index] {
                unsafe list.Msgs[index] = nil
                unsafe messages.append(IncomingMessage(message, of: self))
            }
        }
        return messages
    }

    /// Ends a fetch under way, and every later one, with `.closed`; from any thread.
    func stop() { unsafe _ = natsSubscription_Unsubscribe(pointer) }

    deinit { unsafe natsSubscription_Destroy(pointer) }
}

// Safety: read and settled by one thread at a time (the consumer's); destroyed once, in deinit.
/// A message from a durable consumer, to be settled once.
@safe final class IncomingMessage: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let subscription: PullSubscription
    /// The subject that it came on.
    let subject: String
    /// Its body.
    let body: [UInt8]
    /// How many events it holds at most.
    var lineCount: Int { body.reduce(1) { $0 + ($1 == lineFeed ? 1 : 0) } }
    /// Its place in the stream.
    let streamSequence: UInt64
    /// How often it was delivered, this time counted.
    let deliveries: UInt64

    init(_ pointer: OpaquePointer, of subscription: PullSubscription) {
        unsafe self.pointer = pointer
        self.subscription = subscription
        subject = unsafe String(cString: natsMsg_GetSubject(pointer))
        let length = Int(unsafe natsMsg_GetDataLength(pointer))
        let data = unsafe UnsafeRawBufferPointer(start: natsMsg_GetData(pointer), count: length)
        body = unsafe [UInt8](data)
        var metadata: UnsafeMutablePointer<jsMsgMetaData>?
        if unsafe natsMsg_GetMetaData(&metadata, pointer) == NATS_OK,
            let metadata = unsafe metadata
        {
            streamSequence = unsafe metadata.pointee.Sequence.Stream
            deliveries = unsafe metadata.pointee.NumDelivered
            unsafe jsMsgMetaData_Destroy(metadata)
        } else {
            streamSequence = 0
            deliveries = 1
        }
    }

    /// What the broker is told of a message.
    enum Settlement: Sendable, Equatable {
        /// Done with it.
        case acknowledged
        /// It can never be applied: no redelivery.
        case terminated
        /// Deliver it again, after a pause.
        case again(afterMilliseconds: Int64)
        /// Say nothing: it comes again when the time for an acknowledgement is over.
        case left
    }

    /// Tells the broker; a lost answer means a redelivery, which the sequences drop.
    func settle(_ settlement: Settlement) {
        switch settlement {
        case .acknowledged: unsafe _ = natsMsg_Ack(pointer, nil)
        case .terminated: unsafe _ = natsMsg_Term(pointer, nil)
        case .again(let pause): unsafe _ = natsMsg_NakWithDelay(pointer, pause, nil)
        case .left: break
        }
    }

    /// Tells the broker that it is still worked on: the time for an acknowledgement begins anew.
    func keep() { unsafe _ = natsMsg_InProgress(pointer, nil) }

    deinit { unsafe natsMsg_Destroy(pointer) }
}
