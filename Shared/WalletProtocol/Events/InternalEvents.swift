/// Which events a consumer asks its producer for again.
public struct EventReplayQuery: QueryObject, Hashable {
    public let aggregate: String
    public let from: Int

    /// A query.
    public init(aggregate: String, from: Int) {
        self.aggregate = aggregate
        self.from = from
    }

    /// The parameters.
    public static let query = QueryFields(
        EventReplayQuery.init,
        QueryField("aggregate", \.aggregate, .line(1...200), about: "The aggregate, `kind:id`."),
        QueryField("from", \.from, .range(0...Int.max), about: "The first sequence wanted.")
    )
}

/// What the producer still has of an aggregate's events.
public struct EventReplay: JSONObject, Hashable {
    public let events: [String]
    public let lastSequence: Int

    /// An answer.
    public init(events: [String], lastSequence: Int) {
        self.events = events
        self.lastSequence = lastSequence
    }

    public static let json = Object(
        EventReplay.init,
        Field("events", \.events, about: "Envelopes as texts, by sequence."),
        Field("lastSequence", \.lastSequence, about: "The aggregate's last sequence.")
    )
}

/// Which places of a journal a consumer asks its producer for.
public struct JournalQuery: QueryObject, Hashable {
    public let from: Int
    public let through: Int

    /// A query.
    public init(from: Int, through: Int) {
        self.from = from
        self.through = through
    }

    /// The parameters.
    public static let query = QueryFields(
        JournalQuery.init,
        QueryField("from", \.from, .range(1...Int.max - 1), about: "The first place wanted."),
        QueryField(
            "through",
            \.through,
            .range(1...Int.max - 1),
            about: "The last place wanted; the answer may end before."
        )
    )
}

/// Calls by which services repeat their events to each other.
public enum InternalEvents {
    /// Repeats an aggregate's events from a sequence on.
    public static let replays: [ServiceName: Endpoint<EventReplayQuery, NoBody, EventReplay>] =
        Dictionary(
            // Cannot fire: the keys are the cases of an enumeration, each once.
            uniqueKeysWithValues: ServiceName.allCases.filter { $0 != .gateway }.map { service in
                (
                    service,
                    Endpoint<EventReplayQuery, NoBody, EventReplay>(
                        "replay\(service.rawValue.prefix(1).uppercased())"
                            + "\(service.rawValue.dropFirst())Events",
                        .get,
                        PathTemplate(stringLiteral: "/internal/\(service.rawValue)/events"),
                        of: service,
                        for: .internalService,
                        summary: "An aggregate's events again"
                    )
                )
            }
        )

    /// A page of a journal, from the journal itself: postings, and which places they settle.
    public static let journals: [ServiceName: Endpoint<JournalQuery, NoBody, Postings>] = [
        .ledger: Endpoint(
            "replayLedgerJournal",
            .get,
            "/internal/ledger/journal",
            of: .ledger,
            for: .internalService,
            summary: "The journal's postings again"
        )
    ]

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] =
        (replays.values.map(\.erased) + journals.values.map(\.erased))
        .sorted { $0.path.text < $1.path.text }
}
