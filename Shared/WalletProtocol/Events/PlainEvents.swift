// What comes hundreds of times a second is read by hand, as its writers write it; anything else,
// and anything that might be wrong, is left to the descriptions.

extension EventEnvelope {
    /// An envelope as an outbox's relay writes it: one line, without spaces, `data` last.
    ///
    /// What `data` is worth is found when a consumer asks for its type.
    static func plain(_ bytes: [UInt8]) -> EventEnvelope? {
        var json = PlainJSON(bytes)
        guard json.skip(#"{"specversion":"1.0","id":""#), let id = json.value(ID<Event>.self),
            json.skip(#","source":""#), let source = json.string(),
            json.skip(#","type":""#), let type = json.string(),
            json.skip(#","time":""#), let time = json.value(Instant.self),
            json.skip(#","datacontenttype":"application/json","aggregate":""#),
            let aggregate = json.string(),
            json.skip(#","sequence":"#), let sequence = json.positive()
        else { return nil }
        var traceParent: String?
        if json.skip(#","traceparent":""#) {
            guard let text = json.string() else { return nil }
            traceParent = text
        }
        guard json.skip(#","data":{"#), bytes.last == UInt8(ascii: "}"), json.rest.count >= 2
        else { return nil }
        return EventEnvelope(
            version: "1.0",
            id: id,
            source: source,
            type: type,
            subject: nil,
            time: time,
            contentType: "application/json",
            data: RawJSON(unchecked: Array(bytes[(json.at - 1)..<(bytes.count - 1)])),
            traceParent: traceParent,
            aggregate: aggregate,
            sequence: sequence
        )
    }
}
