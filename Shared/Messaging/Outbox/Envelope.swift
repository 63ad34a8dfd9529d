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

/// Writes an envelope on one line, `data` last: so its reader finds the whole of it unparsed.
func appendEnvelope(_ row: OutboxRow, of service: ServiceName, to writer: inout JSONWriter) {
    writer.append(raw: #"{"specversion":"1.0","id":"#.utf8)
    writer.append(eventID(row).text)
    writer.append(raw: #","source":"/ezwallet/"#.utf8)
    writer.append(raw: service.rawValue.utf8)
    writer.append(raw: #"","type":"#.utf8)
    writer.append(row.type)
    writer.append(raw: #","time":"#.utf8)
    writer.append(Instant(microseconds: row.createdAt.microseconds).text)
    writer.append(raw: #","datacontenttype":"application/json","aggregate":"#.utf8)
    writer.append(row.aggregate)
    writer.append(raw: #","sequence":"#.utf8)
    writer.append(row.sequence)
    if let traceparent = row.traceparent {
        writer.append(raw: #","traceparent":"#.utf8)
        writer.append(traceparent)
    }
    writer.append(raw: #","data":"#.utf8)
    if row.payload.utf8.contains(lineFeed) {
        // Between JSON's tokens only, where one space is as good as another.
        writer.append(raw: row.payload.utf8.map { $0 == lineFeed ? 0x20 : $0 })
    } else {
        writer.append(raw: row.payload.utf8)
    }
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
