internal import CNats

/// What the broker says of a stream.
public struct StreamState: Sendable, Equatable {
    /// When it was made, in nanoseconds since 1970: another figure means another stream.
    public var created: Int64
    /// The sequence of its oldest message.
    public var firstSequence: UInt64
    /// The sequence of its newest message.
    public var lastSequence: UInt64
    /// How many messages it holds.
    public var messages: UInt64
}

// Safety: a jsCtx is safe to use from any thread by nats.c's documentation, and holds on to its
// connection; it is destroyed once, in deinit.
/// JetStream's administration: streams, consumers, single messages, purges.
///
/// Every call blocks until the broker answers: on `BlockingPool` threads only.
@safe public final class JetStream: @unchecked Sendable {
    private let context: OpaquePointer
    private let connection: NatsConnection

    /// The context of a connection that has begun to be made.
    /// - Throws: `.disconnected` where the first attempt is still under way.
    public init(_ connection: NatsConnection) throws(NatsError) {
        self.connection = connection
        let wait = connection.configuration.answerMillisecondsMax
        unsafe context = try connection.with { (pointer) throws(NatsError) in
            var options = unsafe jsOptions()
            unsafe jsOptions_Init(&options)
            unsafe options.Wait = wait
            return try unsafe makeContext(pointer, &options)
        }
    }

    /// Sees that the stream stands as configured, and tells its state.
    public func ensureStream(_ wanted: StreamConfiguration) throws(NatsError) -> StreamState {
        do throws(NatsError) {
            let (state, current) = try streamInformation(wanted.name)
            if current == wanted { return state }
            return try change(wanted, exists: true)
        } catch .notFound {
            do throws(NatsError) {
                return try change(wanted, exists: false)
            } catch .jetStream(let code) where code == Int(JSStreamNameExistErr.rawValue) {
                // Another replica was faster.
                return try state(of: wanted.name)
            }
        }
    }

    /// The state of a stream.
    public func state(of stream: String) throws(NatsError) -> StreamState {
        try streamInformation(stream).0
    }

    /// The `Nats-Msg-Id` of the message at a sequence.
    /// - Throws: `.notFound`: it is not there (any more).
    public func messageID(at sequence: UInt64, of stream: String) throws(NatsError) -> String? {
        var message: OpaquePointer?
        var code = jsErrCode(0)
        let status = unsafe js_GetMsg(&message, context, stream, sequence, nil, &code)
        try check(status, "js_GetMsg", code)
        defer { unsafe natsMsg_Destroy(message) }
        return unsafe header("Nats-Msg-Id", of: message)
    }

    /// The newest message on a subject with its sequence; nil: there is none.
    public func lastMessage(
        of subject: String,
        in stream: String
    ) throws(NatsError) -> (sequence: UInt64, data: [UInt8])? {
        var message: OpaquePointer?
        var code = jsErrCode(0)
        let status = unsafe js_GetLastMsg(&message, context, stream, subject, nil, &code)
        do throws(NatsError) {
            try check(status, "js_GetLastMsg", code)
        } catch .notFound { return nil }
        defer { unsafe natsMsg_Destroy(message) }
        let sequence = unsafe natsMsg_GetSequence(message)
        guard let data = unsafe natsMsg_GetData(message) else { return (sequence, []) }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: data,
            count: Int(natsMsg_GetDataLength(message))
        )
        return unsafe (sequence, Array(bytes))
    }

    /// Removes every message of a subject that is older than a sequence.
    public func purge(
        stream: String,
        subject: String,
        before sequence: UInt64
    ) throws(NatsError) {
        let filter = unsafe copyText(subject)
        defer { unsafe filter?.deallocate() }
        var options = unsafe jsOptions()
        unsafe jsOptions_Init(&options)
        unsafe options.Wait = connection.configuration.answerMillisecondsMax
        unsafe options.Stream.Purge.Subject = filter
        unsafe options.Stream.Purge.Sequence = sequence
        var code = jsErrCode(0)
        let status = unsafe js_PurgeStream(context, stream, &options, &code)
        try check(status, "js_PurgeStream", code)
    }

    /// Removes a consumer (a test's, or one that a service has given up).
    public func deleteConsumer(_ durable: String, of stream: String) throws(NatsError) {
        var code = jsErrCode(0)
        let status = unsafe js_DeleteConsumer(context, stream, durable, nil, &code)
        try check(status, "js_DeleteConsumer", code)
    }

    /// Whether a stream is there, and the durable in it.
    func hasConsumer(_ durable: String, of stream: String) throws(NatsError) -> Bool {
        var information: UnsafeMutablePointer<jsConsumerInfo>?
        var code = jsErrCode(0)
        let status = unsafe js_GetConsumerInfo(
            &information,
            context,
            stream,
            durable,
            nil,
            &code
        )
        defer { unsafe jsConsumerInfo_Destroy(information) }
        do throws(NatsError) {
            try check(status, "js_GetConsumerInfo", code)
        } catch .notFound { return false }
        return true
    }

    /// Sees that the durable pull consumer stands, and subscribes to it.
    func pull(_ wanted: PullConfiguration) throws(NatsError) -> PullSubscription {
        let durable = unsafe copyText(wanted.durable)
        let filter = unsafe copyText(wanted.filter)
        let stream = unsafe copyText(wanted.stream)
        defer {
            unsafe durable?.deallocate()
            unsafe filter?.deallocate()
            unsafe stream?.deallocate()
        }
        var consumer = unsafe jsConsumerConfig()
        unsafe jsConsumerConfig_Init(&consumer)
        unsafe consumer.Durable = durable
        unsafe consumer.FilterSubject = filter
        unsafe consumer.AckPolicy = js_AckExplicit
        unsafe consumer.DeliverPolicy = js_DeliverAll
        unsafe consumer.AckWait = wanted.acknowledgeSecondsMax * 1_000_000_000
        unsafe consumer.MaxAckPending = Int64(wanted.pendingMax)
        var code = jsErrCode(0)
        var information: UnsafeMutablePointer<jsConsumerInfo>?
        let made = unsafe js_AddConsumer(&information, context, stream, &consumer, nil, &code)
        unsafe jsConsumerInfo_Destroy(information)
        try check(made, "js_AddConsumer", code)

        var options = unsafe jsSubOptions()
        unsafe jsSubOptions_Init(&options)
        unsafe options.Stream = stream
        unsafe options.Consumer = durable
        var subscription: OpaquePointer?
        let bound = unsafe js_PullSubscribe(
            &subscription,
            context,
            filter,
            durable,
            nil,
            &options,
            &code
        )
        try check(bound, "js_PullSubscribe", code)
        guard let subscription = unsafe subscription else { throw .closed }
        return unsafe PullSubscription(subscription, of: self)
    }

    private func change(
        _ wanted: StreamConfiguration,
        exists: Bool
    ) throws(NatsError) -> StreamState {
        let title = unsafe copyText(wanted.name)
        var subjects = unsafe wanted.subjects.map { unsafe copyText($0) }
        defer {
            unsafe title?.deallocate()
            unsafe subjects.forEach { unsafe $0?.deallocate() }
        }
        var configuration = unsafe jsStreamConfig()
        unsafe jsStreamConfig_Init(&configuration)
        unsafe configuration.Name = title
        unsafe configuration.SubjectsLen = Int32(wanted.subjects.count)
        unsafe configuration.MaxAge = wanted.maxAgeSeconds * 1_000_000_000
        unsafe configuration.MaxBytes = wanted.maxBytes
        unsafe configuration.Duplicates = wanted.duplicateWindowSeconds * 1_000_000_000
        unsafe configuration.Replicas = wanted.replicas
        unsafe configuration.Storage = js_FileStorage
        unsafe configuration.Retention = js_LimitsPolicy
        unsafe configuration.Discard = js_DiscardOld
        var information: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(0)
        let status = unsafe subjects.withUnsafeMutableBufferPointer { list in
            unsafe configuration.Subjects = list.baseAddress
            return exists
                ? unsafe js_UpdateStream(&information, context, &configuration, nil, &code)
                : unsafe js_AddStream(&information, context, &configuration, nil, &code)
        }
        defer { unsafe jsStreamInfo_Destroy(information) }
        try check(status, exists ? "js_UpdateStream" : "js_AddStream", code)
        guard let information = unsafe information else { throw .notFound }
        return unsafe streamState(information.pointee)
    }

    private func streamInformation(
        _ stream: String
    ) throws(NatsError) -> (StreamState, StreamConfiguration) {
        var information: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(0)
        let status = unsafe js_GetStreamInfo(&information, context, stream, nil, &code)
        defer { unsafe jsStreamInfo_Destroy(information) }
        try check(status, "js_GetStreamInfo", code)
        guard let information = unsafe information else { throw .notFound }
        guard let held = unsafe information.pointee.Config else { throw .notFound }
        var current = StreamConfiguration()
        current.name = stream
        current.subjects = unsafe (0..<Int(held.pointee.SubjectsLen)).compactMap { index in
            unsafe held.pointee.Subjects[index].map { unsafe String(cString: $0) }
        }
        current.maxAgeSeconds = unsafe held.pointee.MaxAge / 1_000_000_000
        current.maxBytes = unsafe held.pointee.MaxBytes
        current.duplicateWindowSeconds = unsafe held.pointee.Duplicates / 1_000_000_000
        current.replicas = unsafe held.pointee.Replicas
        return unsafe (streamState(information.pointee), current)
    }

    deinit { unsafe jsCtx_Destroy(context) }
}

/// A context of the connection.
func makeContext(
    _ connection: OpaquePointer,
    _ options: UnsafeMutablePointer<jsOptions>
) throws(NatsError) -> OpaquePointer {
    var context: OpaquePointer?
    try unsafe check(
        natsConnection_JetStream(&context, connection, options),
        "natsConnection_JetStream"
    )
    guard let made = unsafe context else { throw .disconnected }
    return unsafe made
}

private func streamState(_ information: jsStreamInfo) -> StreamState {
    unsafe StreamState(
        created: information.Created,
        firstSequence: information.State.FirstSeq,
        lastSequence: information.State.LastSeq,
        messages: information.State.Msgs
    )
}

/// A header of a message; nil: it has none of this name.
func header(_ name: String, of message: OpaquePointer?) -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe natsMsgHeader_Get(message, name, &value) == NATS_OK, let value = unsafe value
    else { return nil }
    return unsafe String(cString: value)
}
