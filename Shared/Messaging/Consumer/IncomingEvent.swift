internal import WalletProtocol

/// An event's place among all: whose, of what, the how many-th.
struct EventKey: Hashable, Sendable {
    var producer: String
    var aggregate: String
    var sequence: Int64
}

/// Whose sequence a gate keeps.
struct AggregateKey: Hashable, Sendable, Comparable {
    var producer: String
    var aggregate: String

    static func < (left: Self, right: Self) -> Bool {
        left.producer != right.producer
            ? left.producer < right.producer : left.aggregate < right.aggregate
    }
}

/// An event that came in, with its text for parking.
struct IncomingEvent: Sendable {
    var envelope: EventEnvelope
    var producer: String
    private let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var key: EventKey {
        EventKey(
            producer: producer,
            aggregate: envelope.aggregate,
            sequence: envelope.sequence
        )
    }
    var aggregateKey: AggregateKey {
        AggregateKey(producer: producer, aggregate: envelope.aggregate)
    }

    /// Reads an envelope.
    ///
    /// What no column could take is none: it would fail where no handler is to blame, and hold up
    /// all that came with it.
    /// - Throws: `APIError`, for what is none of ours.
    init(_ bytes: [UInt8]) throws(APIError) {
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
            throw APIError(.invalidBody)
        }
        envelope = try EventEnvelope.read(bytes)
        let name = envelope.aggregate.utf8
        guard let producer = envelope.producer, name.count <= 512, !name.contains(0) else {
            throw APIError(.invalidBody)
        }
        self.producer = producer.rawValue
        self.bytes = bytes
    }
}

/// A message taken apart: its events, and the lines that are none.
struct IncomingLines {
    /// More than any relay packs.
    static let linesMax = 512

    let message: IncomingMessage
    private(set) var events: [IncomingEvent] = []
    /// The whole body, where no line of it is an event, or there are too many.
    private(set) var unreadable: [[UInt8]] = []

    init(_ message: IncomingMessage) {
        self.message = message
        let lines = message.body.split(
            separator: lineFeed,
            maxSplits: Self.linesMax,
            omittingEmptySubsequences: true
        )
        guard lines.count <= Self.linesMax else {
            unreadable = [message.body]
            return
        }
        for line in lines {
            let bytes = Array(line)
            do throws(APIError) {
                events.append(try IncomingEvent(bytes))
            } catch {
                unreadable.append(bytes)
            }
        }
        if events.isEmpty { unreadable = [message.body] }
    }

    /// One that nobody came to the end of reading.
    init(neverRead message: IncomingMessage) {
        self.message = message
        unreadable = [message.body]
    }
}
