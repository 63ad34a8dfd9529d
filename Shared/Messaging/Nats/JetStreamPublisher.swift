internal import CNats
internal import Loops
internal import Synchronization

/// A message on its way to the stream.
struct OutgoingMessage: Sendable {
    var subject: String
    /// The `Nats-Msg-Id`: the broker drops a second one of its window.
    var id: String
    var body: [UInt8]
}

/// What became of a message.
enum PublishOutcome: Sendable, Equatable {
    /// The stream has it at this sequence, now or from an earlier time.
    case stored(UInt64)
    case failed(NatsError)
}

// Safety: a jsCtx is safe from any thread; `publish` is called by one thread at a time, and the
// library's thread that brings acknowledgements touches the collector's Mutex alone.
/// Publishes batches asynchronously and waits for all their acknowledgements.
///
/// What is in flight is bounded by the batch. Blocks: on a `BlockingPool` thread only.
@safe final class JetStreamPublisher: @unchecked Sendable {
    private let context: OpaquePointer
    private let collector = AcknowledgementCollector()

    init(_ connection: NatsConnection, inFlightMax: Int) throws(NatsError) {
        // Safety: retained for the process's life: the library may bring one last acknowledgement
        // after the context was destroyed, and a process has one publisher.
        let closure = unsafe Unmanaged.passRetained(collector).toOpaque()
        let wait = connection.configuration.answerMillisecondsMax
        unsafe context = try connection.with { (pointer) throws(NatsError) in
            var options = unsafe jsOptions()
            unsafe jsOptions_Init(&options)
            unsafe options.Wait = wait
            unsafe options.PublishAsync.MaxPending = Int64(inFlightMax)
            unsafe options.PublishAsync.AckHandler = acknowledged
            unsafe options.PublishAsync.AckHandlerClosure = closure
            unsafe options.PublishAsync.StallWait = 1_000
            return try unsafe makeContext(pointer, &options)
        }
    }

    /// Publishes in order, waits until all are acknowledged or the time is over.
    ///
    /// The outcomes stand in the order of the messages.
    func publish(
        _ messages: [OutgoingMessage],
        waitMilliseconds: UInt64
    ) -> [PublishOutcome] {
        collector.begin()
        // Cannot wrap: a setting of seconds is added to the clock.
        let deadline = monotonicNanoseconds() &+ waitMilliseconds &* 1_000_000
        var refused: [Int: NatsError] = [:]
        for (index, message) in messages.enumerated() {
            do {
                try send(message)
            } catch {
                refused[index] = error
                // Nothing after it: what is later in an aggregate comes after what is earlier.
                if error != .tooLarge {
                    for later in (index + 1)..<max(index + 1, messages.count) {
                        refused[later] = error
                    }
                    break
                }
            }
        }
        awaitAcknowledgements(until: deadline)
        let outcomes = collector.take()
        return messages.enumerated().map { index, message in
            if let error = refused[index] { return .failed(error) }
            return outcomes[message.id] ?? .failed(.timeout)
        }
    }

    private func send(_ message: OutgoingMessage) throws(NatsError) {
        var made: OpaquePointer?
        let status = unsafe message.body.withUnsafeBytes { bytes in
            unsafe natsMsg_Create(
                &made,
                message.subject,
                nil,
                bytes.bindMemory(to: CChar.self).baseAddress,
                Int32(bytes.count)
            )
        }
        try check(status, "natsMsg_Create")
        // The library takes the message and empties our pointer, or it is ours to destroy.
        defer { unsafe natsMsg_Destroy(made) }
        try unsafe check(natsMsgHeader_Set(made, "Nats-Msg-Id", message.id), "natsMsgHeader_Set")
        try unsafe check(js_PublishMsgAsync(context, &made, nil), "js_PublishMsgAsync")
    }

    private func awaitAcknowledgements(until deadline: UInt64) {
        var options = unsafe jsPubOptions()
        unsafe jsPubOptions_Init(&options)
        unsafe options.MaxWait = 100
        while unsafe js_PublishAsyncComplete(context, &options) == NATS_TIMEOUT {
            if monotonicNanoseconds() >= deadline { break }
        }
        // What is still out is given up here and published again later, under the same id.
        var left = unsafe natsMsgList()
        if unsafe js_PublishAsyncGetPendingList(&left, context) == NATS_OK {
            unsafe natsMsgList_Destroy(&left)
        }
    }

    deinit { unsafe jsCtx_Destroy(context) }
}

/// The acknowledgements of the batch under way.
private final class AcknowledgementCollector: Sendable {
    private let outcomes = Mutex<[String: PublishOutcome]>([:])

    func begin() { outcomes.withLock { $0.removeAll(keepingCapacity: true) } }
    func add(_ id: String, _ outcome: PublishOutcome) { outcomes.withLock { $0[id] = outcome } }
    func take() -> [String: PublishOutcome] { outcomes.withLock { $0 } }
}

/// Called by the library's thread for each acknowledgement; the message is ours to destroy.
private func acknowledged(
    _: OpaquePointer?,
    message: OpaquePointer?,
    acknowledgement: UnsafeMutablePointer<jsPubAck>?,
    failure: UnsafeMutablePointer<jsPubAckErr>?,
    context: UnsafeMutableRawPointer?
) {
    defer { unsafe natsMsg_Destroy(message) }
    guard let context = unsafe context, let id = unsafe header("Nats-Msg-Id", of: message) else {
        return
    }
    // Safety: retained for the process's life when it was handed over.
    let collector = unsafe Unmanaged<AcknowledgementCollector>.fromOpaque(context)
        .takeUnretainedValue()
    if let acknowledgement = unsafe acknowledgement {
        collector.add(id, .stored(unsafe acknowledgement.pointee.Sequence))
    } else {
        let status = unsafe failure?.pointee.Err ?? NATS_ERR
        let code = unsafe failure?.pointee.ErrCode ?? jsErrCode(0)
        let error = natsError(status, "publish", code) ?? .jetStream(code: Int(code.rawValue))
        collector.add(id, .failed(error))
    }
}
