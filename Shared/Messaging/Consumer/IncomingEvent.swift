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
    /// - Throws: `APIError`, for what is none of ours.
    init(_ bytes: [UInt8]) throws(APIError) {
        envelope = try EventEnvelope.read(bytes)
        guard let producer = envelope.producer else { throw APIError(.invalidBody) }
        self.producer = producer.rawValue
        self.bytes = bytes
    }
}

/// A message taken apart: its events, and the lines that are none.
struct IncomingLines {
    let message: IncomingMessage
    private(set) var events: [IncomingEvent] = []
    private(set) var unreadable: [[UInt8]] = []

    init(_ message: IncomingMessage) {
        self.message = message
        for line in message.body.split(separator: lineFeed, omittingEmptySubsequences: false) {
            let bytes = Array(line)
            do throws(APIError) {
                events.append(try IncomingEvent(bytes))
            } catch {
                unreadable.append(bytes)
            }
        }
    }
}
