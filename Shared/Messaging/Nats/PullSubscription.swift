internal import CNats

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

    /// Takes what there is, up to `count` messages, and waits for the first where there is none;
    /// blocks, so one thread a consumer.
    ///
    /// Waited for is one message by itself: the library's own fetch of many keeps the first until
    /// the time is over, and leaves the broker with requests whose late answers end later fetches.
    /// - Throws: `.closed` after `stop`; nothing where no message came in time.
    func fetch(_ count: Int, waitMilliseconds: Int64) throws(NatsError) -> [IncomingMessage] {
        let there = try request(count, waitMilliseconds, waits: false)
        guard there.isEmpty else { return there }
        let first = try request(1, waitMilliseconds, waits: true)
        guard !first.isEmpty, count > 1 else { return first }
        return first + (try request(count - 1, waitMilliseconds, waits: false))
    }

    private func request(
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

    deinit { unsafe natsMsg_Destroy(pointer) }
}
