internal import Postgres

/// What is begun alone, noted in a statement of its own before anything touches it.
///
/// Whoever is killed by an event leaves its note standing, and nobody else's; whoever ends in any
/// other way (applied, failed, the database away) says so: by the effect's own transaction, or by
/// giving the note back.
extension Inbox {
    /// Notes that an event is begun; false: it is not its turn, or it waits for a time of its own.
    func begin(_ event: IncomingEvent) async throws -> Bool {
        let key = event.key
        // Its last try ended with the database's failure, in this process.
        guard !begun.contains(key) else { return true }
        let times = try await database.queryOne(
            BeginningStatements.begin,
            key.producer,
            key.aggregate,
            key.sequence,
            event.text
        )
        guard times != nil else { return false }
        begun.insert(key)
        return true
    }

    /// Notes that one is begun again that failed, or did not end, and whose time has come.
    func beginRetry(of producer: String) async throws -> EventKey? {
        let key = try await database.queryOne(BeginningStatements.beginRetry, producer)
        if let key { begun.insert(key) }
        return key
    }

    /// Applies what is noted as begun, alone; or buries it, where it was begun too often.
    func applyBegun(_ key: EventKey) async throws -> InboxOutcome {
        let aggregate = AggregateKey(producer: key.producer, aggregate: key.aggregate)
        let outcome = try await apply([], also: [aggregate], only: [key])
        let hasEnded =
            outcome.applied + outcome.duplicates + outcome.failed.count + outcome.buried.count > 0
        if hasEnded { begun.remove(key) } else { try await giveBack(key) }
        return outcome
    }

    /// Takes back the notes of what ended here without the database knowing.
    func giveBackAll() async throws {
        for key in begun { try await giveBack(key) }
        try await notes.giveBackAll()
    }

    private func giveBack(_ key: EventKey) async throws {
        try await database.execute(
            BeginningStatements.giveBack,
            key.producer,
            key.aggregate,
            key.sequence
        )
        begun.remove(key)
    }

    /// The parked event of an aggregate whose turn it is.
    func nextParked(_ key: AggregateKey) async throws -> IncomingEvent? {
        let text = try await database.queryOne(
            BeginningStatements.nextParked,
            key.producer,
            key.aggregate
        )
        return try text.map { try IncomingEvent(Array($0.utf8)) }
    }

    /// Notes that a message is begun to be read; false: it was too often, and never has been.
    func beginReading(_ message: IncomingMessage, by durable: String) async throws -> Bool {
        try await beginReading(Reading(message, by: durable))
    }

    /// Notes that it has been read.
    func endReading(_ message: IncomingMessage, by durable: String) async throws {
        try await notes.end(Reading(message, by: durable))
    }

    /// Reads what a producer sent again, from a sequence on; nil stands where nobody can read it,
    /// or whoever did has ended by it.
    func read(
        _ texts: [String],
        of key: AggregateKey,
        from missing: Int64
    ) async throws -> [IncomingEvent?] {
        var events: [IncomingEvent?] = []
        for (place, text) in texts.enumerated() {
            let reading = Reading(
                name: "replay of \(key.producer) \(key.aggregate)",
                // Wraps: it only tells one from another.
                sequence: missing &+ Int64(place)
            )
            // The note of what is never read again stays, for it may be sent again.
            let mayRead = try await beginReading(reading)
            events.append(mayRead ? try? IncomingEvent(Array(text.utf8)) : nil)
            if mayRead { try await notes.end(reading) }
        }
        return events
    }

    /// Notes that something is begun to be read; false: it was too often, and never has been.
    func beginReading(_ reading: Reading) async throws -> Bool {
        guard try await notes.begin(reading) > beginningsMax else { return true }
        // Of others, who ended by it: that stands.
        notes.forget(reading)
        return false
    }
}

/// What is read, noted before, for the reading itself may end the process.
struct Reading: Hashable {
    let name: String
    let sequence: Int64

    init(name: String, sequence: Int64) {
        self.name = name
        self.sequence = sequence
    }

    init(_ message: IncomingMessage, by durable: String) {
        self.init(name: durable, sequence: Int64(clamping: message.streamSequence))
    }
}
