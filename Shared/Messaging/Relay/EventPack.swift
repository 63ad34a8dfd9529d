internal import Postgres
internal import WalletProtocol

/// Neighbours in the outbox that go on one subject, and so in one message: an envelope a line.
///
/// The broker's and the consumer's cost is by the message, and under load a look finds hundreds of
/// rows. Only neighbours are packed, so the stream has the rows in their order.
struct EventPack {
    private(set) var rows: [OutboxRow]
    private(set) var message: OutgoingMessage

    /// Packs rows, in their order, up to so many bytes and events a message.
    static func packs(
        of rows: [OutboxRow],
        from service: ServiceName,
        bytesMax: Int,
        eventsMax: Int
    ) -> [EventPack] {
        var packs: [EventPack] = []
        var open: [OutboxRow] = []
        var writer = JSONWriter(capacity: 0)
        var subjectOfOpen = ""
        // A person's go alone: a purge that keeps their last message keeps one event.
        let personal = "ezwallet.\(service.rawValue).user."
        func close() {
            guard !open.isEmpty else { return }
            let message = OutgoingMessage(
                subject: subjectOfOpen,
                id: name(of: open),
                body: writer.bytes
            )
            packs.append(EventPack(rows: open, message: message))
            open = []
        }
        for row in rows {
            let own = subject(of: row, from: service)
            let size = writer.bytes.count + row.payload.utf8.count + 512
            let isFull = size > bytesMax || open.count >= min(eventsMax, IncomingLines.linesMax)
            if open.isEmpty || isFull || own != subjectOfOpen || own.hasPrefix(personal) {
                close()
                writer = JSONWriter(capacity: 1_024 + row.payload.utf8.count)
                subjectOfOpen = own
            } else {
                writer.append(raw: CollectionOfOne(lineFeed))
            }
            appendEnvelope(row, of: service, to: &writer)
            open.append(row)
        }
        close()
        return packs
    }

    /// The `Nats-Msg-Id`: the sum of the events' ids, which is an event's own where it is alone.
    ///
    /// Other events make another name, whatever they share: what is packed anew after a restart is
    /// dropped by the broker only where it holds exactly the same.
    ///
    /// Wraps: the sum is modulo 2^128, and is a name alone.
    static func name(of rows: [OutboxRow]) -> String {
        var (high, low): (UInt64, UInt64) = (0, 0)
        for row in rows {
            let (sum, carry) = low.addingReportingOverflow(row.eventID.low)
            low = sum
            high = high &+ row.eventID.high &+ (carry ? 1 : 0)
        }
        return ID<Event>(high: high, low: low).text
    }
}
