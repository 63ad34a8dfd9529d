internal import Loops
public import Messaging
public import Postgres
public import WalletProtocol

/// What a service hears of the others.
extension ServiceLoop {
    /// Applies the events that `filter` takes in, each in one transaction with its sequence.
    ///
    /// Only loop 0 consumes; on the others this does nothing.
    public func consume(
        from producer: ServiceName,
        filter: String? = nil,
        waking bell: WorkBell? = nil,
        apply: @escaping (EventEnvelope, Transaction) async throws -> Void
    ) {
        consume(
            from: producer,
            filter: filter,
            waking: bell,
            handler: .single(apply)
        )
    }

    /// The name under which the broker keeps our place: another one for each filter.
    private static func durable(
        _ name: ServiceName,
        _ producer: ServiceName,
        _ filter: String?
    ) -> String {
        let words = filter?.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
        return ["\(name.rawValue)-\(producer.rawValue)", words].compactMap(\.self)
            .joined(separator: "-")
    }

    /// Applies the events that `filter` takes in by a handler of one or of many.
    ///
    /// Only loop 0 consumes; on the others this does nothing. `bell` is rung at each commit.
    public func consume(
        from producer: ServiceName,
        filter: String? = nil,
        waking bell: WorkBell? = nil,
        handler: EventHandler
    ) {
        guard isFirst else { return }
        let (client, logger) = (internalClient, logger)
        let configuration = ConsumerConfiguration(
            durable: Self.durable(name, producer, filter),
            filter: filter ?? "ezwallet.\(producer.rawValue).>"
        )
        let consumer = EventConsumer(
            configuration,
            database: database,
            connection: nats,
            handler: handler,
            replay: { request in
                guard let endpoint = InternalEvents.replays[request.producer] else {
                    return ReplayAnswer(events: [], lastSequence: 0)
                }
                let answer = try await client.call(
                    endpoint,
                    query: EventReplayQuery(
                        aggregate: request.aggregate,
                        from: Int(request.fromSequence)
                    ),
                    body: NoBody()
                )
                return ReplayAnswer(
                    events: answer.events,
                    lastSequence: Int64(answer.lastSequence)
                )
            },
            report: { logger.warning("messaging", [("event", String(describing: $0))]) }
        )
        if let bell { consumer.whenCommitted { bell.ring() } }
        add(consumer)
    }

    /// Applies the postings of a producer's journal, hundreds in one transaction with their places.
    ///
    /// Only loop 0 follows; on the others this does nothing. `bell` is rung at each commit.
    public func follow(
        journalOf producer: ServiceName,
        waking bell: WorkBell? = nil,
        apply: @escaping PostingHandler
    ) {
        guard isFirst, let endpoint = InternalEvents.journals[producer] else { return }
        let (client, logger) = (internalClient, logger)
        let consumer = JournalConsumer(
            JournalConsumerConfiguration(
                durable: Self.durable(name, producer, "journal"),
                producer: producer
            ),
            database: database,
            connection: nats,
            handler: apply,
            replay: { request in
                let query = JournalQuery(from: Int(request.first), through: Int(request.last))
                return try await client.call(endpoint, query: query, body: NoBody())
            },
            report: { logger.warning("messaging", [("event", String(describing: $0))]) }
        )
        if let bell { consumer.whenCommitted { bell.ring() } }
        add(consumer)
    }
}
