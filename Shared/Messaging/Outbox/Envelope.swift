internal import Postgres
internal import WalletProtocol

/// The subject on which a row goes: `ezwallet.<service>.<type>`; what tells of a person goes on a
/// subject of their own, `ezwallet.<service>.user.<id>`, so that it can be purged on erasure.
///
/// A function of the aggregate's kind and the type, so that a consumer of `ezwallet.<service>.>`
/// sees every event of each aggregate.
func subject(of row: OutboxRow, from service: ServiceName) -> String {
    let prefix = "ezwallet.\(service.rawValue)."
    if let person = personalID(row.aggregate) { return prefix + "user." + token(person) }
    return prefix + token(row.type)
}

/// The id of a person's aggregate, `user:<id>`; nil for others.
private func personalID(_ aggregate: String) -> Substring? {
    aggregate.hasPrefix("user:") ? aggregate.dropFirst(5) : nil
}

/// A subject's part without what the broker reads as a wildcard or an end.
private func token(_ text: some StringProtocol) -> String {
    String(
        decoding: text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: " "), 0x09, 0x0a, 0x0d, UInt8(ascii: "*"), UInt8(ascii: ">"):
                UInt8(ascii: "_")
            default: byte
            }
        },
        as: UTF8.self
    )
}

/// The CloudEvents envelope of a row, its body as the database keeps it, unparsed.
func envelopeText(_ row: OutboxRow, of service: ServiceName) -> String {
    String(decoding: envelope(row, of: service), as: UTF8.self)
}

/// The same as bytes; what `EventEnvelope` reads.
func envelope(_ row: OutboxRow, of service: ServiceName) -> [UInt8] {
    var writer = JSONWriter(capacity: 512 + row.payload.utf8.count)
    appendEnvelope(row, of: service, to: &writer)
    return writer.bytes
}

/// Writes a row's envelope on one line, `data` last: so its reader finds the whole of it unparsed.
func appendEnvelope(_ row: OutboxRow, of service: ServiceName, to writer: inout JSONWriter) {
    let head = EnvelopeHead(
        id: eventID(row),
        type: row.type,
        time: Instant(microseconds: row.createdAt.microseconds),
        aggregate: row.aggregate,
        sequence: row.sequence,
        traceparent: row.traceparent
    )
    if row.payload.utf8.contains(lineFeed) {
        // Between JSON's tokens only, where one space is as good as another.
        let line = row.payload.utf8.map { $0 == lineFeed ? 0x20 : $0 }
        appendEnvelope(head, of: service, data: line, to: &writer)
    } else {
        appendEnvelope(head, of: service, data: row.payload.utf8, to: &writer)
    }
}

/// What stands around an event's body.
struct EnvelopeHead {
    var id: ID<Event>
    var type: String
    var time: Instant
    var aggregate: String
    var sequence: Int64
    var traceparent: String?
}

/// Writes an envelope around a body that has no line feed.
func appendEnvelope(
    _ head: EnvelopeHead,
    of service: ServiceName,
    data: some Sequence<UInt8>,
    to writer: inout JSONWriter
) {
    writer.append(raw: #"{"specversion":"1.0","id":"#.utf8)
    writer.append(head.id.text)
    writer.append(raw: #","source":"/ezwallet/"#.utf8)
    writer.append(raw: service.rawValue.utf8)
    writer.append(raw: #"","type":"#.utf8)
    writer.append(head.type)
    writer.append(raw: #","time":"#.utf8)
    writer.append(head.time.text)
    writer.append(raw: #","datacontenttype":"application/json","aggregate":"#.utf8)
    writer.append(head.aggregate)
    writer.append(raw: #","sequence":"#.utf8)
    writer.append(head.sequence)
    if let traceparent = head.traceparent {
        writer.append(raw: #","traceparent":"#.utf8)
        writer.append(traceparent)
    }
    writer.append(raw: #","data":"#.utf8)
    writer.append(raw: data)
    writer.append(raw: "}".utf8)
}

/// What parts the events of a message.
let lineFeed = UInt8(ascii: "\n")

/// The event's name.
func eventID(_ row: OutboxRow) -> ID<Event> {
    ID(high: row.eventID.high, low: row.eventID.low)
}

extension EventEnvelope {
    /// The service that tells, by the envelope's source.
    var producer: ServiceName? {
        source.hasPrefix("/ezwallet/") ? ServiceName(rawValue: String(source.dropFirst(10))) : nil
    }
}
