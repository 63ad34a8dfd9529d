internal import Loops

/// The messages of one fetch on their way through the inbox, step by step.
///
/// A message is done with after the step that holds its last event; a step is done again only where
/// it failed itself.
struct Delivery {
    enum Work {
        /// Record what is no event.
        case bury(IncomingLines)
        /// Apply many together.
        case together([IncomingEvent])
        /// Read it, take it apart and apply its events one by one, each noted as begun before.
        case alone(IncomingMessage)
    }
    struct Step {
        var work: Work
        /// How many messages are done with after it.
        var finished: Int
    }

    /// Those first that came seldom, with what the broker is told of each.
    let messages: [(message: IncomingMessage, settlement: IncomingMessage.Settlement)]
    let steps: [Step]

    /// - Parameters:
    ///   - batchMax: how many events are applied together.
    ///   - deliveriesMax: what came more often may be what ends the process, and is applied alone.
    init(
        _ incoming: [IncomingMessage],
        batchMax: Int,
        deliveriesMax: UInt64
    ) {
        let others = incoming.filter { $0.deliveries <= deliveriesMax }
            .map { IncomingLines($0) }
        let suspects = incoming.filter { $0.deliveries > deliveriesMax }
        messages =
            others.map { ($0.message, $0.settlement) } + suspects.map { ($0, .acknowledged) }
        var steps = others.filter { !$0.unreadable.isEmpty }
            .map { Step(work: .bury($0), finished: 0) }
        let events = others.flatMap(\.events)
        var (finished, endOfFinished) = (0, 0)
        for start in stride(from: 0, to: events.count, by: batchMax) {
            let end = min(start + batchMax, events.count)
            while finished < others.count, endOfFinished + others[finished].events.count <= end {
                endOfFinished += others[finished].events.count
                finished += 1
            }
            steps.append(Step(work: .together(Array(events[start..<end])), finished: finished))
        }
        if !steps.isEmpty { steps[steps.count - 1].finished = others.count }
        for (place, message) in suspects.enumerated() {
            steps.append(Step(work: .alone(message), finished: others.count + place + 1))
        }
        self.steps = steps
    }
}

extension IncomingLines {
    /// What the broker is told once it is done with.
    fileprivate var settlement: IncomingMessage.Settlement {
        events.isEmpty && !unreadable.isEmpty ? .terminated : .acknowledged
    }
}

extension EventConsumer {
    /// Applies what was fetched, and tells the broker of each message as it is done with, and of
    /// the others that they are still worked on.
    func take(_ incoming: [IncomingMessage]) async throws {
        let delivery = Delivery(
            incoming,
            batchMax: configuration.batchMax,
            deliveriesMax: configuration.deliveriesMax
        )
        let messages = delivery.messages
        var settled = 0
        for step in delivery.steps {
            let open = messages[settled...].map(\.message)
            guard !stopping, await attempt(step.work, of: open) else { break }
            settled = try await settle(messages, from: settled, to: step.finished)
        }
        // To another replica at once, or to whoever has a database again.
        let pause: Int64 = databaseIsAway ? 2_000 : 0
        let rest = messages[settled...].map(\.message)
        guard !rest.isEmpty else { return }
        try await fetcher.settle(rest.map { ($0, .again(afterMilliseconds: pause)) })
    }

    /// Works a step off; answers false where the database is away for long, or an end is wanted.
    private func attempt(_ work: Delivery.Work, of open: [IncomingMessage]) async -> Bool {
        for attempt in 0..<5 {
            do {
                try await take(work, of: open)
                return true
            } catch {
                guard !stopping else { return false }
                report(.consumerFailed(durable: configuration.durable, cause: "\(error)"))
                _ = await bell.wait(nanoseconds: 100_000_000 << UInt64(attempt))
            }
        }
        databaseIsAway = true
        return false
    }

    private func settle(
        _ messages: [(message: IncomingMessage, settlement: IncomingMessage.Settlement)],
        from start: Int,
        to end: Int
    ) async throws -> Int {
        try await fetcher.settle(
            Array(messages[start..<end]),
            keeping: messages[end...].map(\.message)
        )
        return end
    }

    private func take(_ work: Delivery.Work, of open: [IncomingMessage]) async throws {
        switch work {
        case .bury(let lines):
            try await buryUnreadable(lines)
        case .together(let events):
            try await apply(events)
        case .alone(let message):
            try await applyAlone(message, of: open)
        }
    }

    func buryUnreadable(_ lines: IncomingLines) async throws {
        let message = lines.message
        try await inbox.notes.buryUnreadable(
            lines.unreadable,
            of: message,
            by: configuration.durable
        )
        held.buried += UInt64(lines.unreadable.count)
        report(
            .eventBuried(
                durable: configuration.durable,
                type: "unreadable",
                sequence: Int64(clamping: message.streamSequence),
                cause: "no envelope of ours"
            )
        )
    }
}
