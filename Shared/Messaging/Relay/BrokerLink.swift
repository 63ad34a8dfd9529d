/// The calls that a relay makes on the broker's thread; one for all its terms.
final class BrokerLink: Sendable {
    let administration: JetStream
    private let publisher: JetStreamPublisher
    private let stream: String

    init(_ connection: NatsConnection, _ stream: String, inFlightMax: Int) throws(NatsError) {
        administration = try JetStream(connection)
        publisher = try JetStreamPublisher(connection, inFlightMax: inFlightMax)
        self.stream = stream
    }

    func publish(_ messages: [OutgoingMessage], _ waitMilliseconds: UInt64) -> [PublishOutcome] {
        publisher.publish(messages, waitMilliseconds: waitMilliseconds)
    }

    /// The id of the event at a sequence; nil: it was removed, or another's message lies there.
    func eventID(at sequence: UInt64) throws(NatsError) -> String? {
        do throws(NatsError) {
            return try administration.messageID(at: sequence, of: stream)
        } catch .notFound {
            return nil
        }
    }
}
