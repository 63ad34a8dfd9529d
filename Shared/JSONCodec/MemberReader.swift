/// Finds the members of one object; those in the order of the description at once.
@usableFromInline struct MemberReader {
    private let source: JSONSource
    private let end: Int
    private var expected: Int
    private var read = 0

    @usableFromInline init(_ source: JSONSource) {
        self.source = source
        expected = source.index + 1
        end = Int(source.node.next)
    }

    @usableFromInline mutating func value<Root, Value>(
        of field: Field<Root, Value>,
        _ reading: inout JSONReading
    ) -> Value? {
        field.read(find(field), &reading)
    }

    private mutating func find<Root, Value>(_ field: Field<Root, Value>) -> JSONSource? {
        let document = source.document
        var at = expected
        var wrapped = false
        while true {
            if at >= end {
                if wrapped { return nil }
                wrapped = true
                at = source.index + 1
            }
            if wrapped && at >= expected { return nil }
            let next = Int(document.nodes[at + 1].next)
            if field.matches(document.nodes[at], in: document) {
                expected = next
                read += 1
                return JSONSource(document: document, index: at + 1)
            }
            at = next
        }
    }

    /// Whether the object has members that no field asked for; it has none twice.
    @usableFromInline var hasUnread: Bool {
        var count = 0
        var at = source.index + 1
        while at < end {
            count += 1
            at = Int(source.document.nodes[at + 1].next)
        }
        return count > read
    }

    @usableFromInline func failUnknown(_ names: [[UInt8]], _ reading: inout JSONReading) {
        for (name, _) in source.members ?? [] where !names.contains(Array(name.utf8)) {
            let count = reading.failures
            reading.fail(.unknownField, "is not a field of this object")
            reading.prefix(since: count, name)
        }
    }
}
